# SPDX-License-Identifier: Apache-2.0
"""How many bytes tensors take, and names for parts of a step."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch

from . import _core


def default_device() -> torch.device:
    """The current accelerator, if torch has one, else the CPU."""
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    return torch.device("cpu") if accelerator is None else accelerator


class MemoryMeter:
    """Measures what tensors take on a device, from its construction on.

    On the CPU the numbers are exact: the bytes that tensors asked for. On other devices they are the
    statistics of the device's allocator. All threads of the process count.

    Args:
        device: whose memory; the current accelerator if there is one, else the CPU.

    Raises:
        ValueError: the device's allocator keeps no statistics.
    """

    def __init__(self, device: torch.device | str | None = None) -> None:
        self._meter = _core.MemoryMeter(
            default_device() if device is None else torch.device(device)
        )

    @property
    def live_bytes(self) -> int:
        """Live now."""
        return self._meter.live_bytes

    @property
    def start_bytes(self) -> int:
        """Live when the meter was made."""
        return self._meter.start_bytes

    @property
    def peak_bytes(self) -> int:
        """The most since then, above ``start_bytes``."""
        return self._meter.peak_bytes

    @property
    def total_peak_bytes(self) -> int:
        """The most since then, all in all."""
        return self._meter.total_peak_bytes


@contextlib.contextmanager
def label(name: str) -> Iterator[None]:
    """What runs in the block belongs to the part ``name`` in programs, plans and reports.

    Labels nest, with dots between. They change no result.
    """
    scope = _core.LabelScope(name)
    scope.enter()
    try:
        yield
    finally:
        scope.exit()
