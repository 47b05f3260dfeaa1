# SPDX-License-Identifier: Apache-2.0
"""Reprise: train the same PyTorch model, bit for bit the same gradients, in the memory you have.

    budget = reprise.MemoryBudget("8GiB")
    for batch in loader:
        optimizer.zero_grad()
        with budget.step():
            loss = model(**batch).loss
            loss.backward()
        optimizer.step()
    print(budget.report())

Importing the package begins to count the memory that torch allocates on the CPU; what was allocated
before is not known and not counted, so import it before the model is made.
"""

import torch as _torch

_TESTED_TORCH = "2.13"
if not _torch.__version__.startswith(_TESTED_TORCH + "."):
    raise ImportError(
        f"reprise: expected torch {_TESTED_TORCH}, which this package was built with, got "
        f"{_torch.__version__}; install that torch, or build the package anew with yours: "
        "pip install --no-build-isolation ."
    )

from . import _core, optimizer_guard
from ._core import (
    RegionCounts,
    RegionStats,
    is_recomputing,
    keep_freed_memory,
    live_hooks,
    never_replay,
)
from .budget import MemoryBudget, Report, Step
from .checkpointing import (
    checkpoint,
    checkpoint_sequential,
    discard_output,
)
from .errors import BudgetError, FormatError, OpMismatch, ReplayMismatch
from .memory import MemoryMeter, label
from .patching import patch

__version__ = "0.1.0"
__all__ = [
    "BudgetError",
    "FormatError",
    "MemoryBudget",
    "MemoryMeter",
    "OpMismatch",
    "RegionCounts",
    "RegionStats",
    "ReplayMismatch",
    "Report",
    "Step",
    "checkpoint",
    "checkpoint_sequential",
    "discard_output",
    "is_recomputing",
    "keep_freed_memory",
    "label",
    "live_hooks",
    "never_replay",
    "patch",
]

_core.count_memory()
optimizer_guard.install()
