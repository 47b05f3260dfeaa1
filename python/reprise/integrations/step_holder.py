# SPDX-License-Identifier: Apache-2.0
"""The step of a budget that a callback begins in one call and ends in another."""

from __future__ import annotations

from ..budget import MemoryBudget, Step


class StepHolder:
    """What callbacks of training loops have in common; at most one step at a time."""

    def __init__(self, budget: MemoryBudget) -> None:
        self.budget = budget
        self._step: Step | None = None

    def open(self) -> None:
        """Begins a step; ends the one under way first, if there is one."""
        self.close()
        self._step = self.budget.step()
        self._step.__enter__()

    def close(self) -> None:
        """Ends the step under way, if there is one."""
        if self._step is not None:
            step, self._step = self._step, None
            step.__exit__(None, None, None)
