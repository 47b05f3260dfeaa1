# SPDX-License-Identifier: Apache-2.0
"""What a budget costs from Python: CPU time of a GPT-2 step, plain and under budgets.

    PYTHONPATH=build/release/python python bench/python_overhead.py [ROUNDS]

One thread; all ways take a step in each round, in rotating order; medians of the rounds. "plain again"
is plain once more: how far it is from 1 is the noise.
"""

import copy
import statistics
import sys
import time
from contextlib import nullcontext

import reprise  # first: counts all memory
import torch
import transformers

WARM_UP = 6  # rounds in which plans are made and timed


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    reprise.keep_freed_memory()
    for name, layers, width, length, batch in (("tiny", 2, 64, 32, 2), ("35 ms", 4, 128, 64, 4), ("small", 6, 192, 64, 4),
                                               ("GPT-2 small", 12, 768, 64, 1)):
        config = transformers.GPT2Config(vocab_size=512, n_embd=width, n_layer=layers,
                                         n_head=max(4, width // 64), n_positions=length)
        torch.manual_seed(0)
        model = transformers.GPT2LMHeadModel(config).train()
        ids = torch.randint(512, (batch, length))
        budgets = {share: reprise.MemoryBudget(share, device="cpu", hard=False) for share in ("100%", "50%")}
        ways = {"plain": nullcontext, "plain again": nullcontext}
        ways |= {f"budget {share}": budget.step for share, budget in budgets.items()}
        models = {way: copy.deepcopy(model) for way in ways}
        times: dict[str, list[float]] = {way: [] for way in ways}
        for number in range(WARM_UP + rounds):
            order = list(ways)
            order = order[number % len(order):] + order[: number % len(order)]
            for way in order:
                each = models[way]
                each.zero_grad(set_to_none=True)
                torch.manual_seed(number)
                began = time.process_time()
                with ways[way]():
                    each(input_ids=ids, labels=ids).loss.backward()
                if number >= WARM_UP:
                    times[way].append(time.process_time() - began)
        plain = statistics.median(times["plain"])
        print(f"{name}: {layers} layers of {width}, {batch} x {length} tokens, "
              f"plain {plain * 1e3:.1f} ms")
        for way in ways:
            last = budgets[way.split()[1]].report().last if way.startswith("budget") else None
            note = ""
            if last is not None:
                note = (f"   peak {last.peak_bytes / last.keep_all_peak_bytes:.0%}, "
                        f"{last.replayed_ops} replayed ops, predicted +{last.predicted_overhead:.1%}")
            ratio = statistics.median(t / p for t, p in zip(times[way], times["plain"]))
            print(f"  {way:14}{ratio:8.3f}{note}")


if __name__ == "__main__":
    main()
