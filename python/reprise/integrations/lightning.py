# SPDX-License-Identifier: Apache-2.0
"""A step of a MemoryBudget around each training batch of Lightning.

    trainer = lightning.Trainer(..., callbacks=[BudgetCallback(reprise.MemoryBudget("8GiB"))])
"""

from __future__ import annotations

from typing import Any

import lightning.pytorch as pl

from .step_holder import StepHolder


class BudgetCallback(StepHolder, pl.Callback):
    """Keeps training batches within ``budget``.

    A step begins with a batch and ends before the optimizer runs, or with the batch where gradients
    are accumulated. With manual optimization, and with several optimizers, it ends before the first
    optimizer step: put ``with budget.step()`` into the module's ``training_step`` instead.
    """

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self.budget.name(pl_module)

    def on_train_batch_start(self, *args: Any, **kwargs: Any) -> None:
        self.open()

    def on_before_optimizer_step(self, *args: Any, **kwargs: Any) -> None:
        self.close()

    def on_train_batch_end(self, *args: Any, **kwargs: Any) -> None:
        self.close()

    def on_exception(self, *args: Any, **kwargs: Any) -> None:
        self.close()
