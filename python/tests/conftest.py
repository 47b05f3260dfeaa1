# SPDX-License-Identifier: Apache-2.0
import pytest
import reprise  # noqa: F401  before any tensor is made, so that all memory is counted
import torch
from helpers import assert_nothing_left


@pytest.fixture(autouse=True)
def leaves_nothing_behind():
    """Every test ends without a live hook, region or tape."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    yield
    assert_nothing_left()
