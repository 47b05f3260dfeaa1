# SPDX-License-Identifier: Apache-2.0
"""The two processes of a comparison, the rounds that interleave them, and how rounds are judged."""
import json
import os
import select
import statistics
import subprocess
import sys
from pathlib import Path


class Side:
    """A bench process: a command goes in, a JSON object comes out."""

    def __init__(self, name, command, threads, **environment):
        self.name = name
        # Threads that spin for work burn CPU time in the other side's turn. And both sides keep the
        # memory that they free: what fetching it again takes is no matter of theirs.
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "PASSIVE",
                       "MALLOC_TRIM_THRESHOLD_": "4000000000", "MALLOC_MMAP_THRESHOLD_": "33554432",
                       **environment}
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment)
        self.hello = self._answer()

    def ask(self, command, limit_s=None):
        """None if the answer takes longer than the limit: the process is then gone."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        # Every answer is one line and has been read: nothing waits in Python's own buffer.
        if limit_s is not None and not select.select([self.process.stdout], [], [], limit_s)[0]:
            self.process.kill()
            self.process.wait()
            return None
        return self._answer()

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    def _answer(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"bench: {self.name} ended with status {self.process.wait()}")
        return json.loads(line)


def torch_folder(python):
    """Where a Python's torch lies, without importing it; None if it has none."""
    code = ("from importlib.util import find_spec; spec = find_spec('torch'); "
            "print(spec.submodule_search_locations[0] if spec else '')")
    try:
        result = subprocess.run([str(python), "-c", code], capture_output=True, text=True)
    except OSError:
        return None
    return Path(result.stdout.strip()).resolve() if result.stdout.strip() else None


def python_of(libtorch):
    """The Python whose torch is the library in `libtorch`: Linux installs it in
    PREFIX/lib/pythonX.Y/site-packages/torch/lib."""
    library = Path(libtorch).resolve()
    candidates = [sys.executable, "python3"]
    candidates += [folder / "bin/python3" for folder in list(library.parents)[5:6]]
    for python in candidates:
        if torch_folder(python) == library.parent.parent:
            return python
    sys.exit(f"bench: no Python found whose torch is {library.parent.parent}; name one by --python")


def check_same_library(*sides):
    """Different builds of libtorch have different kernels: nothing could be compared."""
    libraries = {side.name: str(Path(side.hello["libtorch"]).resolve()) for side in sides}
    if len(set(libraries.values())) != 1:
        sys.exit("bench: both sides must use the same libtorch, got\n" + "\n".join(
            f"  {name}: {library}" for name, library in libraries.items()) +
            "\nUse --python to name the Python whose torch the benches were built with.")
    if len({side.hello["threads"] for side in sides}) != 1:
        sys.exit("bench: both sides must use the same number of threads")


def run_rounds(arms, rounds):
    """arms: name -> (side, command). Every round runs all, beginning with another one, odd rounds
    backwards; the first round warms up and is not counted. Returns name -> answers, by round."""
    names = list(arms)
    answers = {name: [] for name in names}
    for round_number in range(rounds + 1):
        shift = round_number % len(names)
        order = names[shift:] + names[:shift]
        for name in order[::-1] if round_number % 2 else order:
            side, command = arms[name]
            answer = side.ask(command)
            if round_number > 0:
                answers[name].append(answer)
        if sys.stderr.isatty():
            print(f"\rround {round_number} of {rounds}", end="\n" if round_number == rounds else "",
                  file=sys.stderr, flush=True)
    return answers


def median(answers, key):
    return statistics.median(answer[key] for answer in answers)


def ratios(answers, reference, key="cpu_ms"):
    """Of the same rounds: a slow moment of the machine hits both and cancels."""
    return [a[key] / b[key] for a, b in zip(answers, reference)]


def spread(aa_ratios):
    """How far two runs of the same thing differ: the middle half of their ratios, from 1."""
    lower, _, upper = statistics.quantiles(aa_ratios, n=4)
    return max(upper - 1, 1 - lower)


class Verdicts:
    """Prints claims, and remembers whether all hold."""

    def __init__(self):
        self.all_hold = True

    def check(self, claim, holds, numbers):
        self.all_hold &= bool(holds)
        print(f"  {'holds ' if holds else 'MISSED'}  {claim}: {numbers}")
