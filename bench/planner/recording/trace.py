# SPDX-License-Identifier: Apache-2.0
"""One training step, watched: what its forward ops read and write, what backward unpacks, and when.

Two kinds of run, as neither can see everything:
- Forward runs under a dispatch mode see every op below autograd and drop all that autograd would
  save: the bytes live around an op are then those that the user's own code holds.
- Whole steps without the mode keep everything: the bytes live around a node of backward, less those
  of the saved values, are gradients and temporaries.
"""
import gc
import time

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


def now_us():
    return time.thread_time() * 1e6


class Windows:
    """Bytes above the start of the step: live now, and the peak of each stretch between two cuts."""

    def __init__(self, meter):
        self.meter, self.before = meter, 0

    def start(self):
        """The step begins: counted is what is above the bytes that are live now."""
        self.before = 0
        self.meter.start()

    def live_bytes(self):
        return self.before + self.meter.live_bytes()

    def cut(self):
        """The peak since the last cut."""
        peak = self.before + self.meter.peak_bytes()
        self.before = self.live_bytes()
        self.meter.start()
        return peak


class View:
    """Elements of one version of one storage."""

    def __init__(self, storage, version, tensor):
        self.storage, self.version = storage, version
        self.place = (tensor.storage_offset(), tuple(tensor.shape), tuple(tensor.stride()))
        self.item_bytes = tensor.element_size()


class Storage:
    def __init__(self, tensor, maker):
        self.bytes = tensor.untyped_storage().nbytes()
        self.makers = [] if maker is None else [maker]  # the op that wrote each version
        self.is_external = maker is None
        self.writes = []         # a view per version but the first
        self.released_at = None  # held to the end of forward, until found dead


class Op:
    def __init__(self, name, is_random):
        self.name, self.is_random = name, is_random
        self.reads, self.storages = [], []  # views; storages that it makes or writes
        self.made_bytes = 0
        self.transient_bytes = self.peak_bytes = 0
        self.call = 0  # its position among all calls of forward


