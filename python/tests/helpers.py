# SPDX-License-Identifier: Apache-2.0
"""What tests compare: one step of training, plain and under reprise, bit by bit."""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import reprise
import torch


def assert_nothing_left() -> None:
    gc.collect()
    assert reprise.live_hooks() == 0


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    a, b = (x.detach().contiguous().reshape(-1).view(torch.uint8) for x in (a, b))
    return torch.equal(a, b)


@dataclass
class Outcome:
    """All that a step changes."""

    loss: torch.Tensor
    gradients: dict[str, torch.Tensor | None]
    buffers: dict[str, torch.Tensor]
    random_state: torch.Tensor

    def differences(self, other: Outcome) -> list[str]:
        found = [] if same_bits(self.loss, other.loss) else ["loss"]
        for name, mine in (self.gradients | self.buffers).items():
            theirs = (other.gradients | other.buffers)[name]
            if (mine is None) != (theirs is None):
                found.append(name)
            elif mine is not None and not same_bits(mine, theirs):
                found.append(name)
        if not torch.equal(self.random_state, other.random_state):
            found.append("random state")
        return found


def outcome_of(model: torch.nn.Module, loss: torch.Tensor) -> Outcome:
    return Outcome(
        loss.detach().clone(),
        {
            name: None if each.grad is None else each.grad.clone()
            for name, each in model.named_parameters()
        },
        {name: each.clone() for name, each in model.named_buffers()},
        torch.get_rng_state(),
    )


def train_step(
    model: torch.nn.Module, step: Callable[[torch.nn.Module], torch.Tensor], seed: int = 1
) -> Outcome:
    """One forward and backward, without an update."""
    model.zero_grad(set_to_none=True)
    torch.manual_seed(seed)
    loss = step(model)
    loss.backward()
    return outcome_of(model, loss)


def plain_and_budgeted(
    model: torch.nn.Module,
    step: Callable[[torch.nn.Module], torch.Tensor],
    budget: reprise.MemoryBudget,
    steps: int = 3,
) -> list[tuple[Outcome, Outcome]]:
    """So many steps of two copies of the model, the second under the budget."""
    plain, budgeted = model, copy.deepcopy(model)
    outcomes: list[tuple[Outcome, Outcome]] = []
    for seed in range(steps):
        expected = train_step(plain, step, seed)
        plain.zero_grad(set_to_none=True)
        with budget.step():
            got = train_step(budgeted, step, seed)
        budgeted.zero_grad(set_to_none=True)
        outcomes.append((expected, got))
    return outcomes


def differences(outcomes: list[tuple[Any, Any]]) -> list[list[str]]:
    return [expected.differences(got) for expected, got in outcomes]
