# SPDX-License-Identifier: Apache-2.0
import functools
import gc

import pytest
import reprise
import torch
from helpers import Outcome, outcome_of, train_step
from torch import nn
from torch.utils.checkpoint import (
    CheckpointError,
    CheckpointPolicy,
    create_selective_checkpoint_contexts,
)

BOTH = pytest.mark.parametrize("recompute", ["replay", "rerun"])


class Blocks(nn.Module):
    """Four blocks with dropout and batch norm, which count how often they run."""

    def __init__(self, **options):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(32, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2))
            for _ in range(4)
        )
        self.options = options
        self.calls = 0

    def block(self, block, x):
        self.calls += 1
        return block(x)

    def forward(self, x):
        for block in self.blocks:
            if self.options:
                x = reprise.checkpoint(self.block, block, x, **self.options)
            else:
                x = self.block(block, x)
        return x


X = torch.randn(64, 32)


def step(model):
    return model(X).square().mean()


def plain_outcome() -> Outcome:
    torch.manual_seed(0)
    return train_step(Blocks(), step)


def checkpointed_outcome(**options) -> tuple[Outcome, Blocks]:
    torch.manual_seed(0)
    model = Blocks(**options)
    return train_step(model, step), model


@BOTH
def test_gradients_buffers_and_random_numbers_are_those_of_a_direct_call(recompute):
    stats = reprise.RegionStats()
    got, _ = checkpointed_outcome(recompute=recompute, stats=stats)
    assert plain_outcome().differences(got) == []
    assert stats.total().recomputed_ops > 0
    assert stats.total().dropped_bytes > 0


def test_a_replay_calls_the_function_once_and_a_rerun_twice():
    assert checkpointed_outcome(recompute="replay")[1].calls == 4
    assert checkpointed_outcome(recompute="rerun")[1].calls == 8


@BOTH
def test_it_takes_less_memory(recompute):
    torch.manual_seed(0)
    plain, regions = Blocks(), Blocks(recompute=recompute)
    held = []
    for model in (plain, regions):
        before = reprise.MemoryMeter()
        loss = step(model)
        held.append(before.live_bytes - before.start_bytes)
        del loss
    assert held[1] < 0.6 * held[0]


@BOTH
@pytest.mark.parametrize("use_reentrant", [None, False, True])
def test_arguments_of_pytorch_are_taken(recompute, use_reentrant):
    got, _ = checkpointed_outcome(
        recompute=recompute,
        use_reentrant=use_reentrant,
        preserve_rng_state=True,
        determinism_check="none",
        debug=False,
        early_stop=False,
    )
    assert plain_outcome().differences(got) == []


@pytest.mark.parametrize(
    "options, expected",
    [
        ({"determinism_check": "strict"}, "determinism_check"),
        ({"recompute": "again"}, "recompute"),
        ({"recompute": "rerun", "policy": [torch.ops.aten.mm.default]}, 'recompute="replay"'),
    ],
)
def test_options_without_sense_are_refused(options, expected):
    with pytest.raises(ValueError, match=expected):
        reprise.checkpoint(torch.sin, X, **options)


@BOTH
def test_arguments_of_any_kind_reach_the_function(recompute):
    def function(x, parts, *, scale, names):
        assert names == ("a", "b")
        return {"y": parts[0] * x.sin() * scale, "z": [parts[1]["w"].cos(), None]}

    tensors = [torch.randn(8, requires_grad=True) for _ in range(3)]
    x, a, w = tensors
    call = functools.partial(
        function, x, [a, {"w": w}], scale=2.0, names=("a", "b")
    )
    plain = call()
    expected = torch.autograd.grad((plain["y"] + plain["z"][0]).sum(), tensors)
    out = reprise.checkpoint(
        function, x, [a, {"w": w}], scale=2.0, names=("a", "b"), recompute=recompute
    )
    got = torch.autograd.grad((out["y"] + out["z"][0]).sum(), tensors)
    assert all(map(torch.equal, expected, got))


@BOTH
def test_regions_nest(recompute):
    def inner(x):
        return x.sin().exp()

    def outer(x):
        return reprise.checkpoint(inner, x.cos(), recompute=recompute).sqrt()

    x = torch.randn(8, requires_grad=True)
    (expected,) = torch.autograd.grad(inner(x.cos()).sqrt().sum(), x)
    (got,) = torch.autograd.grad(reprise.checkpoint(outer, x, recompute=recompute).sum(), x)
    assert torch.equal(expected, got)


