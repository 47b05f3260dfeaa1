# SPDX-License-Identifier: Apache-2.0
"""A GPT with a region per block: CPU time, peak and residue of both sides."""
import statistics
import tempfile
from pathlib import Path

from sides import Side, check_same_library, median, python_of, ratios, run_rounds, spread

LAYERS, BATCH, TOKENS, DIM, VOCABULARY = 12, 8, 256, 384, 256
FLOAT = 4
PEAK_ALLOWANCE = 64 * 1024

# What is there after forward. Every line can be derived from the model; the sum is compared with
# what was measured, to the byte.
ACTIVATION = BATCH * TOKENS * DIM * FLOAT
BLOCK_INPUTS = LAYERS * ACTIVATION
CONSTANT = {
    "output of the last block, saved by the final norm": ACTIVATION,
    "mean and 1/deviation of the final norm": 2 * BATCH * TOKENS * FLOAT,
    "output of the final norm, saved by the head": ACTIVATION,
    "log-probabilities, saved by the loss": BATCH * TOKENS * VOCABULARY * FLOAT,
    "the loss and the weight of its mean": 2 * FLOAT,
    "state of the random generator, one per block": LAYERS * 5056,
}

# A replay keeps the state before each dropout of a block, of which there are three; a rerun that of
# the first.
RANDOM_STATES = {"replay": 2 * LAYERS * 5056, "rerun": 0}
POLICIES = {"": "plain", "block": "region per block, replay",
            "block rerun": "region per block, rerun"}

MB = 1e6


def check_same_model(ours, theirs, verdicts):
    """Different models could not be compared: parameters and batch are ours, gradients must agree."""
    with tempfile.TemporaryDirectory() as folder:
        model, results = Path(folder) / "model.pt", Path(folder) / "results.pt"
        count = ours.ask(f"model {model}")["parameters"]
        if theirs.ask(f"model {model}")["parameters"] != count:
            raise SystemExit("bench: the two models have different parameters")
        for mode, text in (("eval", "without dropout"), ("", "with dropout 0.1, same seed")):
            for policy in ("", "block", "block rerun"):
                our_loss = ours.ask(f"step {policy} {mode}")["loss"]
                ours.ask(f"results {results}")
                their_loss = theirs.ask(f"step {policy} {mode}")["loss"]
                same = theirs.ask(f"results {results}")
                verdicts.check(
                    f"same model {text}, {POLICIES[policy]}",
                    our_loss == their_loss and same["equal_gradients"] == same["gradients"] == count,
                    f"loss {our_loss:.6f} and {their_loss:.6f}, {same['equal_gradients']} "
                    f"of {same['gradients']} gradients bit-equal")


def print_table(answers):
    print(f"\n  {'':38}{'peak MB':>9}{'after fwd MB':>14}{'CPU ms':>9}{'wall ms':>9}"
          f"{'CPU / plain':>13}")
    for name, steps in answers.items():
        plain = answers[name.split()[0] + " plain"]
        print(f"  {name:38}{steps[-1]['peak_bytes'] / MB:9.1f}{steps[-1]['residue_bytes'] / MB:14.1f}"
              f"{median(steps, 'cpu_ms'):9.0f}{median(steps, 'wall_ms'):9.0f}"
              f"{statistics.median(ratios(steps, plain)):13.3f}")


def print_residue(ours, theirs):
    print(f"\n  bytes after forward, by derivation\n  {BLOCK_INPUTS:>12,}  block inputs "
          f"({LAYERS} x {BATCH} x {TOKENS} x {DIM} floats; the first is the embeddings' output)")
    for what, size in CONSTANT.items():
        print(f"  {size:>12,}  {what}")
    print(f"  {BLOCK_INPUTS + sum(CONSTANT.values()):>12,}  expected; measured: ours {ours:,}, "
          f"Python's {theirs:,}")


def compare_gpt(options, verdicts):
    threads = options.threads or 2
    print(f"GPT: {LAYERS} layers, dim {DIM}, 6 heads, T {TOKENS}, B {BATCH}, attention written out, "
          f"dropout 0.1; {options.rounds} rounds, {threads} threads")
    here = Path(__file__).parent
    ours = Side("gpt_step", [options.folder / "gpt_step"], threads)
    python = options.python or python_of(ours.hello["libtorch"])
    theirs = Side("gpt_step.py", [python, here / "peer/gpt_step.py",
                                  options.folder / "python_meter.so"], threads)
    check_same_library(ours, theirs)
    check_same_model(ours, theirs, verdicts)
    answers = run_rounds({
        "reprise plain": (ours, "step"),
        "python plain": (theirs, "step"),
        "reprise region per block, replay": (ours, "step block"),
        "reprise region per block, rerun": (ours, "step block rerun"),
        "python checkpoint per block": (theirs, "step block"),
        "reprise plain (again)": (ours, "step"),
        "python plain (again)": (theirs, "step"),
        "reprise region per block, replay (again)": (ours, "step block"),
        "reprise region per block, rerun (again)": (ours, "step block rerun"),
        "python checkpoint per block (again)": (theirs, "step block"),
    }, options.rounds)
    ours.close()
    theirs.close()
    print_table(answers)

    other = answers["python checkpoint per block"]
    print("\n  A/A: two runs of the same thing, CPU time of one over the other in the same round")
    for name in ("reprise plain", "python plain", "reprise region per block, replay",
                 "reprise region per block, rerun", "python checkpoint per block"):
        aa = ratios(answers[name + " (again)"], answers[name])
        print(f"  {name:38} median {statistics.median(aa):.3f}, spread {spread(aa):.3f}, "
              f"from {min(aa):.3f} to {max(aa):.3f}")
    print_residue(answers["reprise region per block, rerun"][-1]["residue_bytes"],
                  other[-1]["residue_bytes"])

    print()
    aa_spread = spread(ratios(answers["python checkpoint per block (again)"], other))
    for mechanism in ("replay", "rerun"):
        name = f"reprise region per block, {mechanism}"
        mine = answers[name]
        # Both runs of each side count: twice the rounds.
        ratio = ratios(mine + answers[name + " (again)"],
                       other + answers["python checkpoint per block (again)"])
        verdicts.check(f"{mechanism}: CPU time within the A/A spread of Python's or below",
                       statistics.median(ratio) <= 1 + aa_spread,
                       f"{statistics.median(ratio):.3f} of Python's (rounds from {min(ratio):.3f} "
                       f"to {max(ratio):.3f}), spread {aa_spread:.3f}")
        allowance = PEAK_ALLOWANCE + RANDOM_STATES[mechanism]
        difference = mine[-1]["peak_bytes"] - other[-1]["peak_bytes"]
        verdicts.check(f"{mechanism}: peak <= Python's + {allowance // 1024} KiB",
                       difference <= allowance,
                       f"{difference:+,} bytes ({mine[-1]['peak_bytes']:,})")
        residue = mine[-1]["residue_bytes"]
        constant = sum(CONSTANT.values()) + RANDOM_STATES[mechanism]
        verdicts.check(f"{mechanism}: residue = block inputs + the constant above",
                       residue == BLOCK_INPUTS + constant,
                       f"{residue:,} = {BLOCK_INPUTS:,} + {residue - BLOCK_INPUTS:,}")
