# SPDX-License-Identifier: Apache-2.0
"""MemoryBudget: trains an unchanged model within a number of bytes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import torch

from . import _core
from .amounts import parse_bytes, parse_share
from .errors import FormatError
from .memory import default_device
from .report import Report

_PLANS = "reprise.plans"


class Step:
    """A ``with`` block whose ops are recorded, planned and kept within the budget.

    Leaving it, also by an exception, puts everything back as it was.
    """

    def __init__(self, budget: _core.MemoryBudget) -> None:
        self._scope = budget.step()

    def __enter__(self) -> Step:
        self._scope.enter()
        return self

    def __exit__(self, *exception: object) -> None:
        self._scope.exit()


class MemoryBudget:
    """Trains an unchanged model within a number of bytes, with the gradients that it has without.

    ::

        budget = reprise.MemoryBudget("8GiB")
        with budget.step():
            loss = model(**batch).loss
            loss.backward()

    The first step is recorded and kept within the budget as well as can be without a plan; then a
    plan is made, in seconds, and followed. A step with other shapes gets a plan of its own.

    Args:
        budget: What live tensors may take on the device, parameters and gradients included: bytes
            (``8 * 2**30``) or text ("8GiB", "200MB"). "60%": a share of what the same step takes
            above its start with everything kept; the first step finds out how much that is.
            "minimum": as little as any plan manages.
        device: Whose memory; the current accelerator if there is one, else the CPU.
        planner: "auto", or another name that ``reprise planners`` lists.
        iterations: Of the planner; 0 means its default. Plans limited by it are reproducible.
        time_limit: Of the planner, in seconds; 0 means none. With one, plans depend on the machine.
        progress: Called now and then while a plan is made, as ``progress(fraction, iterations,
            best_peak_bytes, best_recompute_us, fits)``.
        max_overhead: If given, the plan with the lowest peak whose predicted recompute time is at
            most this share (0.1 is 10 %) of a plain step, instead of the fastest within the budget.
        headroom: So many bytes of the budget are left free, for what is allocated between passes.
        hard: Whether a budget that no plan meets is a BudgetError. If not, the plan with the lowest
            peak is followed.
        check: Replays each op of forward at once and compares bits: OpMismatch names the first op
            that cannot be replayed. Slow, and takes memory beyond the budget.
        above_start: A budget in bytes counts from what is live when a pass begins.
        max_replays_per_op: A backward without a plan that has replayed so many times as many ops as
            forward has drops nothing more, goes above the budget, and is told of in the report.
        max_passes: So many different passes are remembered, those used last.
        schedule: A file of ``save_schedule``, or of ``reprise plan``: followed instead of planning,
            whatever the budget; a step that it was not made for is a BudgetError.

    Raises:
        ValueError, TypeError: an argument makes no sense; the message has the expectation and what
            was given.
    """

    def __init__(
        self,
        budget: int | str,
        *,
        device: torch.device | str | None = None,
        planner: str = "auto",
        iterations: int = 0,
        time_limit: float = 0.0,
        progress: Callable[[float, int, int, float, bool], None] | None = None,
        max_overhead: float | None = None,
        headroom: int | str = 0,
        hard: bool = True,
        check: bool = False,
        above_start: bool = False,
        max_replays_per_op: float = 10.0,
        max_passes: int = 16,
        schedule: str | os.PathLike[str] | None = None,
    ) -> None:
        options = _core.MemoryBudgetOptions()
        options.device = default_device() if device is None else torch.device(device)
        options.planner = planner
        options.iterations = iterations
        options.time_limit_s = time_limit
        if progress is not None and not callable(progress):
            raise TypeError(
                f"MemoryBudget: expected progress to be callable, got {type(progress).__name__}"
            )
        options.set_progress(progress)
        if max_overhead is not None:
            options.set_most_overhead(max_overhead)
        options.headroom_bytes = (
            0 if headroom == 0 else parse_bytes(headroom, "MemoryBudget: headroom")
        )
        options.is_hard = hard
        options.checks_ops = check
        options.most_replays_per_op = max_replays_per_op
        options.most_passes = max_passes
        if schedule is not None:
            with open(schedule, encoding="utf-8") as file:
                options.set_schedule(file.read(), os.fspath(schedule))
        self._budget = _make(budget, above_start, options)

    def step(self) -> Step:
        """A ``with`` block: a forward and its backward, or several one after another.

        What forward saved may be used after it as well, but is not planned then. Entering raises
        RuntimeError inside of a step of the same thread, and while another thread is in a step of
        this budget. BudgetError leaves through the first op of the step that needs the plan.
        """
        return Step(self._budget)

    def name(self, model: torch.nn.Module) -> None:
        """Ops that read a parameter or buffer of ``model`` get the path of its module as label.

        So do those after them, where no ``reprise.label`` is open. To be called before the first
        step.
        """
        for path, tensor in (*model.named_parameters(), *model.named_buffers()):
            self._budget.name(path, tensor)

    def report(self) -> Report:
        """What the budget did: predicted against measured."""
        return Report(self._budget.report())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the plans of all passes that the budget remembers, for ``load``."""
        schedules = [json.loads(each) for each in self._budget.schedules_json()]
        data = {"format": _PLANS, "version": 1, "schedules": schedules}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(data, file)

    def load(self, path: str | os.PathLike[str]) -> None:
        """Takes the plans that ``save`` wrote, for the passes that they were made for.

        A pass follows a loaded plan instead of being planned where that was made for about the bytes
        that there are now; it is recorded first in any case. Replaces plans loaded before.

        Raises:
            FormatError: the file is none of ``save``.
        """
        place = os.fspath(path)
        with open(path, encoding="utf-8") as file:
            try:
                data = json.load(file)
            except (ValueError, RecursionError) as error:
                raise FormatError(f"{place}: expected JSON, got {error}") from error
        if not isinstance(data, dict) or data.get("format") != _PLANS or data.get("version") != 1:
            raise FormatError(f'{place}: expected "format": "{_PLANS}", "version": 1')
        schedules = data.get("schedules")
        if not isinstance(schedules, list):
            raise FormatError(f"{place}: schedules: expected a list, got {schedules!r}")
        self._budget.reuse([json.dumps(each) for each in schedules], place)

    def save_program(self, path: str | os.PathLike[str]) -> None:
        """Writes the recorded pass that was run last, as JSON, for ``reprise plan`` and others."""
        _write(path, self._budget.program_json(), "program")

    def save_schedule(self, path: str | os.PathLike[str]) -> None:
        """Writes the schedule that the last pass follows, as JSON."""
        _write(path, self._budget.schedule_json(), "schedule")


def _make(budget: Any, above_start: bool, options: _core.MemoryBudgetOptions) -> _core.MemoryBudget:
    if isinstance(budget, str):
        text = budget.strip()
        is_relative = text == "minimum" or text.endswith("%")
        if is_relative and above_start:
            raise ValueError(
                f"MemoryBudget: expected bytes with above_start=True, got {budget!r}"
            )
        if text == "minimum":
            return _core.MemoryBudget.minimum(options)
        if is_relative:
            return _core.MemoryBudget.share_of_peak(parse_share(text, "MemoryBudget"), options)
    size = parse_bytes(budget, "MemoryBudget")
    if above_start:
        return _core.MemoryBudget.above_start(size, options)
    return _core.MemoryBudget(size, options)


def _write(path: str | os.PathLike[str], text: str | None, what: str) -> None:
    if text is None:
        raise RuntimeError(
            f"MemoryBudget: expected a step with a {what} before it is saved, got none"
        )
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
