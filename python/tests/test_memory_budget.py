# SPDX-License-Identifier: Apache-2.0
import gc
import json
import threading

import pytest
import reprise
import torch
from helpers import differences, plain_and_budgeted, train_step
from torch import nn
from torch.nn import functional as F


def mlp(depth: int = 8, width: int = 64) -> nn.Module:
    layers: list[nn.Module] = []
    for _ in range(depth):
        layers += [nn.Linear(width, width), nn.GELU(), nn.Dropout(0.1)]
    return nn.Sequential(*layers)


X = torch.randn(256, 64)


def step(model: nn.Module) -> torch.Tensor:
    return model(X).square().mean()


@pytest.mark.parametrize("budget", ["70%", "50%", "minimum"])
def test_gradients_are_those_of_plain_training(budget):
    budgeted = reprise.MemoryBudget(budget)
    assert differences(plain_and_budgeted(mlp(), step, budgeted)) == [[], [], []]
    last = budgeted.report().last
    assert last.replayed_ops > 0
    assert last.peak_bytes == last.predicted_peak_bytes
    assert last.peak_bytes < last.keep_all_peak_bytes


def test_a_share_is_one_of_the_plain_peak():
    budget = reprise.MemoryBudget("60%")
    plain_and_budgeted(mlp(), step, budget)
    last = budget.report().last
    assert last.limit_bytes == int(0.6 * last.keep_all_peak_bytes)
    assert last.peak_bytes <= last.limit_bytes


def test_a_total_in_bytes_holds_from_the_first_step():
    model = mlp()
    meter = reprise.MemoryMeter()
    train_step(model, step)
    plain_peak = meter.total_peak_bytes
    model.zero_grad(set_to_none=True)
    total = int(0.8 * plain_peak)
    budget = reprise.MemoryBudget(total)
    for _ in range(3):
        meter = reprise.MemoryMeter()
        with budget.step():
            train_step(model, step)
        assert meter.total_peak_bytes <= total
        model.zero_grad(set_to_none=True)


def test_text_and_numbers_say_the_same():
    for amount in (2**20, "1MiB", "1024 KiB"):
        budget = reprise.MemoryBudget(amount, above_start=True)
        plain_and_budgeted(mlp(), step, budget, steps=1)
        assert budget.report().last.limit_bytes == 2**20


@pytest.mark.parametrize(
    "amount", ["8 GiBs", "-3", 0, -1, "0%", "101%", "%", "", "minimum ever", 2**61, "nan%", "inf%"]
)
def test_amounts_without_sense_are_refused(amount):
    with pytest.raises(ValueError, match="MemoryBudget: expected"):
        reprise.MemoryBudget(amount)


@pytest.mark.parametrize("amount", [None, 1.5, True, b"8GiB"])
def test_amounts_of_other_types_are_refused(amount):
    with pytest.raises(TypeError, match="MemoryBudget: expected"):
        reprise.MemoryBudget(amount)


def test_options_are_checked():
    with pytest.raises(ValueError, match="planner"):
        reprise.MemoryBudget("50%", planner="best")
    with pytest.raises(ValueError, match="above_start"):
        reprise.MemoryBudget("50%", above_start=True)


def test_a_budget_that_no_plan_meets_is_an_error_and_nothing_is_lost():
    model = mlp()
    budget = reprise.MemoryBudget(300_000, above_start=True)
    expected = train_step(model, step)
    model.zero_grad(set_to_none=True)
    with budget.step():
        step(model).backward()
    model.zero_grad(set_to_none=True)
    with pytest.raises(reprise.BudgetError, match="expected at least") as refused:
        with budget.step():
            train_step(model, step)
    assert refused.value.minimum_bytes > 300_000
    assert expected.differences(train_step(model, step)) == []
    enough = reprise.MemoryBudget(refused.value.minimum_bytes, above_start=True)
    assert differences(plain_and_budgeted(model, step, enough)) == [[], [], []]


