# SPDX-License-Identifier: Apache-2.0
"""patch(): libraries that call PyTorch's checkpoint functions call ours."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from torch.utils import checkpoint as torch_checkpoint

from . import checkpointing


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: checkpointing.ContextFn = torch_checkpoint.noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """``reprise.checkpoint`` with the arguments of PyTorch's function and no others.

    Every other keyword is one of ``function``'s, as it is for PyTorch.
    """
    preserve_rng_state = kwargs.pop("preserve_rng_state", True)
    return checkpointing.checkpoint(
        functools.partial(function, **kwargs) if kwargs else function,
        *args,
        use_reentrant=use_reentrant,
        context_fn=context_fn,
        determinism_check=determinism_check,
        debug=debug,
        early_stop=early_stop,
        preserve_rng_state=preserve_rng_state,
    )


_OURS = {
    torch_checkpoint.checkpoint: checkpoint,
    torch_checkpoint.checkpoint_sequential: checkpointing.checkpoint_sequential,
}


class Patch:
    """What patch() has changed; ``undo()``, or the end of a ``with`` block, changes it back."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def undo(self) -> None:
        while self._undo:
            self._undo.pop()()

    def __enter__(self) -> Patch:
        return self

    def __exit__(self, *exception: object) -> None:
        self.undo()

    def _set(self, module: Any, name: str, function: Any) -> None:
        present = getattr(module, name)
        setattr(module, name, function)
        self._undo.append(lambda: setattr(module, name, present))


def patch() -> Patch:
    """Puts ``reprise.checkpoint`` and ``checkpoint_sequential`` in the place of PyTorch's.

    In ``torch.utils.checkpoint`` and in every module that has imported them by name; modules that
    are imported later get them from there. ``model.gradient_checkpointing_enable()`` of Hugging Face
    then uses ours: call ``patch()`` before it. Doing so twice does nothing more.
    """
    patched = Patch()
    for module in list(sys.modules.values()):
        if not isinstance(module, ModuleType):
            continue
        attributes = dict(vars(module))  # not getattr: lazy modules import others
        if str(attributes.get("__name__")).split(".")[0] == "reprise":
            continue
        for name, present in attributes.items():
            ours = _ours_for(present)
            if ours is not None:
                patched._set(module, name, ours)
    return patched


def _ours_for(present: Any) -> Any:
    return next((ours for theirs, ours in _OURS.items() if present is theirs), None)
