# SPDX-License-Identifier: Apache-2.0
"""Runs a step as a schedule says, by replaying the recorded ops: the proof of a recorded program.

Slow and for the checks of record_program.py only. What it shows: the recipes make again what
backward needs (gradients are equal in every bit), and the peak is the one that was predicted.
"""
import torch
from torch.utils._pytree import tree_leaves, tree_map

from recording.trace import ForwardTrace


def tensors_in(tree):
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


class RecordedTensor:
    """An argument of a recorded op that some op of the step made."""

    def __init__(self, view, dtype):
        self.view, self.dtype = view, dtype

    def within(self, storage):
        return torch.empty(0, dtype=self.dtype).set_(storage, *self.view.place)


class RandomState:
    """Held outside of torch's memory, which is being counted."""

    def __init__(self):
        self.state = bytes(torch.get_rng_state().tolist())

    def restore(self):
        torch.set_rng_state(torch.tensor(list(self.state), dtype=torch.uint8))


def made_by(op):
    """The storages that are new with it, in the order of its results."""
    return [s for s in op.storages if not s.is_external and s.makers[0] is op]


class CallTrace(ForwardTrace):
    """Records what is needed to call each op again, and keeps the storages that are asked for.

    A storage is named by the number of the op that made it and its place among those of that op.
    """

    def __init__(self, meter, kept_names=()):
        super().__init__(meter)
        self.kept_names, self.kept = kept_names, {}
        self.calls_of_ops = []

    def recorded(self, leaf):
        if not isinstance(leaf, torch.Tensor) or self.storage_of(leaf).is_external:
            return leaf
        return RecordedTensor(self.view_of(leaf), leaf.dtype)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        number = len(self.ops)
        arguments = tree_map(self.recorded, (args, kwargs or {}))
        is_random = torch.Tag.nondeterministic_seeded in function.tags
        state = RandomState() if is_random else None
        results = super().__torch_dispatch__(function, types, args, kwargs)
        if len(self.ops) > number:
            self.calls_of_ops.append((function, arguments, state))
            for place, storage in enumerate(made_by(self.ops[-1])):
                storage.name = (number, place)
                if storage.name in self.kept_names:
                    self.kept[storage.name] = next(
                        t.untyped_storage() for t in tensors_in(results)
                        if self.storage_of(t) is storage)
        return results


class Packed:
    def __init__(self, execution, number, tensor):
        self.execution, self.number, self.tensor = execution, number, tensor

    def __del__(self):
        self.tensor = None
        self.execution.on_release(self)


class Lifetimes:
    """Which instances of values there are: an event is a replay, or the node of a use."""

    def __init__(self, program, schedule):
        replays = {each["before_use"]: each["recipes"] for each in schedule["replays"]}
        self.events, self.replays_before = [], []  # (reads, writes); the events of a use's replays
        self.event_of_use, self.recipes = [], []
        for number, use in enumerate(program["uses"]):
            recipes = replays.get(number, [])
            first = len(self.events)
            self.replays_before.append(range(first, first + len(recipes)))
            for recipe in (program["recipes"][each] for each in recipes):
                self.events.append((recipe["inputs"], recipe["outputs"]))
            self.recipes += [*recipes, None]
            self.event_of_use.append(len(self.events))
            self.events.append((use["needs"], []))
        self.touches = {}  # per value: events, and whether they make it
        for event, (reads, writes) in enumerate(self.events):
            for value in reads:
                self.touches.setdefault(value, []).append((event, False))
            for value in writes:
                self.touches.setdefault(value, []).append((event, True))

    def kept_from_forward(self):
        return {value for value, touches in self.touches.items() if not touches[0][1]}

    def ends_with(self, event, value):
        """No event reads the instance any more."""
        later = [touch for touch in self.touches[value] if touch[0] > event]
        return not later or later[0][1]


class Execution:
    """`packs_of_uses`: per use, the numbers of what it unpacks; `names`: those of the values."""

    def __init__(self, meter, program, schedule, packs_of_uses, names):
        self.program, self.lifetimes = program, Lifetimes(program, schedule)
        self.values = {name: value for value, name in enumerate(names)}
        kept = {names[value] for value in self.lifetimes.kept_from_forward()}
        self.trace = CallTrace(meter, kept)
        self.use_of = {pack: use for use, packs in enumerate(packs_of_uses) for pack in packs}
        self.instances, self.use, self.is_running = {}, -1, False

    def pack(self, tensor):
        number = len(self.trace.packs)
        view = self.trace.view_of(tensor)
        self.trace.packs.append(view)
        if view.storage.is_external:
            return Packed(self, number, tensor if number in self.use_of else None)
        return Packed(self, number, RecordedTensor(view, tensor.dtype))

    def unpack(self, packed):
        if self.use_of[packed.number] != self.use:
            self.use, self.is_running = self.use_of[packed.number], True
            with torch.no_grad():
                for event in self.lifetimes.replays_before[self.use]:
                    self.replay(event)
        return self.tensor_of(packed.tensor, {})

    def on_release(self, packed):
        if self.is_running and self.use_of.get(packed.number) == self.use:
            self.is_running = False
            self.drop_ended(self.lifetimes.event_of_use[self.use])

    def drop_ended(self, event):
        reads, writes = self.lifetimes.events[event]
        for value in {*reads, *writes}:
            if self.lifetimes.ends_with(event, value):
                self.instances.pop(value, None)

    def tensor_of(self, leaf, fresh):
        if not isinstance(leaf, RecordedTensor):
            return leaf
        name = leaf.view.storage.name
        return leaf.within(fresh[name] if name in fresh else self.instances[self.values[name]])

    def replay(self, event):
        fresh = {}  # what the recipe made so far
        for number in self.program["recipes"][self.lifetimes.recipes[event]]["ops"]:
            self.call_again(number, fresh)
        self.instances.update((self.values[name], storage) for name, storage in fresh.items())
        fresh.clear()
        self.drop_ended(event)

    def call_again(self, number, fresh):
        function, recorded, random_state = self.trace.calls_of_ops[number]
        args, kwargs = tree_map(lambda leaf: self.tensor_of(leaf, fresh), recorded)
        if "native_batch_norm" in function._schema.name:
            args = [*args[:3], None, None, *args[5:]]  # else the running statistics were updated again
        known = {t.untyped_storage()._cdata for t in tensors_in((args, kwargs))}
        present = RandomState() if random_state else None
        if random_state:
            random_state.restore()
        results = function(*args, **kwargs)
        if present:
            present.restore()
        made = {t.untyped_storage()._cdata: t.untyped_storage() for t in tensors_in(results)
                if t.untyped_storage()._cdata not in known}
        for storage, again in zip(made_by(self.trace.ops[number]), made.values(), strict=True):
            fresh[storage.name] = again

    def run(self, forward):
        """The peak of the step's bytes."""
        windows = self.trace.windows
        windows.start()
        with torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack):
            with self.trace:
                loss = forward()
            self.instances = {self.values[name]: storage
                              for name, storage in self.trace.kept.items()}
            self.trace.kept.clear()
        peak = max(windows.cut(), *(op.peak_bytes for op in self.trace.ops))
        loss.backward()
        return max(peak, windows.cut())