def test_a_soft_budget_is_met_as_well_as_can_be():
    budget = reprise.MemoryBudget(300_000, above_start=True, hard=False)
    assert differences(plain_and_budgeted(mlp(), step, budget)) == [[], [], []]
    assert budget.report().overruns > 0


def test_a_step_in_a_step_is_an_error():
    budget = reprise.MemoryBudget("50%")
    with budget.step():
        with pytest.raises(RuntimeError, match="in a step already"):
            with budget.step():
                pass
    assert differences(plain_and_budgeted(mlp(), step, budget)) == [[], [], []]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_exceptions_leave_everything_as_it_was(error):
    model = mlp()
    budget = reprise.MemoryBudget("50%")

    def failing(model):
        model[:6](X)
        raise error

    with pytest.raises(error):
        with budget.step():
            train_step(model, failing)
    assert reprise.live_hooks() == 0
    assert differences(plain_and_budgeted(model, step, budget)) == [[], [], []]


def test_progress_is_told_of_planning():
    fractions = []
    budget = reprise.MemoryBudget("50%", progress=lambda fraction, *_: fractions.append(fraction))
    plain_and_budgeted(mlp(), step, budget)
    assert fractions
    assert all(0 <= each <= 1 for each in fractions)


def test_an_error_of_progress_reaches_the_user():
    def progress(*_):
        raise KeyError("from progress")

    model = mlp()
    budget = reprise.MemoryBudget("50%", progress=progress)
    with pytest.raises(KeyError, match="from progress"):
        plain_and_budgeted(model, step, budget)


def test_labels_are_module_paths_and_scopes():
    model = nn.ModuleDict({"first": nn.Linear(64, 64), "second": nn.Linear(64, 64)})

    def labelled(model):
        h = model["first"](X).relu()
        with reprise.label("tail"):
            return model["second"](h).sigmoid().mean()

    budget = reprise.MemoryBudget("minimum")
    budget.name(model)
    for _ in range(3):
        with budget.step():
            train_step(model, labelled)
    labels = {each.label for each in budget.report().values}
    assert labels == {"first", "tail"}


def test_the_report_is_text_and_data():
    budget = reprise.MemoryBudget("50%")
    plain_and_budgeted(mlp(), step, budget)
    report = budget.report()
    assert "peak" in str(report)
    data = json.loads(json.dumps(report.to_dict()))
    assert data["last"]["peak_bytes"] == report.last.peak_bytes
    assert {each["action"] for each in data["values"]} == {"kept", "recomputed"}
    assert len(report.values_text().splitlines()) >= len(data["values"])


def test_the_report_can_be_drawn():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    budget = reprise.MemoryBudget("50%")
    assert budget.report().plot().get_title()  # of nothing
    plain_and_budgeted(mlp(), step, budget)
    report = budget.report()
    axes = report.plot()
    heights = sorted(patch.get_height() for patch in axes.patches)
    assert heights == sorted(each.bytes / 2**20 for each in report.values)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["kept", "recomputed"]
    matplotlib.pyplot.close("all")


def test_programs_and_schedules_are_files(tmp_path):
    budget = reprise.MemoryBudget("50%")
    with pytest.raises(RuntimeError, match="expected a step with a program"):
        budget.save_program(tmp_path / "program.json")
    model = mlp()
    plain_and_budgeted(model, step, budget)
    budget.save_program(tmp_path / "program.json")
    budget.save_schedule(tmp_path / "schedule.json")
    assert json.loads((tmp_path / "program.json").read_text())["format"] == "reprise.program"
    again = reprise.MemoryBudget("50%", schedule=tmp_path / "schedule.json")
    assert differences(plain_and_budgeted(model, step, again)) == [[], [], []]
    assert again.report().plans == 0


