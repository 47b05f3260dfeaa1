# SPDX-License-Identifier: Apache-2.0
"""Trains every architecture plain and under reprise, and compares all bits.

    python python/corpus/run.py [--markdown] [ARCHITECTURE ...]

Modes: everything kept, everything dropped, random halves dropped, and plans for shares of the plain
peak. Compared are the loss, every gradient, every buffer and the state of the random generator; the
measured peak has to be within the budget. Exit status 1 if anything differs.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import reprise  # first: counts all memory
import numpy
import torch
import transformers
from architectures import ARCHITECTURES, Architecture

SHARES = ["70%", "50%", "40%"]
# Of the steps. The last ones are alike, so that the last one has a plan also where data decide about
# ops and shapes (time masks of speech models, delays of Autoformer).
SEEDS = (0, 1, 1, 1)


@dataclass
class Run:
    """What steps left behind, and what the budget says of the last one."""

    states: list[dict[str, torch.Tensor | None]]
    peaks: list[int] = field(default_factory=list)
    report: Any = None
    budget: reprise.MemoryBudget | None = None


@dataclass
class Row:
    architecture: str
    mode: str
    outcome: str  # "equal", what differs, or why there is no plan
    peak_share: float | None = None  # of the plain peak
    overhead: float | None = None  # predicted
    is_fault: bool = False


def fixed_seed() -> int:
    """In place of torch.seed, which some models call to draw a seed from the system."""
    torch.manual_seed(11)
    return 11


def loss_of(model: torch.nn.Module, inputs: dict[str, Any]) -> torch.Tensor:
    output = model(**copy.deepcopy(inputs))  # some write to them
    loss = getattr(output, "loss", None)
    if loss is None:  # a model that makes one with a library of its own
        loss = output.logits.square().mean() + output.pred_boxes.mean()
    return loss


def steps_of(
    model: torch.nn.Module, inputs: dict[str, Any], budget: reprise.MemoryBudget | None
) -> Run:
    model = copy.deepcopy(model)
    run = Run([], budget=budget)
    for seed in SEEDS:
        model.zero_grad(set_to_none=True)
        torch.manual_seed(seed)
        random.seed(seed)
        numpy.random.seed(seed)
        meter = reprise.MemoryMeter("cpu")
        if budget is None:
            loss = loss_of(model, inputs)
            loss.backward()
        else:
            with budget.step():
                loss = loss_of(model, inputs)
                loss.backward()
        run.peaks.append(meter.peak_bytes)
        run.states.append(
            {"loss": loss.detach().clone(), "random state": torch.get_rng_state()}
            | {
                f"gradient of {name}": None if each.grad is None else each.grad.clone()
                for name, each in model.named_parameters()
            }
            | {f"buffer {name}": each.clone() for name, each in model.named_buffers()}
        )
        del loss
    if budget is not None:
        run.report = budget.report()
    return run


def first_difference(expected: Run, got: Run) -> str | None:
    for step, (before, after) in enumerate(zip(expected.states, got.states)):
        for name, tensor in before.items():
            other = after[name]
            if (tensor is None) != (other is None) or (
                tensor is not None and not _same_bits(tensor, other)
            ):
                return f"step {step}: {name}"
    return None


def _same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(
        a.contiguous().reshape(-1).view(torch.uint8), b.contiguous().reshape(-1).view(torch.uint8)
    )


def random_schedule(budget: reprise.MemoryBudget, seed: int, folder: Path) -> Path:
    """Replays half of the recipes that uses need, wherever they need them."""
    budget.save_program(folder / "program.json")
    budget.save_schedule(folder / "schedule.json")
    program = json.loads((folder / "program.json").read_text())
    schedule = json.loads((folder / "schedule.json").read_text())
    choose = random.Random(seed)
    recipes = [value.get("recipe") for value in program["values"]]
    replays = []
    for number, use in enumerate(program["uses"]):
        wanted = sorted({recipes[value] for value in use["needs"] if recipes[value] is not None})
        chosen = [
            recipe
            for recipe in wanted
            if program["recipes"][recipe].get("replayable", True) and choose.random() < 0.5
        ]
        if chosen:
            replays.append({"before_use": number, "recipes": chosen})
    schedule |= {"planner": "random", "replays": replays}
    schedule["predicted"] = {"peak_bytes": 0, "recompute_us": 0}
    path = folder / "random.json"
    path.write_text(json.dumps(schedule))
    return path


def rows_of(architecture: Architecture) -> Iterator[Row]:
    torch.manual_seed(0)
    model, inputs = architecture.make()
    model.train()
    plain = steps_of(model, inputs, None)

    def row(mode: str, budget: reprise.MemoryBudget) -> tuple[Row, Run]:
        run = steps_of(model, inputs, budget)
        last = run.report.last
        difference = first_difference(plain, run)
        result = Row(
            architecture.name,
            mode,
            "equal" if difference is None else difference,
            run.peaks[-1] / plain.peaks[-1],
            last.predicted_overhead,
            difference is not None,
        )
        if run.report.unplanned_because:
            result.outcome += f", no plan: {run.report.unplanned_because}"
        elif last.limit_bytes and last.peak_bytes > last.limit_bytes:
            result.outcome += f", {last.peak_bytes - last.limit_bytes} bytes above the budget"
            result.is_fault = True
        return result, run

    kept, run = row("keep all", reprise.MemoryBudget("100%", device="cpu"))
    yield kept
    if run.report.unplanned_because:
        return
    yield row("drop all", reprise.MemoryBudget("minimum", planner="drop_all", device="cpu"))[0]
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(2):
            path = random_schedule(run.budget, seed, Path(folder))
            budget = reprise.MemoryBudget("minimum", schedule=path, device="cpu")
            try:
                yield row(f"random {seed}", budget)[0]
            except reprise.BudgetError:
                yield Row(architecture.name, f"random {seed}", "steps differ from each other")
    for share in SHARES:
        try:
            yield row(share, reprise.MemoryBudget(share, device="cpu"))[0]
        except reprise.BudgetError as error:
            floor = error.minimum_bytes / plain.peaks[-1]
            yield Row(architecture.name, share, f"no plan below {floor:.0%}")


def print_rows(rows: list[Row], markdown: bool) -> None:
    modes = list(dict.fromkeys(row.mode for row in rows))
    header = ["architecture", *modes]
    lines = []
    for name in dict.fromkeys(row.architecture for row in rows):
        of_mode = {row.mode: row for row in rows if row.architecture == name}
        lines.append([name, *(_cell(of_mode.get(mode)) for mode in modes)])
    if markdown:
        print("| " + " | ".join(header) + " |")
        print("|" + "---|" * len(header))
        for line in lines:
            print("| " + " | ".join(line) + " |")
        return
    widths = [max(len(line[i]) for line in [header, *lines]) for i in range(len(header))]
    for line in [header, *lines]:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    if row.outcome != "equal" or row.peak_share is None:
        return row.outcome
    return f"= {row.peak_share:.0%}, +{row.overhead:.0%}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("architectures", nargs="*", help="default: all", metavar="ARCHITECTURE")
    parser.add_argument("--markdown", action="store_true", help="the table as docs have it")
    options = parser.parse_args()
    unknown = sorted(set(options.architectures) - set(ARCHITECTURES))
    if unknown:
        parser.error(f"unknown architectures: {', '.join(unknown)}")
    warnings.filterwarnings("ignore")
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    torch.seed = fixed_seed
    rows: list[Row] = []
    for name in options.architectures or ARCHITECTURES:
        for row in rows_of(ARCHITECTURES[name]):
            print(f"{row.architecture} {row.mode}: {row.outcome}", file=sys.stderr)
            rows.append(row)
    print_rows(rows, options.markdown)
    faults = sum(row.is_fault for row in rows)
    print(f"{len(rows) - faults} passed, {faults} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
