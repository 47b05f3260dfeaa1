# SPDX-License-Identifier: Apache-2.0
import copy

import pytest
import reprise
import torch
from helpers import same_bits
from torch import nn
from torch.utils.data import DataLoader, Dataset

transformers = pytest.importorskip("transformers")


def gpt2() -> nn.Module:
    torch.manual_seed(0)
    return transformers.GPT2LMHeadModel(
        transformers.GPT2Config(vocab_size=99, n_embd=32, n_layer=3, n_head=4, n_positions=64)
    )


class Text(Dataset):
    def __init__(self):
        self.ids = torch.randint(0, 99, (24, 32), generator=torch.Generator().manual_seed(1))

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.ids[i]}


def same_parameters(a: nn.Module, b: nn.Module) -> bool:
    return all(map(same_bits, a.state_dict().values(), b.state_dict().values()))


def trained_by_trainer(folder, callbacks, **options) -> tuple[nn.Module, list[dict]]:
    model = gpt2()
    trainer = transformers.Trainer(
        model=model,
        args=transformers.TrainingArguments(
            output_dir=str(folder),
            per_device_train_batch_size=4,
            max_steps=3,
            logging_steps=1,
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
            save_strategy="no",
            seed=7,
            **options,
        ),
        train_dataset=Text(),
        callbacks=callbacks,
    )
    trainer.train()
    return model, trainer.state.log_history


@pytest.mark.parametrize(
    "options", [{}, {"gradient_accumulation_steps": 2}, {"bf16": True}], ids=str
)
def test_trainer(tmp_path, options):
    from reprise.integrations.transformers import BudgetCallback

    budget = reprise.MemoryBudget("60%")
    plain, _ = trained_by_trainer(tmp_path / "plain", [], **options)
    budgeted, log = trained_by_trainer(tmp_path / "budget", [BudgetCallback(budget)], **options)
    assert log[2]["budget_peak_bytes"] == budget.report().last.peak_bytes
    assert same_parameters(plain, budgeted)
    report = budget.report()
    assert report.steps == 3
    assert report.last.replayed_ops > 0
    assert report.last.peak_bytes <= report.last.limit_bytes


def test_trainer_with_patched_gradient_checkpointing(tmp_path):
    plain, _ = trained_by_trainer(tmp_path / "plain", [])
    with reprise.patch():
        ours, _ = trained_by_trainer(tmp_path / "ours", [], gradient_checkpointing=True)
    assert same_parameters(plain, ours)


def test_patched_gradient_checkpointing_is_ours():
    with reprise.patch():
        model = gpt2()
        model.gradient_checkpointing_enable()
        model.train()
        ids = Text().ids[:2]
        loss = model(input_ids=ids, labels=ids).loss
        assert reprise.live_hooks() > 0
        loss.backward()


def test_lightning(tmp_path):
    pl = pytest.importorskip("lightning.pytorch")
    from reprise.integrations.lightning import BudgetCallback

    class Module(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = gpt2()

        def training_step(self, batch):
            return self.model(**batch).loss

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters())

    def trained(callbacks):
        pl.seed_everything(3, verbose=False)
        module = Module()
        trainer = pl.Trainer(
            max_steps=3,
            accelerator="cpu",
            callbacks=callbacks,
            default_root_dir=tmp_path,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )
        trainer.fit(module, DataLoader(Text(), batch_size=4))
        return module

    budget = reprise.MemoryBudget("60%")
    assert same_parameters(trained([]), trained([BudgetCallback(budget)]))
    assert budget.report().steps == 3
    assert budget.report().last.replayed_ops > 0


def test_lightning_ends_the_step_of_a_batch_that_fails(tmp_path):
    pl = pytest.importorskip("lightning.pytorch")
    from reprise.integrations.lightning import BudgetCallback

    class Failing(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def training_step(self, batch):
            raise LookupError("in the batch")

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    budget = reprise.MemoryBudget("60%")
    trainer = pl.Trainer(
        max_steps=1,
        accelerator="cpu",
        callbacks=[BudgetCallback(budget)],
        default_root_dir=tmp_path,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    with pytest.raises(LookupError, match="in the batch"):
        trainer.fit(Failing(), DataLoader(torch.randn(4, 4)))
    with budget.step():
        pass


def test_accelerate():
    accelerate = pytest.importorskip("accelerate")

    def trained(budget):
        torch.manual_seed(5)
        accelerator = accelerate.Accelerator(cpu=True, gradient_accumulation_steps=2)
        model = gpt2()
        optimizer = torch.optim.AdamW(model.parameters())
        model, optimizer, loader = accelerator.prepare(
            model, optimizer, DataLoader(Text(), batch_size=4)
        )
        torch.manual_seed(5)
        for batch in loader:
            with accelerator.accumulate(model):
                if budget is None:
                    accelerator.backward(model(**batch).loss)
                else:
                    with budget.step():
                        accelerator.backward(model(**batch).loss)
                optimizer.step()
                optimizer.zero_grad()
        return accelerator.unwrap_model(model)

    budget = reprise.MemoryBudget("60%")
    assert same_parameters(trained(None), trained(budget))
    assert budget.report().last.replayed_ops > 0


def test_lora_with_a_frozen_base():
    peft = pytest.importorskip("peft")
    config = peft.LoraConfig(r=4, target_modules=["c_attn"], lora_dropout=0.1)
    torch.manual_seed(2)
    model = peft.get_peft_model(gpt2(), config)
    budgeted = copy.deepcopy(model)
    ids = Text().ids[:4]
    budget = reprise.MemoryBudget("60%")
    for seed in range(3):
        torch.manual_seed(seed)
        model(input_ids=ids, labels=ids).loss.backward()
        torch.manual_seed(seed)
        with budget.step():
            budgeted(input_ids=ids, labels=ids).loss.backward()
    for mine, other in zip(model.parameters(), budgeted.parameters()):
        assert (mine.grad is None) == (other.grad is None)
        assert mine.grad is None or same_bits(mine.grad, other.grad)
    assert budget.report().last.replayed_ops > 0


def test_grad_scaler():
    layers = nn.Sequential(nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh())
    budgeted = copy.deepcopy(layers)
    x = torch.randn(64, 32)

    def trained(model, budget):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu")
        for _ in range(3):
            optimizer.zero_grad()
            if budget is None:
                scaler.scale(model(x).square().mean()).backward()
            else:
                with budget.step():
                    scaler.scale(model(x).square().mean()).backward()
            scaler.step(optimizer)
            scaler.update()
        return model

    budget = reprise.MemoryBudget("90%")
    assert same_parameters(trained(layers, None), trained(budgeted, budget))
    assert budget.report().last.replayed_ops > 0


@pytest.mark.parametrize("workers", [0, 2])
def test_workers_that_are_forked_inside_of_a_step(workers):
    layers = nn.Sequential(nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 32))
    budget = reprise.MemoryBudget("90%", hard=False)

    class Made(Dataset):
        def __len__(self):
            return 8

        def __getitem__(self, i):
            weight = torch.full((32,), float(i), requires_grad=True)
            recorded = reprise.live_hooks()
            y = weight.exp()
            # In a worker nobody records what would be saved in the step.
            assert (reprise.live_hooks() > recorded) == (workers == 0)
            return y.detach()

    with budget.step():
        for batch in DataLoader(Made(), batch_size=4, num_workers=workers):
            layers(batch).square().mean().backward()
    assert budget.report().steps == 1
