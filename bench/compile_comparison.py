# SPDX-License-Identifier: Apache-2.0
"""Byte budgets beside torch.compile's activation_memory_budget: gradients, and peaks as budgets fall."""
import tempfile
import time

from budget_rows import (MB, MOST_ROUNDING, Row, add_budget, add_peak, check_ours,
                         largest_difference, make_twins, plain_ms, print_rows, start)
from sides import run_rounds

# Fewer layers than the GPT beside the other arms: each budget is compiled anew.
MODEL = "gpt layers=4 dim=256 heads=8 context=128 batch=4"
# inductor is what torch.compile takes by default. The other backend has the same partitioner, which
# decides what is recomputed, and runs the two graphs op by op, so it is ready soon enough for a row
# of budgets.
BACKENDS = {"aot_eager_decomp_partition": (1.0, 0.5, 0.2, 0.0), "inductor": (1.0, 0.5, 0.2)}
LIMIT_S = 100  # to compile all budgets of a backend; twice as much at worst


def compile_arms(theirs, backend):
    """Takes the first steps of each budget. Returns the peaks of those that could be compiled, and
    what came of the others."""
    began = time.monotonic()
    longest_s = 0
    peaks = {}
    for budget in BACKENDS[backend]:
        budget_began = time.monotonic()
        # A process that takes too long is lost with all that it has compiled, so none is begun late.
        if budget_began - began + longest_s > LIMIT_S:
            return peaks, f"{budget} and below: not compiled, all is given {LIMIT_S} s"
        for _ in range(2):
            answer = theirs.ask(f"step compiled {backend} {budget}",
                                max(0, began + 2 * LIMIT_S - time.monotonic()))
            if answer is None:
                return {}, f"not compiled within {2 * LIMIT_S} s"
            if "error" in answer:
                return {}, f"not compiled: {answer['error']}"
        peaks[budget] = answer["peak_bytes"]
        longest_s = max(longest_s, time.monotonic() - budget_began)
    return peaks, ""


def arms_of(backend, ours, theirs, peaks):
    """What a round runs, by side and name, and why ours is not among it."""
    arms = {("reprise", "plain"): (ours, "step"), ("reprise", "again"): (ours, "step")}
    notes = {}
    for share in BACKENDS[backend]:
        notes[share_arm(share)] = add_budget(ours, share_arm(share),
                                             f"share {share}" if share > 0 else "minimum")
    for share, peak_bytes in peaks.items():
        notes[peak_arm(share)] = add_peak(ours, peak_arm(share), peak_bytes)
        arms["python", peak_arm(share)] = (theirs, f"step compiled {backend} {share}")
    if peaks:
        arms["python", "plain"] = (theirs, "step plain")
    return arms | {("reprise", arm): (ours, f"step {arm}")
                   for arm, note in notes.items() if not note}, notes


def peak_arm(share):
    return f"at_{share}"


def share_arm(share):
    return f"share_{share}"


def print_findings(rows):
    """What the rows show of Python's, in words."""
    for row in rows:
        largest = largest_difference(row.theirs)
        if largest > MOST_ROUNDING:
            print(f"  Python's gradients are WRONG at {row.share}: off by up to {largest:.2g} of the "
                  f"largest element of a gradient")
    for before, after in zip(rows, rows[1:]):
        peaks = [row.theirs[-1]["peak_bytes"] for row in (before, after)]
        if peaks[1] > peaks[0]:
            print(f"  Python's peak RISES from {peaks[0] / MB:.1f} to {peaks[1] / MB:.1f} MB as its "
                  f"budget falls from {before.share} to {after.share}")


def compare_backend(backend, options, verdicts, cache):
    # In a folder of its own: nothing was compiled before, and nothing is left.
    ours, theirs = start(options, TORCHINDUCTOR_CACHE_DIR=cache, TORCHINDUCTOR_COMPILE_THREADS="1")
    make_twins(ours, theirs, MODEL, verdicts)
    peaks, failure = compile_arms(theirs, backend)
    arms, notes = arms_of(backend, ours, theirs, peaks)
    answers = run_rounds(arms, options.rounds)
    ours.close()
    theirs.close()

    our_plain = plain_ms(answers, "reprise")
    their_plain = [each["cpu_ms"] for each in answers.get(("python", peak_arm(1.0)), [])]

    def row(name, arm, share=None):
        return Row(name, answers.get(("python", arm), []), their_plain,
                   answers.get(("reprise", arm), []), our_plain, notes.get(arm, ""), share)
    at_peaks = [row(f"activation_memory_budget {share}", peak_arm(share), share) for share in peaks]
    shares = [row(f"ours: share_of_peak {share}" if share > 0 else "ours: minimum",
                  share_arm(share), share) for share in BACKENDS[backend]]
    print(f"\n  torch.compile, {backend}, CPU time over its step at activation_memory_budget 1.0")
    if failure:
        print(f"  {failure}")
    print_rows([row("plain, in Python not compiled", "plain")] + at_peaks + shares)
    print_findings(at_peaks)
    print()
    check_ours(backend, at_peaks + shares, verdicts)
    falling = [each.ours[-1]["peak_bytes"] for each in shares if each.ours]
    verdicts.check(f"{backend}: no peak of ours rises as the share falls",
                   falling == sorted(falling, reverse=True),
                   ", ".join(f"{peak / MB:.1f}" for peak in falling) + " MB")


def compare_compiled(options, verdicts):
    for backend in BACKENDS:
        with tempfile.TemporaryDirectory() as cache:
            compare_backend(backend, options, verdicts, cache)
