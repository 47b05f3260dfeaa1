# SPDX-License-Identifier: Apache-2.0
"""Policies: which values a region keeps, op by op, in PyTorch's terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Union

import torch
from torch.utils.checkpoint import (
    CheckpointPolicy,
    SelectiveCheckpointContext,
    _CachingTorchDispatchMode,
)

from . import _core

PolicyFunction = Callable[..., Union[CheckpointPolicy, bool]]
Policy = Union[PolicyFunction, Sequence[torch._ops.OpOverload]]
# (name, overload, arguments, results), as the C++ library asks.
CorePolicy = Callable[[str, str, list, list], _core.SaveAction]

_ACTIONS = {
    CheckpointPolicy.MUST_SAVE: _core.SaveAction.MUST_SAVE,
    CheckpointPolicy.PREFER_SAVE: _core.SaveAction.PREFER_SAVE,
    CheckpointPolicy.MUST_RECOMPUTE: _core.SaveAction.MUST_RECOMPUTE,
    CheckpointPolicy.PREFER_RECOMPUTE: _core.SaveAction.PREFER_RECOMPUTE,
    CheckpointPolicy.MUST_CPU_OFFLOAD: _core.SaveAction.MUST_OFFLOAD,
    CheckpointPolicy.PREFER_CPU_OFFLOAD: _core.SaveAction.PREFER_OFFLOAD,
    True: _core.SaveAction.MUST_SAVE,
    False: _core.SaveAction.PREFER_RECOMPUTE,
}


def policy_for_core(policy: Policy) -> CorePolicy:
    """The policy as the C++ library asks it.

    Raises:
        TypeError: it is neither a function nor a list of ops.
    """
    if callable(policy):
        return _asking(policy)
    ops = list(policy)
    for op in ops:
        if not isinstance(op, torch._ops.OpOverload):
            raise TypeError(
                "checkpoint: expected a policy function or a list of OpOverloads such as "
                f"torch.ops.aten.mm.default, got {op!r} in it"
            )
    return _asking(lambda ctx, op, *args, **kwargs: op in ops)


def policy_of_contexts(forward_context: Any) -> CorePolicy | None:
    """That of ``create_selective_checkpoint_contexts``; None if the context is any other."""
    if not isinstance(forward_context, _CachingTorchDispatchMode):
        return None
    return _asking(forward_context.policy_fn)


def _asking(policy: PolicyFunction) -> CorePolicy:
    def ask(name: str, overload: str, arguments: list, results: list) -> _core.SaveAction:
        namespace, base = name.split("::")
        op = getattr(getattr(getattr(torch.ops, namespace), base), overload or "default")
        context = SelectiveCheckpointContext(
            is_recompute=False, op_output=results[0] if len(results) == 1 else tuple(results)
        )
        args, kwargs = _as_called(op, arguments)
        return _action(policy(context, op, *args, **kwargs), op)

    return ask


def _as_called(op: torch._ops.OpOverload, arguments: list) -> tuple[list, dict[str, Any]]:
    """Positional arguments without trailing defaults, and keyword-only ones that are given."""
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    trailing = 0
    for declared, value in zip(op._schema.arguments, arguments):
        is_default = declared.has_default_value() and (
            value is declared.default_value
            or (not isinstance(value, torch.Tensor) and value == declared.default_value)
        )
        if declared.kwarg_only:
            if not is_default:
                kwargs[declared.name] = value
            continue
        trailing = trailing + 1 if is_default else 0
        args.append(value)
    return args[: len(args) - trailing], kwargs


def _action(answer: CheckpointPolicy | bool, op: torch._ops.OpOverload) -> _core.SaveAction:
    try:
        return _ACTIONS[answer]
    except (KeyError, TypeError):
        raise TypeError(
            f"checkpoint: expected a CheckpointPolicy or a bool from the policy for {op}, got "
            f"{answer!r}"
        ) from None
