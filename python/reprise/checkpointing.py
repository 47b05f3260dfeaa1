# SPDX-License-Identifier: Apache-2.0
"""checkpoint(fn, ...): a region whose internals are dropped after forward and recomputed."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree
from torch.utils import checkpoint as torch_checkpoint

from . import _core
from .selective import Policy, policy_for_core, policy_of_contexts

ContextFn = Callable[
    [], tuple[contextlib.AbstractContextManager, contextlib.AbstractContextManager]
]

_DETERMINISM_CHECKS = {
    "default": _core.DeterminismCheck.METADATA,
    "none": _core.DeterminismCheck.NONE,
    "values": _core.DeterminismCheck.VALUES,
}
_RECOMPUTES = ("replay", "rerun")

# Before patch() puts ours in their place.
_TORCH_CHECKPOINT = torch_checkpoint.checkpoint


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: ContextFn = torch_checkpoint.noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    recompute: str | None = None,
    policy: Policy | None = None,
    region: str = "",
    stats: _core.RegionStats | None = None,
    **kwargs: Any,
) -> Any:
    """Calls ``function(*args, **kwargs)`` as a region: what it computes is dropped after forward.

    A drop-in for ``torch.utils.checkpoint.checkpoint(..., use_reentrant=False)``: gradients, buffers
    and random streams are those of a direct call, bit for bit.

    Args:
        function: Runs once; with ``recompute="rerun"`` again in backward.
        use_reentrant: Taken for compatibility; both ways of PyTorch are this one here.
        context_fn: Returns two context managers, for ``function`` and for running it again. Those of
            ``torch.utils.checkpoint.create_selective_checkpoint_contexts`` are a ``policy``; with
            any others, ``recompute`` is "rerun" unless it is given.
        determinism_check: Of a rerun: "default" compares shapes, dtypes and devices with the first
            run, "values" the bytes too, "none" nothing. A replay cannot differ.
        debug: An error of a rerun has the ops of both runs in it.
        early_stop: A rerun ends as soon as the last needed value is there. Off for the whole process
            with ``torch.utils.checkpoint.set_checkpoint_early_stop(False)``.
        preserve_rng_state: A rerun draws the random numbers of the first run. A replay always does.
        recompute: "replay" (default) runs the recorded ops again, not ``function``: its side effects
            happen once. "rerun" runs ``function`` again, as PyTorch does; for ops that torch's
            dispatcher does not see.
            Inside of ``torch.compile``, PyTorch's own function runs: of these arguments it gets
            ``context_fn`` or ``policy``, and ``preserve_rng_state``.
        policy: What is kept all the same, op by op: ``policy(ctx, op, *args, **kwargs)`` returns a
            ``torch.utils.checkpoint.CheckpointPolicy`` or a bool, or a list of ops to save. For
            "replay".
        region: A name, shown in errors and ``stats``.
        stats: Counts what regions do, by name.

    Returns:
        What ``function`` returns.

    Raises:
        ValueError: an argument makes no sense.
        RuntimeError: from backward, in autograd's words, if a tensor that the region read was
            changed in place since.
        ReplayMismatch: from backward, if a rerun got other values than the first run; it is a
            ``torch.utils.checkpoint.CheckpointError``.
    """
    if torch.compiler.is_compiling():
        # A compiler plans what it keeps itself, and knows only torch's own function.
        if context_fn is not torch_checkpoint.noop_context_fn:
            kwargs["context_fn"] = context_fn
        elif policy is not None:
            kwargs["context_fn"] = functools.partial(
                torch_checkpoint.create_selective_checkpoint_contexts, policy
            )
        return _TORCH_CHECKPOINT(
            function, *args, use_reentrant=False, preserve_rng_state=preserve_rng_state, **kwargs
        )
    options = _core.RegionOptions()
    options.name = region
    options.determinism_check = _look_up(
        determinism_check, _DETERMINISM_CHECKS, "determinism_check"
    )
    globally_early = torch_checkpoint._enable_checkpoint_early_stop
    options.stops_early = early_stop if globally_early is None else globally_early
    options.debug = debug
    options.preserves_rng = preserve_rng_state
    if stats is not None:
        options.stats = stats
    if recompute is not None:
        _look_up(recompute, dict.fromkeys(_RECOMPUTES), "recompute")

    forward_context, recompute_context = context_fn()
    contexts_policy = policy_of_contexts(forward_context)
    has_contexts = context_fn is not torch_checkpoint.noop_context_fn and contexts_policy is None
    is_rerun = recompute == "rerun" or (recompute is None and has_contexts)
    if policy is not None and contexts_policy is not None:
        raise ValueError("checkpoint: expected a policy or a context_fn of one, got both")
    chosen = contexts_policy if policy is None else policy_for_core(policy)
    if is_rerun:
        if policy is not None:
            raise ValueError('checkpoint: expected recompute="replay" with a policy, got "rerun"')
        return _run_to_rerun(options, function, args, kwargs, forward_context, recompute_context)
    if chosen is not None:
        options.set_policy(chosen)
        forward_context = contextlib.nullcontext()
    return _call_in(_core.RecordedRun(options), function, args, kwargs, forward_context)


def checkpoint_sequential(
    functions: torch.nn.Sequential | Sequence[Callable[..., Any]],
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    **kwargs: Any,
) -> Any:
    """Runs ``input`` through ``functions`` in ``segments``, all but the last of which are regions.

    As ``torch.utils.checkpoint.checkpoint_sequential`` does, but sizes of segments differ by at most
    one: PyTorch's last one takes what is left. Backward needs the values of the last one at once.

    Args:
        functions: Each takes what the one before returns.
        segments: From 1 to the number of functions.
        kwargs: Those of ``checkpoint``.

    Raises:
        ValueError: ``segments`` is out of range.
    """
    stages = list(functions.children() if isinstance(functions, torch.nn.Sequential) else functions)
    if not 1 <= segments <= len(stages):
        raise ValueError(
            f"checkpoint_sequential: expected from 1 to {len(stages)} segments, got {segments}"
        )

    def run(first: int, last: int, value: Any) -> Any:
        for stage in stages[first:last]:
            value = stage(value)
        return value

    bounds = [len(stages) * i // segments for i in range(segments + 1)]
    for first, last in zip(bounds[:-2], bounds[1:-1]):
        input = checkpoint(run, first, last, input, **kwargs)
    return run(bounds[-2], bounds[-1], input)


def discard_output(x: torch.Tensor) -> torch.Tensor:
    """Autograd saves no bytes of ``x``, a result of a region: they come back with the region's.

    They go with the last reference to ``x`` that the program holds. Nothing happens to a tensor that
    no region can bring back, and inside of another region or a step. Returns ``x``.

    Raises:
        ValueError: ``x`` is a leaf that requires grad.
    """
    return _core.discard_output(x)


def _look_up(key: str, known: dict[str, Any], argument: str) -> Any:
    if key not in known:
        raise ValueError(
            f"checkpoint: expected {argument} to be one of {', '.join(known)}, got {key!r}"
        )
    return known[key]


def _tensors_in(value: Any) -> list[torch.Tensor]:
    return [each for each in pytree.tree_leaves(value) if isinstance(each, torch.Tensor)]


def _call_in(run, function, args, kwargs, forward_context):
    """Calls the function of a region whose run has begun; ends the run."""
    try:
        with forward_context:
            result = function(*args, **kwargs)
    except BaseException:
        run.abandon()
        raise
    run.finish(_tensors_in(result))
    return result


def _run_to_rerun(options, function, args, kwargs, forward_context, recompute_context):
    leaves, spec = pytree.tree_flatten((args, kwargs))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    inputs = [leaves[i] for i in places]
    others = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]

    def run_again(tensors: list[torch.Tensor]) -> None:
        again = list(others)
        for place, tensor in zip(places, tensors):
            again[place] = tensor
        again_args, again_kwargs = pytree.tree_unflatten(again, spec)
        with recompute_context:
            function(*again_args, **again_kwargs)

    run = _core.RegionRun(options, inputs, run_again)
    return _call_in(run, function, args, kwargs, forward_context)
