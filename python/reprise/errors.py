# SPDX-License-Identifier: Apache-2.0
"""What reprise raises beside ValueError (arguments) and what torch raises itself."""

from torch.utils.checkpoint import CheckpointError


class BudgetError(RuntimeError):
    """No plan fits the budget; raised before anything is lost, and the next step works.

    ``minimum_bytes`` is the smallest budget that a plan was found for, in bytes and in the terms of
    the budget (in total, or above what was live when the step began); 0 if that is not known.
    """

    minimum_bytes: int = 0


class ReplayMismatch(CheckpointError):
    """A region that ran its function again got other values than the first time."""


class OpMismatch(RuntimeError):
    """An op that cannot be replayed, found by ``MemoryBudget(..., check=True)``."""


class FormatError(ValueError):
    """A file is broken, or is not what was asked for: place, expectation, value."""
