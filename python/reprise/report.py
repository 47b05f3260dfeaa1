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
        if name.startswith("_"):  # also while copy and pickle make one, before it has a report
            raise AttributeError(name)
        return getattr(self._report, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._report.fields]

    def __repr__(self) -> str:
        return f"<reprise.Report of {self._report.passes} passes>"

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

    def plot(self, ax: Any = None) -> Any:
        """Draws the values of the last planned pass, in the order of forward, by what became of them.

        Needs matplotlib. ``ax``: Axes to draw on; new ones if None. Returns the Axes.
        """
        from matplotlib import pyplot

        if ax is None:
            _, ax = pyplot.subplots(figsize=(9, 3))
        for action, colour in _COLOURS.items():
            chosen = [
                (place, each.bytes / 2**20)
                for place, each in enumerate(self._report.values)
                if each.action == action
            ]
            if chosen:
                ax.bar(*zip(*chosen), width=1.0, color=colour, label=action.name.lower())
        last = self._report.last
        ax.set_title(
            f"peak {last.peak_bytes / 2**20:.1f} MiB of {last.keep_all_peak_bytes / 2**20:.1f}, "
            f"recompute +{last.predicted_overhead:.1%} predicted"
        )
        ax.set_xlabel("values, in the order of forward")
        ax.set_ylabel("MiB")
        if self._report.values:
            ax.legend()
        return ax


# Told apart by people who do not see all colours.
_COLOURS = {
    _core.Action.HELD: "#999999",
    _core.Action.KEPT: "#0072B2",
    _core.Action.RECOMPUTED: "#E69F00",
}


def _as_data(value: Any) -> Any:
    if isinstance(value, _core.Action):
        return value.name.lower()
    if isinstance(value, list):
        return [_as_data(each) for each in value]
    if hasattr(value, "fields"):
        return {name: _as_data(getattr(value, name)) for name in value.fields}
    return value
