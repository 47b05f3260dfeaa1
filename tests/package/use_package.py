# SPDX-License-Identifier: Apache-2.0
"""What a user of the installed package does first. Run by .ci/run, in an environment of its own."""

import reprise
import torch

assert "site-packages" in reprise.__file__, reprise.__file__
layers = [layer for _ in range(6) for layer in (torch.nn.Linear(64, 64), torch.nn.GELU())]
model = torch.nn.Sequential(*layers)
x = torch.randn(64, 64)
model(x).square().mean().backward()
expected = [each.grad.clone() for each in model.parameters()]

budget = reprise.MemoryBudget("60%")
for _ in range(3):
    model.zero_grad()
    with budget.step():
        model(x).square().mean().backward()
assert all(map(torch.equal, expected, [each.grad for each in model.parameters()]))
assert budget.report().last.replayed_ops > 0
print(budget.report())
