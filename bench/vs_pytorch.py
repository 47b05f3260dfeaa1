#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reprise against Python's torch.utils.checkpoint: same libtorch, same model, same run.

  vs_pytorch.py BENCH_FOLDER [gpt] [regions] [--rounds N] [--threads N] [--python PYTHON]

BENCH_FOLDER holds the programs that `make bench` builds. The status is 1 if a claim is missed.
"""
import argparse
import sys
from pathlib import Path

from gpt_comparison import compare_gpt
from region_comparison import compare_regions
from sides import Verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where gpt_step and region_step are")
    parser.add_argument("what", nargs="*", metavar="gpt|regions", help="default: both")
    parser.add_argument("--rounds", type=int, default=9, help="rounds that count (default 9)")
    parser.add_argument("--threads", type=int, default=2, help="of each side (default 2)")
    parser.add_argument("--python", help="a Python with the torch that the benches were built with "
                        "(default: looked for)")
    options = parser.parse_args()
    comparisons = {"regions": compare_regions, "gpt": compare_gpt}
    for what in options.what:
        if what not in comparisons:
            parser.error(f"expected gpt or regions, got {what}")
    if options.rounds < 3:
        parser.error(f"--rounds: expected at least 3, got {options.rounds}")
    verdicts = Verdicts()
    for name, compare in comparisons.items():
        if name in (options.what or comparisons):
            compare(options, verdicts)
    return 0 if verdicts.all_hold else 1


if __name__ == "__main__":
    sys.exit(main())
