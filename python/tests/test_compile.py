# SPDX-License-Identifier: Apache-2.0
import copy

import pytest
import reprise
import torch
from helpers import outcome_of
from torch import nn

X = torch.randn(64, 32)


class Partly(nn.Module):
    """Blocks, of which one is compiled."""

    def __init__(self, backend):
        super().__init__()
        self.before = nn.Sequential(nn.Linear(32, 32), nn.GELU())
        self.compiled = nn.Sequential(nn.Linear(32, 32), nn.Tanh(), nn.LayerNorm(32))
        self.after = nn.Sequential(nn.Linear(32, 32), nn.Sigmoid())
        self.run = torch.compile(self.compiled, backend=backend)

    def forward(self, x):
        return self.after(self.run(self.before(x)))


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_compiled_parts_are_opaque(backend):
    torch._dynamo.reset()
    torch.manual_seed(0)
    model = Partly(backend)
    plain = []
    for seed in range(3):
        model.zero_grad(set_to_none=True)
        torch.manual_seed(seed)
        loss = model(X).square().mean()
        loss.backward()
        plain.append(outcome_of(model, loss))
        del loss
    budget = reprise.MemoryBudget("80%", hard=False)
    for seed in range(3):
        model.zero_grad(set_to_none=True)
        torch.manual_seed(seed)
        with budget.step():
            loss = model(X).square().mean()
            loss.backward()
        assert plain[seed].differences(outcome_of(model, loss)) == []
        del loss
    assert budget.report().last.replayed_ops > 0


def test_our_checkpoint_in_a_compiled_function_is_torchs():
    torch._dynamo.reset()
    block = nn.Sequential(nn.Linear(32, 32), nn.Tanh())
    model = nn.Sequential(block)
    expected = copy.deepcopy(model)

    @torch.compile(backend="aot_eager")
    def step(x):
        return reprise.checkpoint(block, x).square().mean()

    step(X).backward()
    expected(X).square().mean().backward()
    for mine, other in zip(model.parameters(), expected.parameters()):
        torch.testing.assert_close(mine.grad, other.grad)
