# SPDX-License-Identifier: Apache-2.0
"""What the comparisons of budgets share: two sides with the same model, and tables in which both have
their columns."""
import statistics
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from sides import Side, check_same_library, python_of

MB = 1e6
# Python keeps the numbers that a tensor is multiplied by as tensors of 8 bytes.
MOST_PEAK_DIFFERENCE = 1e-5
# Other kernels round otherwise, by about a millionth of the largest element of a gradient. A mask of
# dropout that is drawn anew changes as much as there is.
MOST_ROUNDING = 1e-4


@dataclass
class Row:
    """One way of Python's to save memory, and ours within the same peak. Answers are by round."""
    name: str
    theirs: list = field(default_factory=list)
    their_plain: list = field(default_factory=list)  # CPU ms, by round
    ours: list = field(default_factory=list)
    our_plain: list = field(default_factory=list)
    note: str = ""  # what stands in place of our numbers
    share: float = None  # the budget, where it is one

    def their_overhead(self):
        return overhead(self.theirs, self.their_plain)

    def our_overhead(self):
        return overhead(self.ours, self.our_plain)


def overhead(answers, plain_ms):
    """Over plain steps of the same rounds."""
    return statistics.median(each["cpu_ms"] / plain for each, plain in zip(answers, plain_ms)) - 1


def start(options, **environment):
    """Both sides. Idle threads of two cores are noise that one thread does not have."""
    threads = options.threads or 1
    ours = Side("budget_step", [options.folder / "budget_step"], threads)
    python = options.python or python_of(ours.hello["libtorch"])
    theirs = Side("budget_step.py", [python, "-W", "ignore",
                                     Path(__file__).parent / "peer/budget_step.py",
                                     options.folder / "python_meter.so"], threads, **environment)
    check_same_library(ours, theirs)
    return ours, theirs


def make_twins(ours, theirs, spec, verdicts):
    """The same model on both sides, with the parameters and the batch of ours. Later steps of both
    are compared with our plain one. Returns what each side says of the model, in one dictionary."""
    model = ours.ask(f"make {spec}") | theirs.ask(f"make {spec}")
    with tempfile.TemporaryDirectory() as folder:
        for side in (ours, theirs):
            side.ask(f"model {folder}/model.pt")
        ours.ask("step")  # the first one sets libraries up
        mine = ours.ask("step")
        for side in (ours, theirs):
            side.ask(f"results {folder}/results.pt")
    theirs.ask("step plain")
    other = theirs.ask("step plain")
    print(f"\n{model['description']}; {spec.split()[-1].replace('=', ' ')}; loss {mine['loss']:.6f}")
    difference = other["peak_bytes"] - mine["peak_bytes"]
    verdicts.check(f"{spec.split()[0]}: same loss, gradients and buffers in Python's, same plain peak",
                   mine["loss"] == other["loss"] and other["buffers_equal"] and
                   other["equal_gradients"] == other["gradients"] and
                   abs(difference) <= MOST_PEAK_DIFFERENCE * mine["peak_bytes"],
                   f"{other['equal_gradients']} of {other['gradients']} gradients bit-equal, peak "
                   f"{mine['peak_bytes']:,} bytes, Python's {difference:+,}")
    return model


def add_budget(ours, label, budget):
    """An empty text, or why ours cannot have that budget."""
    minimum = ours.ask(f"budget {label} {budget}").get("minimum_bytes")
    return "" if minimum is None else f"no plan below {minimum:,} bytes"


def add_peak(ours, label, peak_bytes):
    note = add_budget(ours, label, f"bytes {peak_bytes}")
    return note and f"{note}, the peak is {peak_bytes:,}"


def plain_ms(answers, side):
    """Mean of the two plain steps of each round."""
    return [(a["cpu_ms"] + b["cpu_ms"]) / 2
            for a, b in zip(answers[side, "plain"], answers[side, "again"])]


def same(answers):
    """How the results of Python's steps compare with those of our plain one."""
    buffers = "" if all(each["buffers_equal"] for each in answers) else ", buffers not"
    if all(each["equal_gradients"] == each["gradients"] for each in answers):
        return f"equal{buffers}"
    largest = largest_difference(answers)
    return f"{'WRONG' if largest > MOST_ROUNDING else 'differ'} {largest:.0e}{buffers}"


def largest_difference(answers):
    return max(each["difference"] for each in answers)


def is_equal(answers):
    return all(each["gradients_equal"] and each["buffers_equal"] for each in answers)


def print_rows(rows):
    print(f"\n  {'':38}{'---------- Python ----------':>38}   "
          f"{'----------------- ours -----------------':>56}")
    print(f"  {'':38}{'peak MB':>9}{'CPU':>9}{'bits':>20}   {'peak MB':>9}{'CPU':>9}"
          f"{'predicted':>11}{'recomputed':>12}{'bits':>8}{'plain':>7}")
    for row in rows:
        text = f"  {row.name:38}"
        if row.theirs:
            text += (f"{row.theirs[-1]['peak_bytes'] / MB:9.1f}{row.their_overhead():+9.1%}"
                     f"{same(row.theirs):>20}   ")
        else:
            text += f"{'':38}   "
        if row.ours:
            last = row.ours[-1]
            text += f"{last['peak_bytes'] / MB:9.1f}{row.our_overhead():+9.1%}"
            if "predicted_overhead" in last:
                text += f"{last['predicted_overhead']:+11.1%}{last['recomputed_ops']:8} ops"
            else:
                text += f"{'':23}"
            text += f"{'equal' if is_equal(row.ours) else 'DIFFER':>8}"
        print(text + row.note)


def check_ours(name, rows, verdicts):
    planned = [step for row in rows for step in row.ours if "is_planned" in step]
    verdicts.check(f"{name}: ours has the gradients and buffers of plain, bit by bit",
                   is_equal(planned), f"{len(planned)} steps")
    # The smallest budget has no limit in bytes but what its plan says.
    shares = [step["peak_bytes"] / (step["limit_bytes"] or step["predicted_peak_bytes"])
              for step in planned]
    verdicts.check(f"{name}: every step of ours is planned, no peak is above its budget",
                   all(step["is_planned"] for step in planned) and max(shares, default=0) <= 1,
                   f"at most {max(shares, default=0):.2%} of it")
