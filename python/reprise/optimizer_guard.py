# SPDX-License-Identifier: Apache-2.0
"""Sees optimizers that write parameters unnoticed while a backward may still need them."""

from __future__ import annotations

from typing import Any

import torch
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook

from . import _core


def _note_writes(optimizer: Optimizer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Moves the version of what a fused optimizer has written.

    Fused kernels write parameters without moving their version, so that neither autograd nor a
    replay sees that the values for a coming backward are gone. With the version moved, such a
    backward is the error that it is with every other optimizer.
    """
    if _core.live_hooks() == 0:
        return
    for group in optimizer.param_groups:
        if group.get("fused"):
            written = [each for each in group["params"] if each.grad is not None]
            torch.autograd.graph.increment_version(written)


def install() -> None:
    """For every optimizer of the process; nothing is done where no region or step is alive."""
    register_optimizer_step_post_hook(_note_writes)
