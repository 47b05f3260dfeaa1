# SPDX-License-Identifier: Apache-2.0
"""What torch.utils.checkpoint documents, asked of PyTorch and of both of our mechanisms.

Where answers differ, the test has the answer of each and says why.
"""

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import pytest
import reprise
import torch
from torch import nn
from torch.utils.checkpoint import (
    CheckpointError,
    CheckpointPolicy,
    create_selective_checkpoint_contexts,
    set_checkpoint_early_stop,
)

TORCH = functools.partial(torch.utils.checkpoint.checkpoint, use_reentrant=False)
REPLAY = functools.partial(reprise.checkpoint, recompute="replay")
RERUN = functools.partial(reprise.checkpoint, recompute="rerun")
ALL = {"torch": TORCH, "replay": REPLAY, "rerun": RERUN}


@dataclass(frozen=True)
class Side:
    name: str
    checkpoint: Callable


@pytest.fixture(params=ALL)
def side(request):
    return Side(request.param, ALL[request.param])


def leaf(*shape):
    return torch.randn(*shape, requires_grad=True)


# Gradients.
def test_gradients_are_those_of_a_direct_call(side):
    x, w = leaf(4, 4), leaf(4, 4)

    def function(x):
        return (x @ w).sin().exp()

    expected = torch.autograd.grad(function(x).sum(), (x, w))
    got = torch.autograd.grad(side.checkpoint(function, x).sum(), (x, w))
    assert all(map(torch.equal, expected, got))


def test_no_input_has_to_require_grad(side):
    w = leaf(4)
    side.checkpoint(lambda x: (x * w).sin(), torch.ones(4)).sum().backward()
    assert torch.equal(w.grad, torch.cos(w.detach()))


def test_nothing_happens_without_grad(side):
    calls = []
    with torch.no_grad():
        y = side.checkpoint(lambda x: calls.append(None) or x.sin(), leaf(4))
    assert not y.requires_grad
    assert len(calls) == 1


def test_tensors_detached_inside_get_no_gradient(side):
    x = leaf(4)
    y = side.checkpoint(lambda x: x.sin() * x.detach().cos(), x)
    (got,) = torch.autograd.grad(y.sum(), x)
    assert torch.equal(got, x.detach().cos() * x.detach().cos())


def test_structures_of_tensors_take_part(side):
    x = leaf(4)
    out = side.checkpoint(lambda parts: {"y": [parts["x"].sin()]}, {"x": x})
    (got,) = torch.autograd.grad(out["y"][0].sum(), x)
    assert torch.equal(got, x.detach().cos())


def test_keyword_arguments_and_values_that_are_no_tensors(side):
    x = leaf(4)
    y = side.checkpoint(lambda x, factor, *, name: x.sin() * factor, x, 3, name="n")
    (got,) = torch.autograd.grad(y.sum(), x)
    assert torch.equal(got, x.detach().cos() * 3)


def test_backward_may_be_asked_for_some_inputs_only(side):
    x, w = leaf(4), leaf(4)
    y = side.checkpoint(lambda x, w: (x * w).exp() * x.sin(), x, w)
    y.sum().backward(inputs=[w])
    assert x.grad is None
    expected = torch.autograd.grad(((x * w).exp() * x.sin()).sum(), w)[0]
    assert torch.equal(w.grad, expected)


def test_double_backward(side):
    x = leaf(4)
    y = side.checkpoint(lambda x: x.sin() * x, x)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    z = x.sin() * x
    (first,) = torch.autograd.grad(z.sum(), x, create_graph=True)
    assert torch.equal(second, torch.autograd.grad(first.sum(), x)[0])


def test_backward_inside_of_the_function(side):
    x = leaf(4)

    def function(x):
        (grad,) = torch.autograd.grad(x.sin().sum(), x, create_graph=True)
        return grad * x.exp()

    (expected,) = torch.autograd.grad(function(x).sum(), x)
    (got,) = torch.autograd.grad(side.checkpoint(function, x).sum(), x)
    assert torch.equal(got, expected)


def test_hooks_on_tensors_of_the_region_run_once_per_backward(side):
    grads = []
    x = leaf(4)

    def function(x):
        h = x.sin()
        h.register_hook(grads.append)
        return h.exp()

    side.checkpoint(function, x).sum().backward()
    assert len(grads) == 1
    grads.clear()


# How often the function runs.
def counted(side, backwards=1, **options):
    calls = []
    x = leaf(4)

    def function(x):
        calls.append(None)
        return x.sin().exp()

    y = side.checkpoint(function, x, **options).sum()
    for _ in range(backwards):
        y.backward(retain_graph=True)
    return len(calls)


