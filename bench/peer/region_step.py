# SPDX-License-Identifier: Apache-2.0
"""The Python side of what one region costs: bench/region_step.cpp with torch.utils.checkpoint.

  region_step.py METER_LIBRARY      then commands on standard input:
  step [region|nested] [dropout] [free_rng] [heap]
"""
import sys

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from step import Meter, answer_commands, measure_step

GROUPS, LAYERS_PER_GROUP = 40, 50
SEED = 1234


class TinyLayers:
    def __init__(self, meter):
        self.meter = meter
        self.x = torch.arange(16, dtype=torch.float).reshape(4, 4).div(16).requires_grad_()
        self.w = torch.eye(4).mul(0.5).add(0.125).requires_grad_()
        self.x.grad, self.w.grad = torch.zeros_like(self.x), torch.zeros_like(self.w)

    def step(self, words):
        self.is_region = "region" in words or "nested" in words
        self.is_nested = "nested" in words
        self.has_dropout = "dropout" in words
        self.preserves_rng = "free_rng" not in words
        self.x.grad.zero_()
        self.w.grad.zero_()
        torch.manual_seed(SEED)
        answer = measure_step(self.meter, self.forward, "heap" in words)
        answer["gradient"] = self.w.grad.sum().item() + self.x.grad.sum().item()
        return answer

    def forward(self):
        x = self.x
        for _ in range(GROUPS):
            x = self.checkpoint(self.group, x) if self.is_nested else self.group(x)
        return x.sum()

    def group(self, x):
        for _ in range(LAYERS_PER_GROUP):
            x = self.checkpoint(self.layer, x) if self.is_region else self.layer(x)
        return x

    def layer(self, x):
        y = x.mm(self.w).tanh()
        return F.dropout(y, 0.1, True) if self.has_dropout else y

    def checkpoint(self, function, x):
        return checkpoint(function, x, use_reentrant=False, preserve_rng_state=self.preserves_rng)


if __name__ == "__main__":
    answer_commands(TinyLayers(Meter(sys.argv[1])).step)
