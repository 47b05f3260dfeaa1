# SPDX-License-Identifier: Apache-2.0
"""Byte budgets beside torch.utils.checkpoint: what a step costs within the peak that Python reaches."""
from budget_rows import Row, add_peak, check_ours, make_twins, plain_ms, print_rows, start
from compile_comparison import compare_compiled
from sides import median, run_rounds, spread

# Sizes of zoo::ModelSpec, and the batch: a plain step takes some tenths of a second on one core.
MODELS = {
    "gpt": "gpt layers=8 dim=256 heads=8 context=128 batch=4",
    "lstm": "lstm dim=256 context=64 batch=64",
    "cnn": "cnn dim=32 image_size=96 batch=16",
    "unet": "unet dim=16 layers=3 image_size=96 batch=8",
    "audio": "audio layers=4 dim=192 heads=4 context=32000 batch=4",
}
ARMS = {"block": "checkpoint per block", "sequential": "checkpoint_sequential, {segments} segments",
        "selective": "selective checkpoint per block"}


def compare_model(name, options, verdicts):
    ours, theirs = start(options)
    model = make_twins(ours, theirs, MODELS[name], verdicts)
    arms = {("python", "plain"): (theirs, "step plain"), ("reprise", "plain"): (ours, "step")}
    notes = {}
    for arm in ARMS:
        theirs.ask(f"step {arm}")
        notes[arm] = add_peak(ours, arm, theirs.ask(f"step {arm}")["peak_bytes"])
        arms["python", arm] = (theirs, f"step {arm}")
        if not notes[arm]:
            arms["reprise", arm] = (ours, f"step {arm}")
    arms |= {("python", "again"): (theirs, "step plain"), ("reprise", "again"): (ours, "step")}
    answers = run_rounds(arms, options.rounds)
    for side in (ours, theirs):
        side.close()

    their_plain, our_plain = (plain_ms(answers, side) for side in ("python", "reprise"))
    rows = [Row(text.format(**model), answers["python", arm], their_plain,
                answers.get(("reprise", arm), []), our_plain, notes[arm])
            for arm, text in ARMS.items()]
    plain = Row("plain, mean of two a round", answers["python", "plain"], their_plain,
                answers["reprise", "plain"], our_plain)
    print_rows([plain] + rows)
    noise = {side: spread([a["cpu_ms"] / b["cpu_ms"] for a, b in
                           zip(answers[side, "again"], answers[side, "plain"])])
             for side in ("reprise", "python")}
    print(f"  a plain step takes {median(plain.ours, 'cpu_ms'):.0f} ms of CPU time, Python's "
          f"{median(plain.theirs, 'cpu_ms'):.0f} ms; A/A spread {noise['reprise']:.1%}, Python's "
          f"{noise['python']:.1%}\n")
    check_ours(name, rows, verdicts)
    for row in rows:
        verdicts.check(f"{name}: ours is lower at the peak of {row.name}",
                       row.ours and row.our_overhead() < row.their_overhead(),
                       row.note or f"{row.our_overhead():+.1%} against {row.their_overhead():+.1%}")


def compare_budgets(options, verdicts):
    print(f"Budgets: peaks as Python reaches them, and ours within the same bytes; CPU time over the "
          f"side's own plain step; {options.rounds} rounds, {options.threads or 1} thread(s)")
    for name in options.models:
        compare_model(name, options, verdicts)
    if options.has_compile and "gpt" in options.models:
        compare_compiled(options, verdicts)
    print()
