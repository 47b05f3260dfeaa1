# SPDX-License-Identifier: Apache-2.0
"""A step of a MemoryBudget around each training batch of Lightning.

    trainer = lightning.Trainer(..., callbacks=[BudgetCallback(reprise.MemoryBudget("8GiB"))])
"""

from __future__ import annotations

from typing import Any

import lightning.pytorch as pl

from ..budget import MemoryBudget, Step


class BudgetCallback(pl.Callback):
    """Keeps training batches within ``budget``.

    A step begins with a batch and ends before the optimizer runs, or with the batch where gradients
    are accumulated. With manual optimization, and with several optimizers, it ends before the first
    optimizer step: put ``with budget.step()`` into the module's ``training_step`` instead.
    """

    def __init__(self, budget: MemoryBudget) -> None:
        self.budget = budget
        self._step: Step | None = None

    def close(self) -> None:
        """Ends the step under way, if there is one."""
        if self._step is not None:
            step, self._step = self._step, None
            step.__exit__(None, None, None)

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self.budget.name(pl_module)

    def on_train_batch_start(self, *args: Any, **kwargs: Any) -> None:
        self.close()  # of a batch that another callback skipped
        self._step = self.budget.step()
        self._step.__enter__()

    def on_before_optimizer_step(self, *args: Any, **kwargs: Any) -> None:
        self.close()

    def on_train_batch_end(self, *args: Any, **kwargs: Any) -> None:
        self.close()

    def on_exception(self, *args: Any, **kwargs: Any) -> None:
        self.close()
