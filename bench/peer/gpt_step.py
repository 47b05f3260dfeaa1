# SPDX-License-Identifier: Apache-2.0
"""The Python side of the GPT comparison: the model of bench/gpt_step.cpp, line for line.

  gpt_step.py METER_LIBRARY     then commands on standard input:
  model FILE              loads parameters and batch
  step [block] [eval]     one step: torch.utils.checkpoint per block, or plain; eval: dropout off
  gradients FILE          compares the gradients of the last step with those in FILE
"""
import math
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from step import Meter, answer_commands, measure_step

LAYERS, DIM, HEADS, TOKENS, VOCABULARY, DROPOUT = 12, 384, 6, 256, 256, 0.1
SEED = 1234


def load(path):
    # Dictionaries from C++ carry a type tag that weights_only does not know; the file is the bench's own.
    return torch.load(path, weights_only=False)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(DIM), nn.LayerNorm(DIM)
        self.qkv, self.proj = nn.Linear(DIM, 3 * DIM), nn.Linear(DIM, DIM)
        self.fc, self.out = nn.Linear(DIM, 4 * DIM), nn.Linear(4 * DIM, DIM)

    def attention(self, x, mask):
        B, T, C = x.shape
        q, k, v = (part.view(B, T, HEADS, C // HEADS).transpose(1, 2)
                   for part in self.qkv(self.ln1(x)).split(C, 2))
        scores = q @ k.transpose(-2, -1) * (1.0 / math.sqrt(C // HEADS))
        scores = scores.masked_fill(mask, -math.inf)
        scores = F.softmax(scores, -1)
        scores = F.dropout(scores, DROPOUT, self.training)
        y = (scores @ v).transpose(1, 2).reshape(B, T, C)
        return F.dropout(self.proj(y), DROPOUT, self.training)

    def feed_forward(self, x):
        return F.dropout(self.out(F.gelu(self.fc(self.ln2(x)))), DROPOUT, self.training)

    def forward(self, h, mask):
        x = h + self.attention(h, mask)
        return x + self.feed_forward(x)


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(VOCABULARY, DIM), nn.Embedding(TOKENS, DIM)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.lnf, self.head = nn.LayerNorm(DIM), nn.Linear(DIM, VOCABULARY, bias=False)
        self.causal = torch.ones(TOKENS, TOKENS, dtype=torch.bool).triu(1)

    def loss(self, tokens, targets, checkpoints_blocks):
        h = self.tok(tokens) + self.pos.weight[: tokens.shape[1]]
        for block in self.blocks:
            if checkpoints_blocks:
                h = checkpoint(block, h, self.causal, use_reentrant=False)
            else:
                h = block(h, self.causal)
        return F.cross_entropy(self.head(self.lnf(h)).flatten(0, 1), targets.flatten())


class GptSteps:
    def __init__(self, meter):
        self.meter = meter
        self.model = Gpt()
        for parameter in self.model.parameters():
            parameter.grad = torch.zeros_like(parameter)

    def answer(self, words):
        if words[0] == "step":
            return self.step("block" in words, "eval" in words)
        if words[0] == "model":
            return self.load(words[1])
        if words[0] == "gradients":
            return self.compare_gradients(words[1])
        raise ValueError(f"gpt_step: expected model, step or gradients, got {words[0]}")

    def step(self, checkpoints_blocks, is_evaluation):
        self.model.train(not is_evaluation)
        for parameter in self.model.parameters():
            parameter.grad.zero_()
        torch.manual_seed(SEED)
        return measure_step(self.meter, lambda: self.model.loss(self.tokens, self.targets,
                                                                checkpoints_blocks))

    def load(self, path):
        tensors = load(path)
        self.tokens, self.targets = tensors.pop("batch.tokens"), tensors.pop("batch.targets")
        self.model.load_state_dict(tensors)  # strict: the same names, all of them
        return {"parameters": len(tensors)}

    def compare_gradients(self, path):
        theirs = load(path)
        ours = {name: parameter.grad for name, parameter in self.model.named_parameters()}
        if theirs.keys() != ours.keys():
            raise ValueError("gpt_step: the two models have different parameters")
        return {"tensors": len(ours),
                "equal": sum(torch.equal(ours[name], theirs[name]) for name in ours),
                "largest_difference": max(float((ours[name] - theirs[name]).abs().max())
                                          for name in ours),
                "largest_gradient": max(float(ours[name].abs().max()) for name in ours)}


if __name__ == "__main__":
    answer_commands(GptSteps(Meter(sys.argv[1])).answer)
