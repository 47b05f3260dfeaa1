# SPDX-License-Identifier: Apache-2.0
"""The Python side of bench/trained_model.h: a model with one batch, whose steps all begin in the same
state, and whose results are compared with those of the other side."""
import torch

from step import measure_step

SEED = 1234


def load(path):
    # Dictionaries from C++ carry a type tag that weights_only does not know; the file is the bench's own.
    return torch.load(path, weights_only=False)


def same_bits(a, b):
    return (a.dtype == b.dtype and a.shape == b.shape and
            torch.equal(a.reshape(-1).view(torch.uint8), b.reshape(-1).view(torch.uint8)))


class TrainedModel:
    def __init__(self, meter, model):
        self.meter, self.model = meter, model
        self.expected = {}
        for parameter in model.parameters():
            parameter.grad = torch.zeros_like(parameter)

    def load_model(self, path):
        tensors = load(path)
        self.input, self.target = tensors.pop("batch.input"), tensors.pop("batch.target")
        self.model.load_state_dict(tensors)  # strict: the same names, all of them
        self.first_buffers = [buffer.clone() for buffer in self.model.buffers()]
        return {"parameters": len(list(self.model.parameters()))}

    def load_results(self, path):
        """What the other side computed: steps are compared with that."""
        self.expected = load(path)
        if self.expected.keys() != (self.gradients() | self.buffers()).keys():
            raise ValueError("TrainedModel: the two models have different parameters or buffers")

    def step(self, loss):
        """loss(model, input, target), once, and backward."""
        for parameter in self.model.parameters():
            parameter.grad.zero_()
        for buffer, first in zip(self.model.buffers(), self.first_buffers):
            buffer.copy_(first)
        torch.manual_seed(SEED)
        return measure_step(self.meter, lambda: loss(self.model, self.input, self.target))

    def gradients(self):
        return {name: parameter.grad for name, parameter in self.model.named_parameters()}

    def buffers(self):
        return dict(self.model.named_buffers())

    def compare(self):
        """`difference` is the largest one of an element of a gradient, in units of the largest
        element of that gradient."""
        def equal(tensors):
            return sum(same_bits(tensor, self.expected[name]) for name, tensor in tensors.items())

        gradients, buffers = self.gradients(), self.buffers()
        return {"gradients": len(gradients), "equal_gradients": equal(gradients),
                "buffers_equal": equal(buffers) == len(buffers),
                "difference": max(relative_difference(tensor, self.expected[name])
                                  for name, tensor in gradients.items())}


def relative_difference(tensor, expected):
    largest = float(expected.abs().max())
    return float((tensor - expected).abs().max()) / largest if largest else 0.0
