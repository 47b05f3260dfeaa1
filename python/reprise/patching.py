# SPDX-License-Identifier: Apache-2.0
"""patch(): libraries that call PyTorch's checkpoint functions call ours."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from torch.utils import checkpoint as torch_checkpoint

from . import checkpointing

_OURS = {
    torch_checkpoint.checkpoint: checkpointing.checkpoint,
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
    for module in [torch_checkpoint, *sys.modules.values()]:
        if module is None or getattr(module, "__name__", "").split(".")[0] == "reprise":
            continue
        for name, present in list(vars(module).items()):
            ours = _ours_for(present)
            if ours is not None:
                patched._set(module, name, ours)
    return patched


def _ours_for(present: Any) -> Any:
    return next((ours for theirs, ours in _OURS.items() if present is theirs), None)
