# SPDX-License-Identifier: Apache-2.0
"""What was watched of a step becomes a `reprise.program` of version 1 (docs/file_formats.md).

Values are the storages that forward made, each as its last write left it. A recipe makes such
storages from others:
- All ops that write one storage belong to one recipe: earlier versions are overwritten, so nobody
  can keep them.
- An op that reads an earlier version reads, if no later write touches the elements that it reads,
  what is there in the end as well; so it takes the last version as its input. This is decided per
  view: chunks of one storage differ.
- Otherwise the op joins the recipe that makes the storage, whose results it adds to.
- Recipes that would need each other are one.
External values (parameters, inputs) are left out: they are always there.
"""
import json
import statistics

import torch


class StepError(Exception):
    """The step cannot be put as a program; or what was measured of it disagrees with itself."""


def touched(view):
    """Which elements of the storage the view covers, as a mask."""
    mask = torch.zeros(view.storage.bytes // view.item_bytes, dtype=torch.bool)
    offset, sizes, strides = view.place
    mask.as_strided(sizes, strides, offset).fill_(True)
    return mask


def outlives_later_writes(view):
    """What the view reads is still there in the last version of its storage."""
    later = view.storage.writes[view.version:]
    if any(write.item_bytes != view.item_bytes for write in later):
        return False
    return not any((touched(view) & touched(write)).any() for write in later)


class Groups:
    """Disjoint sets of op numbers, merged one by one."""

    def __init__(self, count):
        self.parents = list(range(count))

    def find(self, op):
        while self.parents[op] != op:
            self.parents[op] = self.parents[self.parents[op]]
            op = self.parents[op]
        return op

    def merge(self, ops):
        first = min(self.find(op) for op in ops)
        for op in ops:
            self.parents[self.find(op)] = first


def reachable(start, edges):
    seen, open_ = set(), [start]
    while open_:
        for other in edges[open_.pop()]:
            if other not in seen:
                seen.add(other)
                open_.append(other)
    return seen


def find_cycle(groups, needs):
    """Groups that need each other; empty if there are none."""
    edges = {group: set() for group in map(groups.find, range(len(needs)))}
    for op, others in enumerate(needs):
        edges[groups.find(op)] |= {groups.find(other) for other in others}
    for group in edges:
        edges[group].discard(group)
    done, waiting = set(), True
    while waiting:  # takes away what depends on nothing that is left
        waiting = [group for group in edges if group not in done and edges[group] <= done]
        done.update(waiting)
    left = {group: edges[group] - done for group in edges if group not in done}
    for group in left:
        around = reachable(group, left)
        if group in around:
            return [other for other in around if group in reachable(other, left)]
    return []


def group_ops(ops):
    """The number of its recipe's first op for each op."""
    numbers = {id(op): number for number, op in enumerate(ops)}
    groups, needs = Groups(len(ops)), [set() for _ in ops]
    for number, op in enumerate(ops):
        for storage in op.storages:
            if not storage.is_external:
                groups.merge([number, numbers[id(storage.makers[0])]])
    for number, op in enumerate(ops):
        for view in op.reads:
            if view.storage.is_external:
                continue
            maker = numbers[id(view.storage.makers[0])]
            needs[number].add(maker)
            if groups.find(maker) != groups.find(number) and not outlives_later_writes(view):
                groups.merge([number, maker])
    while cycle := find_cycle(groups, needs):
        groups.merge(cycle)
    return [groups.find(number) for number in range(len(ops))]


def recipe_of(numbers, ops, costs_us):
    """The recipe that runs these ops one after another; inputs and outputs are storages."""
    outputs, inputs, built, transient = {}, {}, 0, 0  # dictionaries keep order and have nothing twice
    for number in numbers:
        transient = max(transient, built + ops[number].transient_bytes)
        built += ops[number].made_bytes
        outputs.update((s, None) for s in ops[number].storages if not s.is_external)
    for number in numbers:
        inputs.update((view.storage, None) for view in ops[number].reads
                      if not view.storage.is_external and view.storage not in outputs)
    return {"name": ops[numbers[-1]].name, "cost_us": sum(costs_us[n] for n in numbers),
            "transient_bytes": max(transient, built), "ops": numbers,
            "inputs": list(inputs), "outputs": list(outputs),
            "random": any(ops[n].is_random for n in numbers)}


def needed_recipes(ops, costs_us, needs):
    """The recipes behind the needed storages, in the order of their first ops."""
    roots, members = group_ops(ops), {}
    for number, root in enumerate(roots):
        members.setdefault(root, []).append(number)
    numbers = {id(op): number for number, op in enumerate(ops)}
    recipes, open_ = {}, [s for storages in needs for s in storages]
    while open_:
        root = roots[numbers[id(open_.pop().makers[0])]]
        if root not in recipes:
            recipes[root] = recipe_of(members[root], ops, costs_us)
            open_ += recipes[root]["inputs"]
    return [recipes[root] for root in sorted(recipes)]


def needed_storages(packs, numbers):
    storages = []
    for pack in (packs[number] for number in numbers):
        if pack.storage.is_external or pack.storage in storages:
            continue
        if not outlives_later_writes(pack):
            raise StepError("a saved tensor is written after it was saved")
        storages.append(pack.storage)
    return storages


def median_of(runs, read):
    """Item by item over several runs of the same step."""
    return [statistics.median(each) for each in zip(*(read(run) for run in runs))]


def backgrounds(unpackings, needs, resident_bytes):
    """Per use the three numbers of the format: what is live less what the needed values take."""
    last_use = {storage: use for use, storages in enumerate(needs) for storage in storages}
    kept = sum(s.bytes for s in last_use if s.released_at is not None)
    triples = []
    for use, unpacking in enumerate(unpackings):
        freed = sum(s.bytes for s in needs[use]
                    if last_use[s] == use and s.released_at is not None)
        triples.append([unpacking.begin_bytes - kept - resident_bytes,
                        unpacking.peak_bytes - kept - resident_bytes,
                        unpacking.after_bytes - (kept - freed) - resident_bytes])
        kept -= freed
        if min(triples[-1]) < 0:
            raise StepError(f"use {use} ({unpacking.name}): fewer bytes are live than the values "
                            f"that are kept take: {triples[-1]}")
    return triples


def op_costs(trace, clocks):
    """Per op, less what it takes to call one from Python: the median of those that run no kernel."""
    call_us = median_of(clocks, lambda run: run.call_us)
    if len(call_us) != trace.calls:
        raise StepError("forward makes other calls when it is timed")
    calls = {op.call for op in trace.ops}
    views = [us for call, us in enumerate(call_us) if call not in calls]
    python_us = statistics.median(views) if views else 0
    return [max(0.1, call_us[op.call] - python_us) for op in trace.ops]


def build_program(name, trace, clocks, steps, plain):
    """The program, and the storages that its values are.

    `clocks`, `steps`: several traces of each kind; `plain`: medians in microseconds.
    """
    step, ops = steps[0], trace.ops
    op_us = op_costs(trace, clocks)
    use_us = median_of(steps, lambda run: [each.cost_us for each in run.unpackings])
    needs = [needed_storages(trace.packs, each.packs) for each in step.unpackings]
    recipes = needed_recipes(ops, op_us, needs)
    resident_bytes = sum(s.bytes for s in trace.storages.values()
                         if not s.is_external and s.released_at is None)
    values, numbers = [], {id(op): number for number, op in enumerate(ops)}
    ids = {}
    for recipe_id, recipe in enumerate(recipes):
        for storage in recipe["outputs"]:
            ids[storage] = len(values)
            made_at = numbers[id(storage.makers[-1])]
            held = len(ops) if storage.released_at is None else max(made_at, storage.released_at)
            values.append({"id": len(values), "bytes": storage.bytes, "made_at": made_at,
                           "released_at": held, "recipe": recipe_id})
    triples = backgrounds(step.unpackings, needs, resident_bytes)
    program = {
        "format": "reprise.program", "version": 1, "name": name, "device": "cpu",
        "step_us": round(plain["step_us"]), "forward_us": round(plain["forward_us"]),
        "resident_bytes": resident_bytes,
        "forward_peak_bytes": [op.peak_bytes for op in ops],
        "values": values,
        "recipes": [{"id": i, "name": recipe["name"], "cost_us": round(recipe["cost_us"], 1),
                     "transient_bytes": recipe["transient_bytes"], "ops": recipe["ops"],
                     "inputs": [ids[s] for s in recipe["inputs"]],
                     "outputs": [ids[s] for s in recipe["outputs"]],
                     **({"random": True} if recipe["random"] else {})}
                    for i, recipe in enumerate(recipes)],
        "uses": [{"name": each.name, "cost_us": round(us, 1), "background_bytes": triple,
                  "needs": [ids[s] for s in storages]}
                 for each, us, triple, storages in zip(step.unpackings, use_us, triples, needs)],
    }
    return program, list(ids)


def as_text(program):
    """One line per value, recipe and use, as `reprise` writes programs."""
    def line(part):
        return json.dumps(part, separators=(",", ":"))
    fields = []
    for key, field in program.items():
        if key in ("values", "recipes", "uses"):
            rows = ",\n".join("  " + line(row) for row in field)
            fields.append(f' "{key}":[\n{rows}\n ]')
        else:
            fields.append(f' "{key}":{line(field)}')
    return "{\n" + ",\n".join(fields) + "\n}\n"
