# SPDX-License-Identifier: Apache-2.0
"""Trains a GPT-2 on a text, plain, with gradient checkpointing, and within byte budgets.

    python examples/finetune.py [--text FILE] [--steps N] [--layers 12] [--width 768] [--length 256]

The model has random weights, so nothing is downloaded; by default the text is the licence texts of
this system (/usr/share/common-licenses), as bytes. Each way trains a copy of the same model on the
same batches, taking turns; the table says what a step took (medians), and whether all ended with the same
weights, bit for bit.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import reprise  # first: counts all memory
import torch
import transformers

MIB = 2**20
WARM_UP = 3  # steps that are not timed: the first plans are made in them


def read_text(path: Path) -> torch.Tensor:
    files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    data = b"\n".join(each.read_bytes() for each in files)
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).long()


def batches(text: torch.Tensor, count: int, batch: int, length: int) -> list[torch.Tensor]:
    random = torch.Generator().manual_seed(0)
    starts = torch.randint(len(text) - length, (count, batch), generator=random)
    return [torch.stack([text[start : start + length] for start in row]) for row in starts]


@dataclass
class Way:
    """One of the ways to train: a copy of the model, and what each step is wrapped in."""

    name: str
    model: torch.nn.Module
    make_step: Callable[[], AbstractContextManager] = nullcontext
    peaks: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    loss: float = 0.0

    def __post_init__(self) -> None:
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-4)

    def train(self, ids: torch.Tensor, seed: int) -> None:
        torch.manual_seed(seed)
        self.optimizer.zero_grad()
        meter = reprise.MemoryMeter("cpu")
        began = time.perf_counter()
        with self.make_step():
            loss = self.model(input_ids=ids, labels=ids).loss
            loss.backward()
        self.seconds.append(time.perf_counter() - began)
        self.peaks.append(meter.peak_bytes)
        self.loss = loss.item()
        del loss
        self.optimizer.step()

    @property
    def peak(self) -> int:
        return max(self.peaks[WARM_UP:])

    @property
    def step_s(self) -> float:
        return statistics.median(self.seconds[WARM_UP:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=Path, default=Path("/usr/share/common-licenses"))
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--length", type=int, default=256)
    parser.add_argument("--batch", type=int, default=4)
    options = parser.parse_args()

    transformers.logging.set_verbosity_error()
    reprise.keep_freed_memory()
    torch.manual_seed(0)
    model = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            vocab_size=256,
            n_embd=options.width,
            n_layer=options.layers,
            n_head=options.width // 64,
            n_positions=options.length,
            bos_token_id=0,
            eos_token_id=0,
        )
    ).train()
    data = batches(read_text(options.text), options.steps, options.batch, options.length)

    checkpointed = copy.deepcopy(model)
    checkpointed.gradient_checkpointing_enable({"use_reentrant": False})
    budgets = {share: reprise.MemoryBudget(share) for share in ("50%", "40%")}
    ways = [
        Way("plain", copy.deepcopy(model)),
        Way("gradient checkpointing", checkpointed),
        *(Way(f"budget {each}", copy.deepcopy(model), it.step) for each, it in budgets.items()),
    ]
    for seed, ids in enumerate(data):
        first = seed % len(ways)  # whoever is first finds another cache than the others
        for way in ways[first:] + ways[:first]:
            way.train(ids, seed)

    plain = ways[0]
    print(f"{'':24}{'peak':>11}{'':>9}{'step':>10}{'':>9}{'last loss':>12}  same weights")
    for way in ways:
        same = all(map(torch.equal, plain.model.parameters(), way.model.parameters()))
        print(
            f"{way.name:24}{way.peak / MIB:7.1f} MiB{way.peak / plain.peak:8.1%}"
            f"{way.step_s:8.3f} s{way.step_s / plain.step_s - 1:+9.1%}"
            f"{way.loss:12.4f}  {'yes' if same else 'NO'}"
        )
    for share, budget in budgets.items():
        print(f"\nbudget {share}\n{budget.report()}")


if __name__ == "__main__":
    main()
