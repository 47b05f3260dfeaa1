#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records one training step of each named model in Python as FOLDER/MODEL.json (`reprise.program`).

  record_program.py BENCH_FOLDER REPRISE FOLDER [MODEL...]

BENCH_FOLDER holds python_meter.so, which `make bench` builds; REPRISE is the program `reprise`, which
reads and simulates what was written. For developers: tests and benches read the recorded files.

What is exact, to the byte: sizes and lifetimes of values, the bytes around each forward op with
nothing kept, the most that appear while an op runs, the live bytes around each node of backward.
What is not:
- Background bytes are the live bytes of a step that keeps everything, less the values that the
  program says are kept then. A gradient that shared its storage with a saved value, or a node that
  took another way if its input were a copy, is seen only where a schedule is executed.
- Python numbers in an expression (x * 0.5) may be saved as tensors of 8 bytes that no op made; they
  count as background.
- What a recipe of several ops needs at most is put together from its ops, not run as one.
- Times are CPU times of one thread, medians of several runs. From those of ops the median of view
  ops is taken off, which is what a call from Python takes. A node's time ends when it lets go of
  what it saved.
- Nodes that unpack nothing are no uses; their time is in `step_us` alone, their bytes in what comes
  after the use before them.
- Functional state is out of sight: counters and running statistics are external values.
It is checked that two runs agree, that the bytes live after forward are those of the values, that
the program's peak with everything kept is that of the plain step, and that `reprise` reads the file.
Then schedules that `reprise` makes are run, by replaying the recorded ops: the peak must be the
predicted one, and every gradient that of the plain step.
"""
import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "peer"))

import torch  # noqa: E402

from recording.execute import Execution, made_by  # noqa: E402
from recording.models import MODELS  # noqa: E402
from recording.program import StepError, as_text, build_program  # noqa: E402
from recording.trace import ForwardClock, ForwardTrace, StepTrace, measured, plain_step  # noqa: E402
from step import Meter  # noqa: E402

MOST_DISAGREEMENT = 0.02  # of the plain step's peak


def require_same(what, runs):
    if any(run != runs[0] for run in runs):
        raise StepError(f"{what} differ from run to run")


def record(name, meter, rounds):
    """The program, what was measured of the plain step, and a function that executes a schedule."""
    torch.manual_seed(1)
    model, forward = MODELS[name]()
    def plain_run():
        return measured(model, lambda: plain_step(meter, forward))

    def forward_run():
        trace = ForwardTrace(meter)
        return trace, measured(model, lambda: trace.run(forward))

    def clock_run():
        clock = ForwardClock()
        measured(model, lambda: clock.run(forward))
        return clock

    def step_run(read_packs=None):
        trace = StepTrace(meter, read_packs)
        return trace, measured(model, lambda: trace.run(forward))

    plain_run()
    forward_run()  # what libraries set up once is no part of a step
    known, _ = step_run()
    read_packs = {number for each in known.unpackings for number in each.packs}
    plain_runs, forwards, clocks, steps = [], [], [], []
    for _ in range(rounds):
        plain_runs.append(plain_run())
        trace, resident_bytes = forward_run()
        forwards.append(trace)
        clocks.append(clock_run())
        trace, live_bytes = step_run(read_packs)
        steps.append(trace)
    require_same("plain peaks", [peak for _, _, peak in plain_runs])
    require_same("forward ops", [[(op.name, op.peak_bytes, op.transient_bytes) for op in run.ops]
                                 for run in forwards])
    require_same("nodes of backward", [[(u.name, u.packs, u.begin_bytes, u.peak_bytes, u.after_bytes)
                                        for u in run.unpackings] for run in steps])
    # The mode may make some ops take another way; then the two kinds of run do not fit together.
    require_same("shapes of saved tensors", [[shape for shape, _ in steps[0].shapes],
                                             [view.place[1] for view in forwards[0].packs]])
    plain = {"forward_us": statistics.median(run[0] for run in plain_runs),
             "step_us": statistics.median(run[1] for run in plain_runs),
             "peak_bytes": plain_runs[0][2]}
    program, storages = build_program(name, forwards[0], clocks, steps, plain)
    require_close("bytes held by the user after forward", program["resident_bytes"], resident_bytes,
                  plain["peak_bytes"])
    require_close("bytes live after forward", kept_bytes(program), live_bytes, plain["peak_bytes"])

    def execute(schedule):
        names = [(forwards[0].ops.index(s.makers[0]), made_by(s.makers[0]).index(s))
                 for s in storages]
        packs = [each.packs for each in steps[0].unpackings]
        plain_run()
        expected = gradients_of(model)
        execution = Execution(meter, program, schedule, packs, names)
        peak_bytes = measured(model, lambda: execution.run(forward))
        if any(not torch.equal(a, b) for a, b in zip(expected, gradients_of(model))):
            raise StepError("the schedule gives other gradients")
        return peak_bytes

    return program, plain, execute


def gradients_of(model):
    return [parameter.grad.clone() for parameter in model.parameters()]


def kept_bytes(program):
    """Live after forward with everything kept."""
    ops = len(program["forward_peak_bytes"])
    needed = {value for use in program["uses"] for value in use["needs"]}
    return program["resident_bytes"] + sum(
        value["bytes"] for value in program["values"]
        if value["id"] in needed and value["released_at"] < ops)


def require_close(what, in_program, measured_bytes, peak_bytes):
    print(f"  {what}: program {in_program}, measured {measured_bytes}")
    if abs(in_program - measured_bytes) > MOST_DISAGREEMENT * peak_bytes:
        raise StepError(f"{what}: the program has {in_program}, measured were {measured_bytes}")


def check_file(path, reprise, plain):
    """Reads it as strictly as users do, and simulates it with everything kept."""
    answer = subprocess.run([reprise, "plan", path, "--planner", "keep_all", "--budget", "100%",
                             "--json", "-"], capture_output=True, text=True)
    if answer.returncode != 0:
        raise StepError(f"reprise refuses the program: {answer.stderr}")
    plan = json.loads(answer.stdout)
    require_close("peak with everything kept", plan["keep_all_peak_bytes"], plain["peak_bytes"],
                  plain["peak_bytes"])


def check_schedule(path, reprise, share, execute):
    """Plans for a share of the peak, runs the step so, and compares the peaks."""
    answer = subprocess.run([reprise, "plan", path, "--planner", "search", "--budget", f"{share}%",
                             "--json", "-"], capture_output=True, text=True)
    if answer.returncode != 0:
        print(f"  no plan at {share} %")
        return
    schedule = json.loads(answer.stdout)["schedule"]
    peak_bytes = execute(schedule)
    predicted = schedule["predicted"]["peak_bytes"]
    print(f"  peak of a schedule at {share} %: predicted {predicted}, measured {peak_bytes}; "
          "gradients are equal in every bit", flush=True)
    if abs(peak_bytes - predicted) > MOST_DISAGREEMENT * predicted:
        raise StepError("the peak of the executed schedule is not the predicted one")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench_folder", type=Path)
    parser.add_argument("reprise", type=Path)
    parser.add_argument("folder", type=Path, help="is written to")
    parser.add_argument("model", nargs="*", help="of: " + ", ".join(MODELS) + " (default: all)")
    parser.add_argument("--rounds", type=int, default=7, help="that times are medians of")
    parser.add_argument("--execute", type=int, nargs="+", default=[50], metavar="PERCENT",
                        help="of the peak: budgets whose schedules are run (default: 50)")
    options = parser.parse_intermixed_args()
    torch.set_num_threads(1)
    meter = Meter(str(options.bench_folder / "python_meter.so"))
    for name in options.model or MODELS:
        if name not in MODELS:
            parser.error(f"expected models of {', '.join(MODELS)}; got {name}")
        print(name, flush=True)
        program, plain, execute = record(name, meter, options.rounds)
        path = options.folder / f"{name}.json"
        path.write_text(as_text(program))
        check_file(path, options.reprise, plain)
        print(f"  {len(program['forward_peak_bytes'])} ops, {len(program['recipes'])} recipes, "
              f"{len(program['uses'])} uses, peak {plain['peak_bytes'] / 1e6:.1f} MB, "
              f"step {program['step_us'] / 1e3:.0f} ms, file {path.stat().st_size} bytes", flush=True)
        for share in options.execute:
            check_schedule(path, options.reprise, share, execute)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StepError as error:
        print(f"record_program: {error}", file=sys.stderr)
        sys.exit(1)
