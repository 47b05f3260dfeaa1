# SPDX-License-Identifier: Apache-2.0
"""The Python side of bench/step.h: measures steps and answers commands, one JSON object a line."""
import ctypes
import gc
import json
import sys
import time
from pathlib import Path

import torch


class Meter:
    """reprise::MemoryMeter, from the library that the benches build."""

    def __init__(self, library):
        lib = ctypes.CDLL(library)
        for name in ("meter_live_bytes", "meter_peak_bytes"):
            getattr(lib, name).restype = ctypes.c_int64
        self.start = lib.meter_start
        self.live_bytes = lib.meter_live_bytes
        self.peak_bytes = lib.meter_peak_bytes
        self.start()  # counts from here on


class MallInfo2(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in
                ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
                 "fordblks", "keepcost")]


def heap_bytes_in_use():
    """What malloc has given out. Python's own objects are in it only with PYTHONMALLOC=malloc."""
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = MallInfo2
    info = mallinfo2()
    return info.uordblks + info.hblkhd


def measure_step(meter, forward, sees_heap=False):
    gc.collect()  # before the clock starts: what earlier steps left is not this step's
    meter.start()
    heap_before = heap_bytes_in_use() if sees_heap else 0
    cpu_start, start = time.process_time(), time.perf_counter()
    loss = forward()
    residue = meter.live_bytes()
    heap = heap_bytes_in_use() - heap_before if sees_heap else 0
    loss.backward()
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu_start
    return {"wall_ms": wall * 1e3, "cpu_ms": cpu * 1e3, "peak_bytes": meter.peak_bytes(),
            "residue_bytes": residue, "heap_bytes": heap, "loss": loss.item()}


def answer_commands(answer):
    library = Path(torch.__file__).parent / "lib" / "libtorch_cpu.so"
    print(json.dumps({"libtorch": str(library), "threads": torch.get_num_threads(),
                      "version": torch.__version__}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(line.split())), flush=True)