def test_plans_are_saved_and_loaded(tmp_path):
    model = mlp()
    budget = reprise.MemoryBudget("50%")
    plain_and_budgeted(model, step, budget)
    assert budget.report().plans > 0
    budget.save(tmp_path / "plans.json")

    again = reprise.MemoryBudget("50%")
    again.load(tmp_path / "plans.json")
    assert differences(plain_and_budgeted(model, step, again)) == [[], [], []]
    assert again.report().plans == 0
    assert again.report().last.replayed_ops == budget.report().last.replayed_ops

    other = reprise.MemoryBudget("70%")
    other.load(tmp_path / "plans.json")
    assert differences(plain_and_budgeted(model, step, other)) == [[], [], []]
    assert other.report().plans > 0


def test_plans_of_the_minimum_are_those_of_the_minimum(tmp_path):
    model = mlp()
    budget = reprise.MemoryBudget("minimum")
    plain_and_budgeted(model, step, budget)
    budget.save(tmp_path / "plans.json")
    again = reprise.MemoryBudget("minimum")
    again.load(tmp_path / "plans.json")
    plain_and_budgeted(model, step, again)
    assert again.report().plans == 0
    assert again.report().last.peak_bytes == budget.report().last.peak_bytes


@pytest.mark.parametrize(
    "text, expected",
    [
        ("{", "expected JSON"),
        ("[]", '"format": "reprise.plans"'),
        ('{"format": "reprise.plans", "version": 2}', '"version": 1'),
        ('{"format": "reprise.plans", "version": 1}', "schedules: expected a list"),
        ('{"format": "reprise.plans", "version": 1, "schedules": [3]}', r"schedules\[0\]"),
    ],
)
def test_files_that_are_no_plans_are_refused(tmp_path, text, expected):
    (tmp_path / "plans.json").write_text(text)
    with pytest.raises(reprise.FormatError, match=expected):
        reprise.MemoryBudget("50%").load(tmp_path / "plans.json")


def test_a_file_that_is_no_schedule_is_refused(tmp_path):
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(reprise.FormatError, match="broken.json"):
        reprise.MemoryBudget("50%", schedule=tmp_path / "broken.json")


def test_check_names_the_op_that_cannot_be_replayed():
    calls = []

    @torch.library.custom_op("reprise_tests::counting", mutates_args=())
    def counting(x: torch.Tensor) -> torch.Tensor:
        calls.append(None)
        return x + len(calls)

    counting.register_autograd(lambda ctx, grad: grad)
    weight = nn.Linear(64, 64)
    budget = reprise.MemoryBudget("50%", check=True)
    with pytest.raises(reprise.OpMismatch, match="reprise_tests::counting"):
        with budget.step():
            counting(weight(X)).sigmoid().sum().backward()


def test_hooks_that_are_pushed_inside_of_a_step_come_first():
    model = mlp(2)
    packed = []
    budget = reprise.MemoryBudget("50%", hard=False)

    def with_hooks(model):
        h = model[:3](X)
        with torch.autograd.graph.saved_tensors_hooks(
            lambda x: packed.append(x.shape) or x, lambda x: x
        ):
            return model[3:](h).square().mean()

    assert differences(plain_and_budgeted(model, with_hooks, budget)) == [[], [], []]
    assert len(packed) % 6 == 0 and packed


def test_hooks_may_be_disabled_inside_of_a_step():
    def without_hooks(model):
        with torch.autograd.graph.disable_saved_tensors_hooks("none here"):
            h = model[:3](X)
        return model[3:](h).square().mean()

    budget = reprise.MemoryBudget("70%")
    assert differences(plain_and_budgeted(mlp(), without_hooks, budget)) == [[], [], []]


def test_func_grad_works_inside_of_a_step():
    weight = nn.Parameter(torch.randn(64, 64))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = weight

        def forward(self, x):
            inner = torch.func.grad(lambda y: y.sin().sum())(x)
            return (inner @ self.weight).tanh()

    budget = reprise.MemoryBudget("70%", hard=False)
    outcomes = plain_and_budgeted(Model(), lambda model: model(X).sum(), budget)
    assert differences(outcomes) == [[], [], []]


def test_a_fused_optimizer_between_forward_and_backward_is_an_error():
    model = mlp(2)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    train_step(model, step)
    budget = reprise.MemoryBudget("minimum")
    with budget.step():
        loss = step(model)
        optimizer.step()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
        del loss
    train_step(model, step)
    optimizer.step()


