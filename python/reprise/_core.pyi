# SPDX-License-Identifier: Apache-2.0
"""The C++ library behind reprise; documented where the package uses it."""

import enum
from collections.abc import Callable
from typing import Any, ClassVar

import torch

def count_memory() -> None: ...
def is_counting_memory() -> bool: ...
def keep_freed_memory() -> None:
    """Lets the process keep the memory of freed tensors for those that come.

    Fetching it from the system again takes up to a tenth of a step under a budget. With glibc it
    sets the malloc options M_TRIM_THRESHOLD and M_MMAP_THRESHOLD, unless the environment does;
    elsewhere it does nothing. To be called at the start of the program.
    """

def format_bytes(bytes: int) -> str: ...
def live_hooks() -> int:
    """Saved-tensor handles, regions and tapes that are alive; 0 once every graph is gone."""

def is_recomputing() -> bool:
    """Whether this thread runs the function of a region again."""

def never_replay(op: str) -> None:
    """No region that replays, and no step, runs the operator ``op`` ("my_ops::send") again.

    From those on that begin from now; what it makes is kept. For ops that do more than their schema
    says. Collectives of torch need no declaration. Raises ValueError if no operator has this name.
    """

class MemoryMeter:
    def __init__(self, device: torch.device) -> None: ...
    @property
    def live_bytes(self) -> int: ...
    @property
    def start_bytes(self) -> int: ...
    @property
    def peak_bytes(self) -> int: ...
    @property
    def total_peak_bytes(self) -> int: ...

class LabelScope:
    def __init__(self, name: str) -> None: ...
    def enter(self) -> None: ...
    def exit(self) -> None: ...

class Action(enum.Enum):
    HELD: int
    KEPT: int
    RECOMPUTED: int

class ValueReport:
    fields: ClassVar[tuple[str, ...]]
    bytes: int
    shape: list[int]
    dtype: str
    op: str
    label: str
    action: Action
    why: str

class PassReport:
    fields: ClassVar[tuple[str, ...]]
    plan: str
    limit_bytes: int
    peak_bytes: int
    total_peak_bytes: int
    predicted_peak_bytes: int
    keep_all_peak_bytes: int
    predicted_recompute_us: float
    predicted_overhead: float
    is_above_overhead: bool
    replayed_ops: int
    recompute_us: float
    pass_us: float
    evictions: int
    held_bytes: int
    not_replayable_bytes: int
    replay_state_bytes: int
    has_departed: bool
    is_thrashing: bool

class BudgetReport:
    fields: ClassVar[tuple[str, ...]]
    steps: int
    passes: int
    planned_passes: int
    departures: int
    overruns: int
    thrashed: int
    corrections: int
    plans: int
    plan_ms: float
    unplanned_because: str
    last: PassReport
    values: list[ValueReport]
    def text(self) -> str: ...
    def values_text(self) -> str: ...

class MemoryBudgetOptions:
    device: torch.device
    planner: str
    iterations: int
    time_limit_s: float
    headroom_bytes: int
    is_hard: bool
    checks_ops: bool
    most_replays_per_op: float
    most_passes: int
    def set_progress(
        self, function: Callable[[float, int, int, float, bool], None] | None
    ) -> None: ...
    def set_most_overhead(self, share: float) -> None: ...
    def set_schedule(self, json: str, place: str) -> None: ...

class StepScope:
    def enter(self) -> None: ...
    def exit(self) -> None: ...

class MemoryBudget:
    def __init__(self, bytes: int, options: MemoryBudgetOptions) -> None: ...
    @staticmethod
    def above_start(bytes: int, options: MemoryBudgetOptions) -> MemoryBudget: ...
    @staticmethod
    def share_of_peak(share: float, options: MemoryBudgetOptions) -> MemoryBudget: ...
    @staticmethod
    def minimum(options: MemoryBudgetOptions) -> MemoryBudget: ...
    def step(self) -> StepScope: ...
    def name(self, path: str, tensor: torch.Tensor) -> None: ...
    def report(self) -> BudgetReport: ...
    def schedules_json(self) -> list[str]: ...
    def reuse(self, schedules: list[str], place: str) -> None: ...
    def program_json(self) -> str | None: ...
    def schedule_json(self) -> str | None: ...

class SaveAction(enum.Enum):
    MUST_SAVE: int
    PREFER_SAVE: int
    MUST_RECOMPUTE: int
    PREFER_RECOMPUTE: int
    MUST_OFFLOAD: int
    PREFER_OFFLOAD: int

class DeterminismCheck(enum.Enum):
    NONE: int
    METADATA: int
    VALUES: int

class RegionCounts:
    """Sums over every run of the regions that share one name."""

    @property
    def regions(self) -> int:
        """Forward runs that left something to recompute."""
    @property
    def reruns(self) -> int:
        """Times that a region's function ran again."""
    @property
    def recomputed_ops(self) -> int:
        """ATen ops below autograd that ran in backward."""
    @property
    def values(self) -> int:
        """Values that autograd wanted to keep, dropped instead."""
    @property
    def dropped_bytes(self) -> int:
        """Bytes that were freed after forward because of it."""
    @property
    def kept_bytes(self) -> int:
        """Saved random states, and contents before in-place writes."""
    @property
    def policy_bytes(self) -> int:
        """Of values that a policy keeps."""
    @property
    def offloads_kept(self) -> int:
        """Of them, values that it would rather move off the device."""
    @property
    def replay_peak_bytes(self) -> int:
        """The most that one replay had made at a time."""
    @property
    def idle_regions(self) -> int:
        """Forward runs from which backward needs no value."""

class RegionStats:
    """Collects RegionCounts by region name; thread-safe."""

    def __init__(self) -> None: ...
    def by_name(self) -> dict[str, RegionCounts]: ...
    def total(self) -> RegionCounts: ...
    def clear(self) -> None: ...
    def text(self) -> str: ...

class RegionOptions:
    name: str
    preserves_rng: bool
    determinism_check: DeterminismCheck
    stops_early: bool
    debug: bool
    stats: RegionStats | None
    def set_policy(self, function: Callable[[str, str, list, list], SaveAction]) -> None: ...

class RecordedRun:
    def __init__(self, options: RegionOptions) -> None: ...
    def finish(self, results: list[torch.Tensor]) -> None: ...
    def abandon(self) -> None: ...

class RegionRun:
    def __init__(
        self,
        options: RegionOptions,
        inputs: list[torch.Tensor],
        function: Callable[[list[torch.Tensor]], Any],
    ) -> None: ...
    def finish(self, results: list[torch.Tensor]) -> None: ...
    def abandon(self) -> None: ...

def discard_output(x: torch.Tensor) -> torch.Tensor: ...
def name(x: torch.Tensor, name: str) -> torch.Tensor: ...