def test_the_function_runs_again_in_each_backward_but_not_in_a_replay(side):
    assert counted(side) == {"torch": 2, "rerun": 2, "replay": 1}[side.name]
    assert counted(side, backwards=2) == {"torch": 3, "rerun": 3, "replay": 1}[side.name]


def stages_run(side, **options):
    """How many of three stages run in all; the last one saves nothing that backward needs."""
    ran = []
    x = leaf(4)

    def function(x):
        ran.append(1)
        h = x.sin()
        ran.append(2)
        h = h.exp()
        ran.append(3)
        return h * 2

    side.checkpoint(function, x, **options).sum().backward()
    return len(ran)


def test_a_rerun_stops_early(side):
    # PyTorch and we stop within the second stage, where the last tensor is saved.
    assert stages_run(side) == {"torch": 5, "rerun": 5, "replay": 3}[side.name]
    assert stages_run(side, early_stop=False) == {"torch": 6, "rerun": 6, "replay": 3}[side.name]


def test_early_stop_can_be_switched_off_for_all(side):
    with set_checkpoint_early_stop(False):
        assert stages_run(side) == {"torch": 6, "rerun": 6, "replay": 3}[side.name]


def test_nested_regions(side):
    runs = {"outer": 0, "inner": 0}
    x = leaf(4)

    def inner(x):
        runs["inner"] += 1
        return x.sin().exp()

    def outer(x):
        runs["outer"] += 1
        return side.checkpoint(inner, x.cos()).tanh()

    (got,) = torch.autograd.grad(side.checkpoint(outer, x).sum(), x)
    (expected,) = torch.autograd.grad(inner(x.cos()).tanh().sum(), x)
    assert torch.equal(got, expected)
    # Once in forward; of reruns, the outer one runs the inner region, and that reruns itself.
    assert runs["outer"] == {"torch": 2, "rerun": 2, "replay": 1}[side.name]
    assert runs["inner"] == {"torch": 4, "rerun": 4, "replay": 2}[side.name]


# Random numbers and state.
def test_random_numbers_are_drawn_again(side):
    x = leaf(64)
    y = side.checkpoint(lambda x: nn.functional.dropout(x.sin(), 0.5), x)
    (got,) = torch.autograd.grad(y.sum(), x)
    assert torch.equal((got == 0), (y.detach() == 0))


def test_random_state_after_backward_is_that_of_plain_training(side):
    x = leaf(64)

    def after(call):
        torch.manual_seed(3)
        call(lambda x: nn.functional.dropout(x.sin(), 0.5).exp(), x).sum().backward()
        return torch.get_rng_state()

    assert torch.equal(after(side.checkpoint), after(lambda function, x: function(x)))


def test_random_numbers_where_their_state_is_not_preserved(side):
    def masks(**options):
        torch.manual_seed(3)
        x = torch.ones(4096, requires_grad=True)
        y = side.checkpoint(lambda x: nn.functional.dropout(x * 2, 0.5).square(), x, **options)
        torch.rand(7)
        y.sum().backward()
        return torch.equal(x.grad == 0, y.detach() == 0)

    assert masks(preserve_rng_state=True)
    # A replay cannot be asked to be wrong.
    assert masks(preserve_rng_state=False) == (side.name == "replay")


def test_statistics_of_batch_norm(side):
    norm, expected = nn.BatchNorm1d(8), nn.BatchNorm1d(8)
    x = leaf(16, 8)
    expected(x)
    side.checkpoint(lambda x: norm(x).square(), x).sum().backward()
    # PyTorch moves them in forward and once more in the rerun.
    is_right = torch.equal(norm.running_mean, expected.running_mean)
    assert is_right == (side.name != "torch")
    assert int(norm.num_batches_tracked) == {"torch": 2, "rerun": 1, "replay": 1}[side.name]


