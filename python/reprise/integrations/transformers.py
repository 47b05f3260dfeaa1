# SPDX-License-Identifier: Apache-2.0
"""A step of a MemoryBudget around each training step of Hugging Face's Trainer.

    trainer = Trainer(..., callbacks=[BudgetCallback(reprise.MemoryBudget("8GiB"))])
"""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from .step_holder import StepHolder


class BudgetCallback(StepHolder, TrainerCallback):
    """Keeps training steps within ``budget``, and puts its figures into the logs.

    A step begins with the first batch of an optimizer step and ends before the optimizer runs, so
    accumulated batches are passes of one step. ``trainer.state.log_history``, and the logs that
    callbacks behind this one see, gain ``budget_peak_bytes``, ``budget_predicted_peak_bytes`` and
    ``budget_overhead`` (predicted).

    Trainer tells callbacks nothing of an exception: after one, the step ends with the next
    ``train()``, or with ``close()``.
    """

    def on_train_begin(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        model: Any = None,
        **kwargs: Any,
    ) -> None:
        self.close()
        if model is not None:
            self.budget.name(model)

    def on_step_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        self.open()

    def on_pre_optimizer_step(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        self.close()

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        self.close()

    def on_train_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        self.close()

    def on_log(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, float] | None = None,
        **kwargs: Any,
    ) -> None:
        if logs is None or "loss" not in logs:
            return
        last = self.budget.report().last
        figures = {
            "budget_peak_bytes": last.peak_bytes,
            "budget_predicted_peak_bytes": last.predicted_peak_bytes,
            "budget_overhead": last.predicted_overhead,
        }
        logs.update(figures)
        if state.log_history:  # which has a copy of them already
            state.log_history[-1].update(figures)
