"""Axes: where a value lies on the paper, and which round numbers stand beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement
from sdc.report import wording
from sdc.report.drawing import line, text
from sdc.statistics.counts.histogram import round_edges

if TYPE_CHECKING:
    from sdc.catalogue.measurement import Assessment
    from sdc.report.drawing import Mark

LEFT, RIGHT, TOP, BOTTOM = 40, 20, 20, 34
MOST_POWERS = 4


def percent(share: float, digits: int = 1) -> str:
    """A share in percent, with a narrow no-break space."""
    return f"{100 * share:.{digits}f}\u202f%"


def short(number: float) -> str:
    return wording.number(number, 3)


def said(assessment: Assessment) -> str:
    """A measurement in a sentence of a caption: its name, its value and its interval."""
    outcome = assessment.outcome
    return (
        f"{assessment.alias} is {wording.reading(outcome.estimate, outcome.interval)}."
        if isinstance(outcome, Measurement)
        else ""
    )


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high` on pixels from `start` to `end`.

    On a logarithmic scale all are above zero.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        share = self._log_share(value) if self.log else (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, -0.05), 1.05) * (self.end - self.start)

    def _log_share(self, value: float) -> float:
        return log10(max(value, self.low / 2) / self.low) / log10(self.high / self.low)

    def ticks(self, most: int = 5) -> list[float]:
        """Round numbers on the scale."""
        if self.log:
            return self._powers()
        slack = (self.high - self.low) * 1e-9
        return [
            float(edge)
            for edge in round_edges(self.low, self.high, most)
            if self.low - slack <= edge <= self.high + slack
        ]

    def _powers(self) -> list[float]:
        """Powers of ten on the scale; where there are few, with twos and fives between them."""
        powers = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        for steps in ((1.0, 2.0, 5.0), (1.0, 3.0), (1.0,)):
            found = [
                step * 10.0**power
                for power in powers
                for step in steps
                if self.low <= step * 10.0**power <= self.high
            ]
            if len(found) <= MOST_POWERS:
                break
        return found


@dataclass(frozen=True)
class Plot:
    """A frame with two scales. `values_of` names the variable whose values stand on an axis.

    `hidden` are numbers no tick may show.
    """

    x: Scale
    y: Scale
    hidden: frozenset[float] = frozenset()

    @classmethod
    def of(
        cls,
        size: tuple[int, int],
        x: tuple[float, float],
        y: tuple[float, float],
        left: int = LEFT,
        hidden: frozenset[float] = frozenset(),
    ) -> Plot:
        width, height = size
        return cls(Scale(*_apart(x), left, width - RIGHT), Scale(*_apart(y), height - BOTTOM, TOP), hidden)

    def bottom(
        self, label: str, *, said: Callable[[float], str] = short, most: int = 5, values_of: str = ""
    ) -> list[Mark]:
        """Ticks and label of the horizontal axis."""
        foot = self.y.start
        marks = [line(self.x.start, foot, self.x.end, foot, "base")]
        for tick in self._shown(self.x.ticks(most), values_of):
            marks += [
                line(self.x(tick), foot, self.x(tick), foot + 4, "base"),
                text(self.x(tick), foot + 14, said(tick), "tick middle", values_of=values_of),
            ]
        return [
            *marks,
            *([text((self.x.start + self.x.end) / 2, foot + 29, label, "axis middle")] if label else []),
        ]

    def side(
        self, label: str, *, said: Callable[[float], str] = short, most: int = 4, values_of: str = ""
    ) -> list[Mark]:
        """Rules, ticks and label of the vertical axis; the label stands above it."""
        marks = [text(4, 11, label, "axis")]
        for tick in self._shown(self.y.ticks(most), values_of):
            marks += [
                line(self.x.start, self.y(tick), self.x.end, self.y(tick), "rule"),
                text(self.x.start - 5, self.y(tick) + 3.5, said(tick), "tick end", values_of=values_of),
            ]
        return marks

    def _shown(self, ticks: list[float], values_of: str) -> list[float]:
        return [tick for tick in ticks if not values_of or tick not in self.hidden]


def _apart(ends: tuple[float, float]) -> tuple[float, float]:
    """Two ends that differ."""
    return ends if ends[1] > ends[0] else (ends[0] - 0.5, ends[0] + 0.5)


def whose(x: float, y: float) -> list[Mark]:
    """The names of the two tables in their colours, one above the other."""
    return [
        text(x, y, "original", "end original strong"),
        text(x, y + 13, "candidate", "end candidate strong"),
    ]