def test_autocast_is_that_of_forward(side):
    layer = nn.Linear(8, 8)
    x = leaf(4, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = side.checkpoint(lambda x: layer(x).square(), x)
    y.sum().backward()
    got = x.grad.clone()
    x.grad = None
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = layer(x).square()
    y.sum().backward()
    assert torch.equal(got, x.grad)


# Functions that do not do the same again.
def shrinking():
    runs = []

    def function(x):
        runs.append(None)
        return x[: 5 - len(runs)].sin().exp()

    return function


def test_other_shapes_in_the_rerun_are_an_error(side):
    y = side.checkpoint(shrinking(), leaf(4)).sum()
    if side.name == "replay":  # which does not call the function again
        y.backward()
        return
    with pytest.raises(CheckpointError) as error:
        y.backward()
    text = {"torch": "have different metadata", "rerun": "saved [4] Float cpu"}[side.name]
    assert text in str(error.value)
    del error


def test_another_number_of_values_in_the_rerun_is_an_error(side):
    runs = []

    def function(x):
        runs.append(None)
        return x.sin() if len(runs) > 1 else x.sin().exp()

    y = side.checkpoint(function, leaf(4)).sum()
    if side.name == "replay":
        y.backward()
        return
    with pytest.raises(CheckpointError):
        y.backward()


def test_the_check_can_be_switched_off(side):
    y = side.checkpoint(shrinking(), leaf(4), determinism_check="none")
    if side.name == "replay":
        y.sum().backward()
    else:
        with pytest.raises(RuntimeError):  # of the formula that gets the wrong shape
            y.sum().backward()


def test_unknown_checks_are_refused(side):
    with pytest.raises(ValueError, match="determinism_check"):
        side.checkpoint(torch.sin, leaf(4), determinism_check="all")


def test_debug_names_the_ops_of_both_runs(side):
    runs = []

    def function(x):
        runs.append(None)
        return x.sin().exp() if len(runs) == 1 else x.sin().view(2, 2).exp()

    y = side.checkpoint(function, leaf(4), debug=True).sum()
    if side.name == "replay":
        y.backward()
        return
    with pytest.raises(CheckpointError) as error:
        y.backward()
    assert "aten" in str(error.value) and "view" in str(error.value)
    del error


# Changes in place.
def test_an_input_that_is_changed_after_forward(side):
    x = leaf(4)
    h = x * 2
    y = side.checkpoint(torch.sin, h)
    h.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_an_input_that_the_function_changes(side):
    def function(h):
        return h.mul_(2).sin().exp()

    x = leaf(4)
    y = side.checkpoint(function, x * 1)
    plain = leaf(4)
    plain.data.copy_(x.data)
    function(plain * 1).sum().backward()
    if side.name == "torch":  # which has only the changed input, and multiplies it once more
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()
        return
    y.sum().backward()
    assert torch.equal(x.grad, plain.grad)


# Contexts and policies.
def test_contexts_are_entered_for_both_runs(side):
    entered = []

    class Context:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            entered.append(self.name)

        def __exit__(self, *_):
            pass

    side.checkpoint(
        torch.sin, leaf(4), context_fn=lambda: (Context("forward"), Context("again"))
    ).sum().backward()
    assert entered == {
        "torch": ["forward", "again"],
        "rerun": ["forward", "again"],
        "replay": ["forward"],  # asked for in so many words; by default contexts mean a rerun
    }[side.name]


def selective():
    def policy(ctx, op, *args, **kwargs):
        saved = op in (torch.ops.aten.mm.default,)
        return CheckpointPolicy.MUST_SAVE if saved else CheckpointPolicy.PREFER_RECOMPUTE

    return functools.partial(create_selective_checkpoint_contexts, policy)


@pytest.mark.parametrize("name", ["torch", "replay"])
def test_selective_policies(name):
    x, w = leaf(4, 4), leaf(4, 4)

    def function(x, w):
        return (x @ w).sin() @ w

    y = ALL[name](function, x, w, context_fn=selective())
    got = torch.autograd.grad(y.sum(), (x, w), retain_graph=True)
    assert all(map(torch.equal, got, torch.autograd.grad(function(x, w).sum(), (x, w))))
    if name == "torch":
        with pytest.raises(RuntimeError, match="backward an extra time"):
            torch.autograd.grad(y.sum(), (x, w))
    else:
        again = torch.autograd.grad(y.sum(), (x, w))
        assert all(map(torch.equal, got, again))


# Arguments.
def test_use_reentrant_that_is_not_given():
    x = leaf(4)
    with pytest.warns(UserWarning, match="use_reentrant"):
        torch.utils.checkpoint.checkpoint(torch.sin, x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reprise.checkpoint(torch.sin, x)


def test_graphs_may_be_dropped(side):
    y = side.checkpoint(lambda x: x.sin().exp(), leaf(4))
    del y


def test_an_exception_of_the_function(side):
    def failing(x):
        x.sin()
        raise LookupError("in forward")

    with pytest.raises(LookupError, match="in forward"):
        side.checkpoint(failing, leaf(4))