def test_autocast_and_gradient_accumulation():
    def accumulated(model):
        total = torch.zeros(())
        for part in X.chunk(4):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = model(part).float().square().mean() / 4
            loss.backward(retain_graph=False)
            total = total + loss.detach()
        return total.requires_grad_()

    budget = reprise.MemoryBudget("50%")
    assert differences(plain_and_budgeted(mlp(), accumulated, budget)) == [[], [], []]
    assert budget.report().last.replayed_ops > 0


def test_double_backward():
    def penalised(model):
        x = X.clone().requires_grad_()
        (grad,) = torch.autograd.grad(model(x).square().mean(), x, create_graph=True)
        return grad.square().sum()

    budget = reprise.MemoryBudget("50%", hard=False)
    model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64), nn.Sigmoid())
    assert differences(plain_and_budgeted(model, penalised, budget)) == [[], [], []]


def test_custom_functions_of_python():
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * x
            ctx.save_for_backward(x, y)
            return y * x

        @staticmethod
        def backward(ctx, grad):
            x, y = ctx.saved_tensors
            return grad * (2 * y + x * x)

    model = nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 64))

    def cubed(model):
        return Cube.apply(Cube.apply(model[1](Cube.apply(model[0](X))))).mean()

    budget = reprise.MemoryBudget("minimum")
    assert differences(plain_and_budgeted(model, cubed, budget)) == [[], [], []]
    assert budget.report().last.replayed_ops > 0


def objects_and_bytes() -> tuple[int, int]:
    gc.collect()
    return len(gc.get_objects()), reprise.MemoryMeter().live_bytes


def test_a_thousand_steps_leave_nothing_behind():
    model = mlp(4, 16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    budget = reprise.MemoryBudget("70%", hard=False)
    x = torch.randn(32, 16)

    def steps(count):
        for _ in range(count):
            optimizer.zero_grad()
            with budget.step():
                loss = F.mse_loss(model(x), x)
                loss.backward()
            optimizer.step()

    steps(50)
    before = objects_and_bytes()
    steps(1000)
    after = objects_and_bytes()
    assert after[1] == before[1]
    assert after[0] < before[0] + 100  # an object per step would be a thousand
    assert budget.report().steps == 1050


def test_budgets_of_two_threads_do_not_meet():
    # Without dropout: threads share the random generator of the CPU.
    models = [mlp(4).eval(), mlp(6).eval()]
    expected = [train_step(model, step) for model in models]
    failures = []

    def work(model, expected):
        budget = reprise.MemoryBudget("70%", hard=False)
        for _ in range(20):
            model.zero_grad(set_to_none=True)
            with budget.step():
                loss = step(model)
                loss.backward()
            del loss
            if any(
                not torch.equal(each.grad, expected.gradients[name])
                for name, each in model.named_parameters()
            ):
                failures.append(threading.current_thread().name)
                return

    threads = [threading.Thread(target=work, args=each) for each in zip(models, expected)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_planning_lets_other_threads_run():
    """The GIL is free while a plan is made: a thread of Python's goes on meanwhile."""
    ticks = []
    ends = threading.Event()

    def tick():
        while not ends.wait(0.001):
            ticks.append(None)

    seen = []
    model = mlp(24)
    budget = reprise.MemoryBudget("minimum", progress=lambda *_: seen.append(len(ticks)))
    thread = threading.Thread(target=tick)
    thread.start()
    plain_and_budgeted(model, step, budget)
    ends.set()
    thread.join()
    assert seen[-1] > seen[0]


def test_live_bytes_stay_constant():
    model = mlp()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    budget = reprise.MemoryBudget("50%")
    live = []
    for _ in range(20):
        optimizer.zero_grad()
        with budget.step():
            loss = F.mse_loss(model(X), X)
            loss.backward()
        optimizer.step()
        live.append(reprise.MemoryMeter().live_bytes)
    assert len(set(live[8:])) == 1