@BOTH
def test_double_and_repeated_backward(recompute):
    x = torch.randn(8, dtype=torch.double, requires_grad=True)

    def function(x):
        return (x.sin() * x).exp()

    def second(y):
        (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        return torch.autograd.grad(first.sum(), x, retain_graph=True)[0]

    y = reprise.checkpoint(function, x, recompute=recompute)
    expected = second(function(x))
    assert torch.equal(second(y), expected)
    assert torch.equal(second(y), expected)


@BOTH
def test_an_error_of_the_function_reaches_the_user(recompute):
    def failing(x):
        x.sin()
        raise LookupError("from the function")

    with pytest.raises(LookupError, match="from the function"):
        reprise.checkpoint(failing, X.clone().requires_grad_(), recompute=recompute)


def test_an_error_of_a_rerun_keeps_its_type():
    runs = []

    def function(x):
        runs.append(None)
        if len(runs) == 2:
            raise LookupError("in the rerun")
        return x.sin().cos()

    x = torch.randn(4, requires_grad=True)
    y = reprise.checkpoint(function, x, recompute="rerun").sum()
    with pytest.raises(LookupError, match="in the rerun"):
        y.backward()


def test_a_rerun_that_differs_is_a_checkpoint_error():
    runs = []

    def function(x):
        runs.append(None)
        return (x[: 4 - len(runs)]).sin().cos().sum()

    x = torch.randn(4, requires_grad=True)
    y = reprise.checkpoint(function, x, recompute="rerun", region="shrinking")
    with pytest.raises(CheckpointError, match="shrinking") as error:
        y.backward()
    assert type(error.value) is reprise.ReplayMismatch
    del error


def test_an_input_that_was_changed_in_place_is_an_error():
    x = torch.randn(4, requires_grad=True)
    scale = torch.ones(4)
    y = reprise.checkpoint(lambda x: (x * scale).sin(), x)
    scale.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def save_matmuls(ctx, op, *args, **kwargs):
    return (
        CheckpointPolicy.MUST_SAVE
        if op in (torch.ops.aten.addmm.default, torch.ops.aten.mm.default)
        else CheckpointPolicy.PREFER_RECOMPUTE
    )


@pytest.mark.parametrize(
    "options",
    [
        {"policy": save_matmuls},
        {"policy": [torch.ops.aten.addmm.default]},
        {"policy": lambda ctx, op, *args, **kwargs: op is torch.ops.aten.addmm.default},
        {"context_fn": functools.partial(create_selective_checkpoint_contexts, save_matmuls)},
        {
            "context_fn": functools.partial(
                create_selective_checkpoint_contexts, [torch.ops.aten.addmm.default]
            )
        },
    ],
    ids=["function", "list", "bool", "contexts", "contexts of a list"],
)
def test_policies_keep_what_they_say(options):
    all_dropped, kept = reprise.RegionStats(), reprise.RegionStats()
    checkpointed_outcome(stats=all_dropped)
    got, model = checkpointed_outcome(stats=kept, **options)
    assert plain_outcome().differences(got) == []
    assert model.calls == 4
    assert kept.total().policy_bytes == 4 * 64 * 32 * 4
    assert kept.total().recomputed_ops == all_dropped.total().recomputed_ops - 4


def test_a_policy_sees_the_op_as_it_was_called():
    seen = []

    def policy(ctx, op, *args, **kwargs):
        assert not ctx.is_recompute
        seen.append((op, args, kwargs, ctx.op_output))
        return CheckpointPolicy.PREFER_RECOMPUTE

    x = torch.randn(4, requires_grad=True)
    y = reprise.checkpoint(lambda x: torch.add(x, 2.0, alpha=3), x, policy=policy)
    ((op, args, kwargs, output),) = seen
    assert op is torch.ops.aten.add.Tensor
    assert torch.equal(args[0], x)
    assert kwargs == {"alpha": 3}
    assert torch.equal(output, y)
    seen.clear()


def test_a_policy_sees_dtypes_layouts_and_memory_formats():
    seen = {}

    def policy(ctx, op, *args, **kwargs):
        seen[op] = kwargs
        return False

    def function(x):
        return x.to(torch.float64, memory_format=torch.channels_last).sum(dtype=torch.float32)

    reprise.checkpoint(function, torch.randn(2, 3, 4, 4, requires_grad=True), policy=policy)
    assert seen[torch.ops.aten._to_copy.default]["dtype"] is torch.float64
    assert seen[torch.ops.aten._to_copy.default]["memory_format"] is torch.channels_last
    assert seen[torch.ops.aten.sum.default]["dtype"] is torch.float32


def test_an_error_of_a_policy_reaches_the_user():
    def policy(ctx, op, *args, **kwargs):
        raise LookupError("from the policy")

    x = torch.randn(4, requires_grad=True)
    with pytest.raises(LookupError, match="from the policy"):
        reprise.checkpoint(torch.sin, x, policy=policy)
    with pytest.raises(TypeError, match="expected a CheckpointPolicy"):
        reprise.checkpoint(torch.sin, x, policy=lambda *_: "save")


def test_other_contexts_are_entered_for_both_runs():
    entered = []

    class Context:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            entered.append(self.name)

        def __exit__(self, *_):
            entered.append("left " + self.name)

    x = torch.randn(4, requires_grad=True)
    y = reprise.checkpoint(
        torch.sin, x, context_fn=lambda: (Context("forward"), Context("recompute"))
    )
    assert entered == ["forward", "left forward"]
    y.sum().backward()
    assert entered[2:] == ["recompute", "left recompute"]


@pytest.mark.parametrize("segments", [1, 2, 3, 4])
def test_checkpoint_sequential(segments):
    torch.manual_seed(0)
    model = nn.Sequential(*(nn.Sequential(nn.Linear(32, 32), nn.Dropout(0.1)) for _ in range(4)))
    expected = train_step(model, step)
    got = train_step(
        model,
        lambda model: reprise.checkpoint_sequential(model, segments, X, use_reentrant=False)
        .square()
        .mean(),
    )
    assert expected.differences(got) == []


@pytest.mark.parametrize("segments", [0, 5])
def test_checkpoint_sequential_refuses_other_numbers_of_segments(segments):
    with pytest.raises(ValueError, match="expected from 1 to 4 segments"):
        reprise.checkpoint_sequential([torch.sin] * 4, segments, X)


def test_patch_puts_ours_in_place_of_pytorchs():
    theirs = torch.utils.checkpoint.checkpoint
    with reprise.patch():
        ours = torch.utils.checkpoint.checkpoint
        assert ours.__module__ == "reprise.patching"
        with reprise.patch():
            pass
        assert torch.utils.checkpoint.checkpoint is ours
        # A keyword that PyTorch does not know is the function's.
        x = torch.ones(2, requires_grad=True)
        y = ours(lambda x, policy: x.sin() * policy, x, policy=3)
        assert torch.equal(torch.autograd.grad(y.sum(), x)[0], 3 * x.detach().cos())
    assert torch.utils.checkpoint.checkpoint is theirs


def test_discarded_outputs_come_back():
    norm, linear = nn.LayerNorm(32), nn.Linear(32, 32)
    model = nn.Sequential(norm, linear)
    expected = train_step(model, step)
    meter = reprise.MemoryMeter()
    h = reprise.discard_output(reprise.checkpoint(norm, X))
    out = linear(h)
    del h
    # The output, and what a norm without its results leaves.
    assert meter.live_bytes - meter.start_bytes < 2 * out.nbytes
    model.zero_grad(set_to_none=True)
    torch.manual_seed(1)
    loss = out.square().mean()
    loss.backward()
    assert expected.differences(outcome_of(model, loss)) == []


@BOTH
def test_graphs_that_are_never_used_are_freed(recompute):
    x = torch.randn(4, requires_grad=True)
    y = reprise.checkpoint(torch.sin, x, recompute=recompute)
    assert reprise.live_hooks() > 0
    del y
    gc.collect()
    assert reprise.live_hooks() == 0


def test_inside_of_a_step_regions_are_regions():
    model = Blocks(recompute="replay")
    expected = plain_outcome()
    torch.manual_seed(0)
    model = Blocks(recompute="replay")
    budget = reprise.MemoryBudget("90%", hard=False)
    with budget.step():
        got = train_step(model, step)
    assert expected.differences(got) == []


@BOTH
def test_a_thousand_regions_leave_nothing_behind(recompute):
    x = torch.randn(4, requires_grad=True)

    def regions(count):
        for _ in range(count):
            reprise.checkpoint(lambda x: x.sin().exp(), x, recompute=recompute).sum().backward()
        gc.collect()
        return len(gc.get_objects()), reprise.MemoryMeter().live_bytes

    before = regions(50)
    after = regions(1000)
    assert after[1] == before[1]
    assert after[0] < before[0] + 100
