# SPDX-License-Identifier: Apache-2.0
"""What a MemoryBudget did."""

from __future__ import annotations

from typing import Any

from . import _core


class Report:
    """Predicted against measured; ``print`` it, or take ``to_dict()``.

    Bytes of ``last`` are above those that were live when the pass began, but for
    ``total_peak_bytes``; times are in microseconds of one thread's CPU time.
    """

    def __init__(self, report: _core.BudgetReport) -> None:
        self._report = report

    def __getattr__(self, name: str) -> Any:
        return getattr(self._report, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._report.fields]

    def __str__(self) -> str:
        return self._report.text()

    def text(self) -> str:
        """The strip and the counters, for people."""
        return self._report.text()

    def values_text(self) -> str:
        """A line for each value of the last planned pass: bytes, op, label, what became of it."""
        return self._report.values_text()

    def to_dict(self) -> dict[str, Any]:
        """All fields, as plain Python data that ``json.dump`` takes."""
        return _as_data(self._report)


def _as_data(value: Any) -> Any:
    if isinstance(value, _core.Action):
        return value.name.lower()
    if isinstance(value, list):
        return [_as_data(each) for each in value]
    if hasattr(value, "fields"):
        return {name: _as_data(getattr(value, name)) for name in value.fields}
    return value
