# SPDX-License-Identifier: Apache-2.0
"""A second judge of schedules, as plainly as the rules of docs/file_formats.md can be said.

usage: judge.py PROGRAM.json SCHEDULE.json|keepall
Prints one line of JSON: peak_bytes, peak_slot, recompute_us, replays, floor_bytes, overhead.
"""

import json
import sys


def replays_by_use(program, schedule):
    """One list of recipes per use, in the order in which they run."""
    before = [[] for _ in program["uses"]]
    for replays in schedule["replays"]:
        before[replays["before_use"]] += replays["recipes"]
    return before


def judge(program, before):
    values, recipes, uses = program["values"], program["recipes"], program["uses"]
    resident = program["resident_bytes"]
    ops = len(program["forward_peak_bytes"])
    slots = list(program["forward_peak_bytes"])  # what no schedule controls

    counted = {v["id"] for v in values if not v.get("external", False)}
    made = {v: values[v]["made_at"] for v in counted}  # slot of the latest production
    read = dict(made)  # slot of the latest reading since then
    recorded = set(counted)  # values whose latest instance is forward's
    stays = []  # (first slot, last slot, bytes)

    def close(value):
        if value not in recorded:
            stays.append((made[value], read[value], values[value]["bytes"]))
        elif values[value]["released_at"] < ops:
            first = values[value]["released_at"] + 1
            if read[value] >= first:
                stays.append((first, read[value], values[value]["bytes"]))

    def read_all(ids):
        for value in ids:
            if value in counted:
                read[value] = len(slots)

    recompute_us, replays = 0.0, 0
    for use, todo in zip(uses, before):
        replaying, running, after = use["background_bytes"]
        for recipe in (recipes[r] for r in todo):
            read_all(recipe["inputs"])
            for value in recipe["outputs"]:
                close(value)
                made[value] = read[value] = len(slots)
                recorded.discard(value)
            outputs = sum(values[v]["bytes"] for v in recipe["outputs"])
            slots.append(replaying + resident + max(0, recipe["transient_bytes"] - outputs))
            recompute_us += recipe["cost_us"]
            replays += 1
        read_all(use["needs"])
        slots += [running + resident, after + resident]
    for value in counted:
        close(value)

    change = [0] * (len(slots) + 1)
    for first, last, size in stays:
        change[first] += size
        change[last + 1] -= size
    peak_bytes, peak_slot, live = 0, 0, 0
    for slot, fixed in enumerate(slots):
        live += change[slot]
        if live + fixed > peak_bytes:
            peak_bytes, peak_slot = live + fixed, slot
    return {"peak_bytes": peak_bytes, "peak_slot": peak_slot, "recompute_us": recompute_us,
            "replays": replays}


def floor_bytes(program):
    """What no schedule can go below."""
    values, resident = program["values"], program["resident_bytes"]
    ops = len(program["forward_peak_bytes"])
    floor = max(program["forward_peak_bytes"], default=0)
    for use in program["uses"]:
        needed = sum(values[v]["bytes"] for v in set(use["needs"])
                     if not values[v].get("external") and values[v]["released_at"] < ops)
        floor = max(floor, use["background_bytes"][1] + resident + needed,
                    use["background_bytes"][2] + resident)
    return floor


def main(program_path, schedule_path):
    with open(program_path, encoding="utf-8") as file:
        program = json.load(file)
    schedule = {"replays": []}
    if schedule_path != "keepall":
        with open(schedule_path, encoding="utf-8") as file:
            schedule = json.load(file)
    verdict = judge(program, replays_by_use(program, schedule))
    verdict["floor_bytes"] = floor_bytes(program)
    verdict["overhead"] = verdict["recompute_us"] / program["step_us"]
    print(json.dumps(verdict))


if __name__ == "__main__":
    main(*sys.argv[1:])
