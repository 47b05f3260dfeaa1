# SPDX-License-Identifier: Apache-2.0
"""Has judge.py judge what the simulator judged: judge_test.py PATH_TO_JUDGED_SCHEDULES."""

import json
import subprocess
import sys

from judge import judge, replays_by_use

LEAST_SCHEDULES = 10000


def main(program_path):
    judged = 0
    program = None
    with subprocess.Popen([program_path], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            entry = json.loads(line)
            if "program" in entry:
                program = entry["program"]
                continue
            schedule = entry["schedule"]
            ours = {**schedule["predicted"], "peak_slot": entry["peak_slot"],
                    "replays": entry["replays"]}
            theirs = judge(program, replays_by_use(program, schedule))
            if ours != theirs:
                sys.exit(f"{program['name']}, schedule {judged}: the simulator says {ours}, "
                         f"the judge {theirs}; its replays: {schedule['replays']}")
            judged += 1
    if process.returncode != 0:
        sys.exit(f"{program_path}: exit code {process.returncode}")
    if judged < LEAST_SCHEDULES:
        sys.exit(f"expected at least {LEAST_SCHEDULES} schedules, got {judged}")
    print(f"{judged} schedules agree")


if __name__ == "__main__":
    main(*sys.argv[1:])
