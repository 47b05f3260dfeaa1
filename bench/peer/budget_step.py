# SPDX-License-Identifier: Apache-2.0
"""The Python side of the comparison of budgets: the twins of the models of bench/budget_step.cpp.

  budget_step.py METER_LIBRARY     then commands on standard input:
  make NAME [KEY=VALUE...]    the model; image_size and batch are the other side's affair
  model FILE                  loads parameters, buffers and batch
  results FILE                loads what later steps are compared with
  step ARM                    plain, block, sequential, selective: see ARMS
  step compiled BACKEND BUDGET   torch.compile at that activation_memory_budget
"""
import math
import sys

import torch
from torch.utils.checkpoint import (CheckpointPolicy, checkpoint, checkpoint_sequential,
                                    create_selective_checkpoint_contexts)

from step import Meter, answer_commands
from trained_model import TrainedModel
from twins import TWINS

OF_THE_DATA = ("image_size", "batch")

# What a selective checkpoint keeps, as its documentation recommends: results of the ops that compute
# most. All others are recomputed.
SAVED = {torch.ops.aten.mm.default, torch.ops.aten.addmm.default, torch.ops.aten.bmm.default,
         torch.ops.aten.baddbmm.default, torch.ops.aten.convolution.default,
         torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default}


def policy(context, op, *args, **kwargs):
    return CheckpointPolicy.MUST_SAVE if op in SAVED else CheckpointPolicy.PREFER_RECOMPUTE


def plain(model, inputs, target):
    return model.loss(inputs, target)


def block(model, inputs, target):
    return model.loss(inputs, target,
                      lambda unit, *args: checkpoint(unit, *args, use_reentrant=False))


def segments(model):
    return max(2, round(math.sqrt(len(model.stages()))))


def sequential(model, inputs, target):
    h = checkpoint_sequential(model.stages(), segments(model), model.before(inputs),
                              use_reentrant=False)
    return model.after(h, target)


def selective(model, inputs, target):
    def contexts():
        return create_selective_checkpoint_contexts(policy)
    return model.loss(inputs, target, lambda unit, *args: checkpoint(
        unit, *args, use_reentrant=False, context_fn=contexts))


ARMS = {"plain": plain, "block": block, "sequential": sequential, "selective": selective}


def compiled(backend, budget):
    """A function of its own, so that each budget has its own compiled code."""
    import torch._functorch.config as functorch
    import torch._inductor.config as inductor
    inductor.fallback_random = True  # the random numbers of eager mode
    namespace = {}
    exec("def step(model, inputs, target):\n  return model.loss(inputs, target)\n", namespace)
    run = torch.compile(namespace["step"], backend=backend)

    def step(model, inputs, target):
        with functorch.patch(activation_memory_budget=budget):
            return run(model, inputs, target)
    return step


class BudgetSteps:
    def __init__(self, meter):
        self.meter = meter
        self.compiled = {}

    def answer(self, words):
        if words[0] == "make":
            sizes = dict(word.split("=") for word in words[2:])
            sizes = {key: int(value) for key, value in sizes.items() if key not in OF_THE_DATA}
            self.trained = TrainedModel(self.meter, TWINS[words[1]](**sizes))
            return {"segments": segments(self.trained.model)}
        if words[0] == "model":
            return self.trained.load_model(words[1])
        if words[0] == "results":
            self.trained.load_results(words[1])
            return {}
        if words[0] == "step":
            return self.step(words[1:])
        raise ValueError(f"budget_step: expected make, model, results or step, got {words[0]}")

    def step(self, words):
        try:
            return self.trained.step(self.arm(words)) | self.trained.compare()
        except Exception as error:  # of whatever a compiler runs into
            if words[0] != "compiled":
                raise
            return {"error": f"{type(error).__name__}: {str(error).splitlines()[0]}"}

    def arm(self, words):
        if words[0] != "compiled":
            return ARMS[words[0]]
        key = tuple(words[1:])
        if key not in self.compiled:
            self.compiled[key] = compiled(words[1], float(words[2]))
        return self.compiled[key]


if __name__ == "__main__":
    answer_commands(BudgetSteps(Meter(sys.argv[1])).answer)
