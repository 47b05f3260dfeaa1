# SPDX-License-Identifier: Apache-2.0
"""Amounts as people write them: ``8 * 2**30``, ``"8GiB"``, ``"60%"``, ``"minimum"``."""

from __future__ import annotations

import operator
import re
from fractions import Fraction

_UNITS = {"": 1, "B": 1}
for _power, _letter in enumerate("KMGTPE", start=1):
    _UNITS[_letter + "iB"] = 1024**_power
    _UNITS[("k" if _letter == "K" else _letter) + "B"] = 1000**_power

_AMOUNT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([A-Za-z]*)\s*")
_MOST_BYTES = 2**60


def parse_bytes(amount: int | str, place: str) -> int:
    """``amount`` in bytes, rounded down: a number of bytes, or text such as "1.5GiB" or "200MB".

    Units are those of 1000 (kB, MB, GB, TB, PB, EB) and of 1024 (KiB, MiB, GiB, TiB, PiB, EiB).

    Raises:
        TypeError: it is neither.
        ValueError: it is no such amount, is not positive, or is above 2^60.
    """
    if isinstance(amount, bool) or not (isinstance(amount, str) or hasattr(amount, "__index__")):
        raise TypeError(
            f"{place}: expected bytes as an int or a str, got {type(amount).__name__}"
        )
    number = amount if isinstance(amount, str) else operator.index(amount)
    if isinstance(amount, str):
        match = _AMOUNT.fullmatch(amount)
        if match is None or match[2] not in _UNITS:
            units = ", ".join(unit for unit in _UNITS if unit)
            raise ValueError(f'{place}: expected bytes such as "8GiB" or "200MB", with a unit of {units}, got {amount!r}')
        number = int(Fraction(match[1]) * _UNITS[match[2]])
    if not 0 < number <= _MOST_BYTES:
        raise ValueError(f"{place}: expected bytes above 0 and at most 2^60, got {amount!r}")
    return number


def parse_share(text: str, place: str) -> float:
    """"60%" as 0.6.

    Raises:
        ValueError: it is no share above 0% and up to 100%.
    """
    try:
        share = float(text.strip().removesuffix("%")) / 100
    except ValueError:
        share = 0.0
    if not (text.strip().endswith("%") and 0 < share <= 1):
        raise ValueError(f"{place}: expected a share above 0% and up to 100%, got {text!r}")
    return share
