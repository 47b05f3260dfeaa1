# SPDX-License-Identifier: Apache-2.0
"""Locks of ours and the interpreter's, scopes that end elsewhere, and calls out of our own work."""

import subprocess
import sys
import textwrap
import threading

import pytest
import reprise
import torch
from helpers import differences, plain_and_budgeted, train_step
from torch import nn

X = torch.randn(256, 64)


def mlp(depth: int = 8) -> nn.Module:
    return nn.Sequential(*(nn.Sequential(nn.Linear(64, 64), nn.GELU()) for _ in range(depth)))


def step(model: nn.Module) -> torch.Tensor:
    return model(X).square().mean()


# In each, a thread drops nodes of a graph, with the interpreter's lock, while another is in a
# function that was called under a lock of ours.
HANDING_OVER = """
    import threading, time
    import reprise, torch

    nodes, called = [], threading.Event()

    def drop():
        called.wait()
        nodes.clear()

    dropper = threading.Thread(target=drop)
    dropper.start()

    def hand_over():
        if nodes and not called.is_set():
            called.set()
            time.sleep(0.3)

    x = torch.randn(8, requires_grad=True)
"""
RERUN = """
    def function(x):
        branch = x.sin().exp().cos()
        if reprise.is_recomputing():
            hand_over()
        else:
            nodes.append(branch.grad_fn)
        return x.sin().exp()

    reprise.checkpoint(function, x, recompute="rerun").sum().backward()
"""
POLICY = """
    def policy(ctx, op, *args, **kwargs):
        hand_over()
        return False

    def function(x):
        nodes.append(x.sin().exp().grad_fn)
        return x.cos().sin()

    reprise.checkpoint(function, x, policy=policy).sum().backward()
"""


@pytest.mark.parametrize("work", [RERUN, POLICY], ids=["rerun", "policy"])
def test_dropping_a_graph_elsewhere_does_not_hang(work):
    script = textwrap.dedent(HANDING_OVER) + textwrap.dedent(work) + "\ndropper.join()\n"
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def in_thread(work):
    caught = []

    def run():
        try:
            work()
        except BaseException as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return caught


def test_a_step_is_left_on_the_thread_that_entered_it():
    budget = reprise.MemoryBudget("70%", hard=False)
    scope = budget.step()
    scope.__enter__()
    (error,) = in_thread(lambda: scope.__exit__(None, None, None))
    assert "on the thread that entered it" in str(error)
    scope.__exit__(None, None, None)
    assert differences(plain_and_budgeted(mlp(), step, budget)) == [[], [], []]


def test_scopes_need_not_end_in_the_order_of_a_stack():
    budget = reprise.MemoryBudget("70%", hard=False)
    scope = budget.step()

    def function(x):
        scope.__exit__(None, None, None)
        return x.sin()

    scope.__enter__()
    x = torch.ones(4, requires_grad=True)
    reprise.checkpoint(function, x).sum().backward()
    assert torch.equal(x.grad, x.detach().cos())
    x.exp().sum().backward()


def test_progress_may_train_another_model():
    other = mlp(2)
    expected = train_step(other, step)
    failures = []

    def progress(*_):
        failures.extend(expected.differences(train_step(other, step)))

    budget = reprise.MemoryBudget("60%", progress=progress)
    torch.manual_seed(0)
    model = mlp()
    model_expected = train_step(model, step)
    for _ in range(3):
        model.zero_grad(set_to_none=True)
        with budget.step():
            loss = step(model)
            loss.backward()
        assert all(
            torch.equal(each.grad, model_expected.gradients[name])
            for name, each in model.named_parameters()
        )
        del loss
    assert failures == []
    assert budget.report().last.replayed_ops > 0
