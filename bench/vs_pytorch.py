#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reprise against Python's torch.utils.checkpoint: same libtorch, same model, same run.

  vs_pytorch.py BENCH_FOLDER [gpt] [regions] [budgets] [--rounds N] [--threads N] [--python PYTHON]
  vs_pytorch.py BENCH_FOLDER budgets --models gpt --no-compile     the quickest part of budgets

BENCH_FOLDER holds the programs that `make bench` builds. The status is 1 if a claim is missed.
"""
import argparse
import sys
from pathlib import Path

from budget_comparison import MODELS, compare_budgets
from gpt_comparison import compare_gpt
from region_comparison import compare_regions
from sides import Verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where gpt_step and the other programs are")
    parser.add_argument("what", nargs="*", metavar="gpt|regions|budgets", help="default: all")
    parser.add_argument("--rounds", type=int, default=9, help="rounds that count (default 9)")
    parser.add_argument("--threads", type=int,
                        help="of each side (default 2, of budgets 1; regions always take 1)")
    parser.add_argument("--python", help="a Python with the torch that the benches were built with "
                        "(default: looked for)")
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS),
                        help="of budgets (default: all)")
    parser.add_argument("--no-compile", dest="has_compile", action="store_false",
                        help="leaves out torch.compile, of budgets")
    options = parser.parse_args()
    comparisons = {"regions": compare_regions, "gpt": compare_gpt, "budgets": compare_budgets}
    for what in options.what:
        if what not in comparisons:
            parser.error(f"expected gpt, regions or budgets, got {what}")
    if options.rounds < 3:
        parser.error(f"--rounds: expected at least 3, got {options.rounds}")
    verdicts = Verdicts()
    for name, compare in comparisons.items():
        if name in (options.what or comparisons):
            compare(options, verdicts)
    return 0 if verdicts.all_hold else 1


if __name__ == "__main__":
    sys.exit(main())