def written_tensors(function, args, kwargs):
    """The arguments that the schema says are written."""
    written = []
    for i, argument in enumerate(function._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = args[i] if i < len(args) else kwargs.get(argument.name)
            written += [t for t in tree_leaves(value) if isinstance(t, torch.Tensor)]
    return written


class ForwardTrace(TorchDispatchMode):
    """Records the ops of forward; what autograd packs is noted and dropped."""

    def __init__(self, meter):
        super().__init__()
        self.windows = Windows(meter)
        self.ops, self.storages, self.packs = [], {}, []
        self.calls = 0  # those of views included
        self.alive = {}  # storages made in forward that were not found dead yet
        self.references = {}  # weak ones: they keep addresses from being used again

    def storage_of(self, tensor, maker=None):
        key = tensor.untyped_storage()._cdata
        if key not in self.storages:
            storage = self.storages[key] = Storage(tensor, maker)
            self.references[key] = StorageWeakRef(tensor.untyped_storage())
            if maker is not None:
                self.alive[key] = storage
        return self.storages[key]

    def view_of(self, tensor):
        storage = self.storage_of(tensor)
        return View(storage, len(storage.writes), tensor)

    def find_dead(self):
        for key in [key for key in self.alive if self.references[key].expired()]:
            self.alive.pop(key).released_at = len(self.ops) - 1

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        inputs = [t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        reads = [self.view_of(t) for t in inputs]
        written = written_tensors(function, args, kwargs)
        self.find_dead()
        live = self.windows.live_bytes()
        earlier = self.windows.cut()  # the rest of the op before: what came behind it is freed
        results = function(*args, **kwargs)
        peak = self.windows.cut()
        outputs = [t for t in tree_leaves(results) if isinstance(t, torch.Tensor)]
        fresh = [t for t in outputs if t.untyped_storage()._cdata not in self.storages]
        if self.ops:
            self.ops[-1].peak_bytes = max(self.ops[-1].peak_bytes, earlier)
        if fresh or written:
            op = Op(function._schema.name.removeprefix("aten::"),
                    torch.Tag.nondeterministic_seeded in function.tags)
            op.reads, op.call = reads, self.calls
            op.transient_bytes, op.peak_bytes = max(0, peak - live), peak
            self.add(op, fresh, written)
        self.calls += 1
        return results

    def add(self, op, fresh, written):
        self.ops.append(op)
        for tensor in fresh:
            storage = self.storage_of(tensor, op)
            if storage not in op.storages:
                op.storages.append(storage)
                op.made_bytes += storage.bytes
        for tensor in written:
            storage = self.storage_of(tensor)
            storage.writes.append(View(storage, len(storage.writes) + 1, tensor))
            storage.makers.append(op)
            if storage not in op.storages:
                op.storages.append(storage)

    def pack(self, tensor):
        self.packs.append(self.view_of(tensor))
        return len(self.packs) - 1

    def run(self, forward):
        """Forward with nothing kept. Gives the bytes that are live afterwards."""
        self.windows.start()
        with torch.autograd.graph.saved_tensors_hooks(self.pack, lambda _: None), self:
            loss = forward()
        self.ops[-1].peak_bytes = max(self.ops[-1].peak_bytes, self.windows.cut())
        self.find_dead()
        live = self.windows.live_bytes()
        del loss
        return live


class ForwardClock(TorchDispatchMode):
    """What each call of forward takes, with nothing else done in between and nothing kept."""

    def __init__(self):
        super().__init__()
        self.call_us = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        begin_us = now_us()
        results = function(*args, **(kwargs or {}))
        self.call_us.append(now_us() - begin_us)
        return results

    def run(self, forward):
        with torch.autograd.graph.saved_tensors_hooks(lambda _: None, lambda _: None), self:
            forward()


class Saved:
    """What stands for a saved tensor; the node that saved it lets go of it when it has run."""

    def __init__(self, trace, number, tensor):
        self.trace, self.number, self.tensor = trace, number, tensor

    def __del__(self):
        self.trace.on_release(self)


class Unpacking:
    """A node of backward that unpacks saved tensors, with the bytes live around it."""

    def __init__(self, name):
        self.name, self.packs = name, []
        self.begin_bytes = self.peak_bytes = self.after_bytes = 0
        self.cost_us = 0.0


class StepTrace:
    """A whole step that keeps every saved tensor which backward reads.

    `read_packs`: the numbers of those; None: not known yet, all are kept.
    """

    def __init__(self, meter, read_packs=None):
        self.windows, self.read_packs = Windows(meter), read_packs
        self.unpackings, self.shapes = [], []
        self.node = None  # the last that unpacked; held, so that no other takes its address
        self.is_running = False
        self.begin_us = 0

    def pack(self, tensor):
        number = len(self.shapes)
        self.shapes.append((tuple(tensor.shape), tensor.dtype))
        is_kept = self.read_packs is None or number in self.read_packs
        return Saved(self, number, tensor if is_kept else None)

    def unpack(self, saved):
        node = torch._C._current_autograd_node()
        if node is not self.node:
            peak = self.windows.cut()
            if self.unpackings:
                last = self.unpackings[-1]
                last.after_bytes = peak
            self.node, self.is_running = node, True
            self.unpackings.append(Unpacking(node.name()))
            self.unpackings[-1].begin_bytes = self.windows.live_bytes()
            self.begin_us = now_us()
        if saved.number not in self.unpackings[-1].packs:
            self.unpackings[-1].packs.append(saved.number)
        return saved.tensor

    def on_release(self, saved):
        is_of_node = self.unpackings and saved.number in self.unpackings[-1].packs
        if is_of_node and self.is_running:
            self.unpackings[-1].cost_us = now_us() - self.begin_us
            self.unpackings[-1].peak_bytes = self.windows.cut()
            self.is_running = False
        saved.tensor = None
        if is_of_node:
            self.windows.cut()  # what comes after the node begins behind its last release

    def run(self, forward):
        """Forward and backward. Gives the bytes that are live between them."""
        self.windows.start()
        with torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack):
            loss = forward()
        live = self.windows.live_bytes()
        self.windows.cut()
        loss.backward()
        self.unpackings[-1].after_bytes = self.windows.cut()
        self.node = None
        return live


def measured(model, run):
    """`run()` as a step of its own: no gradients at its start, nothing collected while it runs."""
    for parameter in model.parameters():
        parameter.grad = None
    torch.manual_seed(1234)
    gc.collect()
    gc.disable()
    try:
        return run()
    finally:
        gc.enable()


def plain_step(meter, forward):
    """CPU time of forward and of the step in microseconds, and the step's peak in bytes."""
    windows = Windows(meter)
    windows.start()
    begin_us = now_us()
    loss = forward()
    forward_us = now_us() - begin_us
    loss.backward()
    return forward_us, now_us() - begin_us, windows.cut()
