# SPDX-License-Identifier: Apache-2.0
"""What one region costs: 2,000 layers on 4x4 tensors, each a region, over the same layers plain."""
from pathlib import Path
from statistics import median

from sides import Side, check_same_library, python_of, run_rounds

REGIONS = 2000
AIM = 8  # times cheaper per region than Python's

# name -> (command, command of what it is compared with)
CASES = {
    "region that reruns": ("region rerun", ""),
    "the same, state of generators not preserved": ("region rerun free_rng", ""),
    "region that reruns, with dropout": ("region rerun dropout", "dropout"),
    "the same, state not preserved": ("region rerun dropout free_rng", "dropout"),
    "regions that rerun in regions of 50": ("nested rerun", ""),
    "region that replays": ("region", ""),
    "region that replays, with dropout": ("region dropout", "dropout"),
    "regions that replay in regions of 50": ("nested", ""),
}


def over_plain_us(answers, case, key):
    """Microseconds per region above plain layers in the same round; the median over the rounds."""
    command, plain = CASES[case]
    return median(1000 * (a[key] - b[key]) / REGIONS
                  for a, b in zip(answers[command], answers[plain]))


def our_side(options):
    return Side("region_step", [options.folder / "region_step"], threads=1)


def python_side(options, python, **environment):
    script = Path(__file__).parent / "peer/region_step.py"
    return Side("region_step.py", [python, script, options.folder / "python_meter.so"], threads=1,
                **environment)


def bytes_over_plain(options, python):
    """(side, case) -> bytes per region after forward, above plain: of tensors, of the heap."""
    result = {}
    # Python's own objects count too: with its allocator switched off, malloc sees them.
    sides = {"reprise": our_side(options),
             "python": python_side(options, python, PYTHONMALLOC="malloc")}
    for name, side in sides.items():
        for case, (command, plain) in CASES.items():
            for words in (command, plain):
                side.ask(f"step {words} heap")  # first use of a path fills caches
            with_regions = side.ask(f"step {command} heap")
            without = side.ask(f"step {plain} heap")
            result[name, case] = tuple((with_regions[key] - without[key]) / REGIONS
                                       for key in ("residue_bytes", "heap_bytes"))
        side.close()
    return result


def same_results(ours, theirs):
    """Losses and gradients of all cases whose random numbers are defined."""
    for command in {word for pair in CASES.values() for word in pair}:
        if "free_rng" in command and "dropout" in command:
            continue
        mine, other = ours.ask(f"step {command}"), theirs.ask(f"step {command}")
        if (mine["loss"], mine["gradient"]) != (other["loss"], other["gradient"]):
            return False
    return True


def compare_regions(options, verdicts):
    print(f"{REGIONS:,} regions on 4x4 tensors, each tanh(x @ w) [+ dropout]; per region over plain; "
          f"{options.rounds} rounds, 1 thread")
    ours = our_side(options)
    python = options.python or python_of(ours.hello["libtorch"])
    theirs = python_side(options, python)
    check_same_library(ours, theirs)
    is_same = same_results(ours, theirs)
    commands = list(dict.fromkeys(word for pair in CASES.values() for word in pair))
    answers = run_rounds({(side.name, command): (side, f"step {command}")
                          for command in commands for side in (ours, theirs)}, options.rounds)
    mine = {command: answers[ours.name, command] for command in commands}
    other = {command: answers[theirs.name, command] for command in commands}
    ours.close()
    theirs.close()
    sizes = bytes_over_plain(options, python)

    print(f"\n  {'':44}{'-- CPU us --':>18}{'-- tensor bytes --':>22}{'-- heap bytes --':>20}")
    print(f"  {'':44}" + f"{'reprise':>10}{'python':>10}" * 3)
    for case in CASES:
        row = [over_plain_us(mine, case, "cpu_ms"), over_plain_us(other, case, "cpu_ms")]
        for kind in (0, 1):
            row += [sizes[side, case][kind] for side in ("reprise", "python")]
        print(f"  {case:44}" + "".join(f"{number:10,.1f}" for number in row[:2]) +
              "".join(f"{round(number):10,}" for number in row[2:]))
    plain_us = [1000 * median(step["cpu_ms"] for step in side[""]) / REGIONS
                for side in (mine, other)]
    print(f"  a plain layer takes {plain_us[0]:.1f} us here and {plain_us[1]:.1f} us in Python\n")

    verdicts.check("same losses and gradients on both sides", is_same, f"{len(commands)} cases")
    our_us, their_us = (over_plain_us(side, "region that reruns", "cpu_ms")
                         for side in (mine, other))
    verdicts.check(f"at least {AIM} times cheaper per region than Python's", their_us >= AIM * our_us,
                   f"{our_us:.1f} us against {their_us:.1f} us over plain: "
                   f"{their_us / our_us:.1f} times")
    print()
