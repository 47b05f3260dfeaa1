# SPDX-License-Identifier: Apache-2.0
"""Two processes, Gloo: DistributedDataParallel under a budget."""

import json
import os

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn


class Branches(nn.Module):
    """One of its branches takes no part in every other step."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(*(nn.Sequential(nn.Linear(32, 32), nn.GELU()) for _ in range(4)))
        self.extra = nn.Linear(32, 32)

    def forward(self, x, takes_extra):
        x = self.body(x)
        return (self.extra(x) if takes_extra else x).square().mean()


def trained(rank, options, budget, takes_extra):
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(Branches(), **options)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(64, 32, generator=torch.Generator().manual_seed(rank))
    for step in range(8):
        optimizer.zero_grad()
        if budget is None:
            model(x, takes_extra(step)).backward()
        else:
            with budget.step():
                model(x, takes_extra(step)).backward()
        optimizer.step()
    return {name: each.clone() for name, each in model.module.state_dict().items()}


def work(rank, folder, options, skips):
    import reprise

    torch.set_num_threads(1)
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=2
    )
    takes_extra = (lambda step: step % 2 == 0) if skips else (lambda step: True)
    budget = reprise.MemoryBudget("60%")
    plain = trained(rank, options, None, takes_extra)
    budgeted = trained(rank, options, budget, takes_extra)
    same = all(torch.equal(plain[name], budgeted[name]) for name in plain)
    budget.save_schedule(f"{folder}/schedule-{rank}.json")
    last = budget.report().last
    with open(f"{folder}/result-{rank}.json", "w", encoding="utf-8") as file:
        json.dump({"same": same, "replayed_ops": last.replayed_ops, "peak": last.peak_bytes}, file)
    dist.destroy_process_group()


@pytest.mark.parametrize(
    "options, skips",
    [({}, False), ({"find_unused_parameters": True}, True), ({"static_graph": True}, False)],
    ids=["plain", "find_unused_parameters", "static_graph"],
)
def test_both_processes_train_as_without_and_agree_on_the_program(tmp_path, options, skips):
    mp.spawn(work, args=(str(tmp_path), options, skips), nprocs=2)
    results = [json.loads((tmp_path / f"result-{rank}.json").read_text()) for rank in range(2)]
    assert [each["same"] for each in results] == [True, True]
    assert all(each["replayed_ops"] > 0 for each in results)
    schedules = [json.loads((tmp_path / f"schedule-{rank}.json").read_text()) for rank in range(2)]
    assert schedules[0]["program"] == schedules[1]["program"]
