# SPDX-License-Identifier: Apache-2.0
"""The Python side of the GPT comparison: the model of bench/gpt_step.cpp.

  gpt_step.py METER_LIBRARY     then commands on standard input:
  model FILE              loads parameters and batch
  step [block] [eval]     one step: torch.utils.checkpoint per block, or plain; eval: dropout off
  results FILE            compares the gradients of the last step with those in FILE
"""
import sys

from torch.utils.checkpoint import checkpoint

from step import Meter, answer_commands
from trained_model import TrainedModel
from twins import Gpt, plainly


def checkpointed(block, *args):
    return checkpoint(block, *args, use_reentrant=False)


class GptSteps:
    def __init__(self, meter):
        self.gpt = TrainedModel(meter, Gpt(layers=12, dim=384, heads=6, context=256))

    def answer(self, words):
        if words[0] == "step":
            self.gpt.model.train("eval" not in words)
            call = checkpointed if "block" in words else plainly
            return self.gpt.step(lambda model, tokens, targets: model.loss(tokens, targets, call))
        if words[0] == "model":
            return self.gpt.load_model(words[1])
        if words[0] == "results":
            self.gpt.load_results(words[1])
            return self.gpt.compare()
        raise ValueError(f"gpt_step: expected model, step or results, got {words[0]}")


if __name__ == "__main__":
    answer_commands(GptSteps(Meter(sys.argv[1])).answer)
