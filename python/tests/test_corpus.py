# SPDX-License-Identifier: Apache-2.0
"""Architectures of transformers, in the modes of ../corpus/run.py; all of them with REPRISE_CORPUS=all."""

import os
import sys
from pathlib import Path

import pytest
import torch

pytest.importorskip("transformers")
sys.path.insert(0, str(Path(__file__).parents[1] / "corpus"))

from architectures import ARCHITECTURES  # noqa: E402
from run import fixed_seed, rows_of  # noqa: E402

# One of each kind: plain and grouped attention, experts, relative positions, hashing, a scan, an
# encoder with a decoder, convolutions with statistics, windows, spectra, sound, time series.
SOME = [
    "gpt2", "mixtral", "deberta", "reformer", "mamba2", "t5", "resnet", "swin", "fnet", "wav2vec2",
    "autoformer",
]
NAMES = list(ARCHITECTURES) if os.environ.get("REPRISE_CORPUS") == "all" else SOME


@pytest.mark.parametrize("name", NAMES)
def test_every_mode_gives_the_bits_of_plain_training(name, monkeypatch):
    monkeypatch.setattr(torch, "seed", fixed_seed)
    rows = list(rows_of(ARCHITECTURES[name]))
    assert [f"{row.mode}: {row.outcome}" for row in rows if row.is_fault] == []
    assert name == "reformer" or any(row.mode in ("70%", "50%") and row.outcome == "equal" for row in rows)
