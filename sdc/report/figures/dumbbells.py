"""Numbers before and after, one row each: a ring where it was, a dot where it is, a line between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sdc.report.drawing import Drawing, Mark, circle, line, rect, text
from sdc.report.figures.pairs import breadth
from sdc.report.figures.plot import Scale, short

ROW, TOP, WIDE = 26, 22, 300


@dataclass(frozen=True)
class Moved:
    """A number before and after, and what a reader should be told of it."""

    name: str
    before: float
    after: float
    said: str


def dumbbells(moved: Sequence[Moved], label: str, *, axis: str, zero_is_limit: bool = False) -> Drawing:
    """Rows on one scale. With `zero_is_limit` what lies below zero is shaded: it does not hold."""
    left = 20 + max(breadth(each.name) for each in moved)
    numbers = [0.0, *(value for each in moved for value in (each.before, each.after))]
    low, high = min(numbers), max(numbers)
    pad = (high - low) * 0.06 or 0.5
    scale = Scale(low - pad, high + pad, left, left + WIDE)
    foot = TOP + ROW * len(moved)
    marks: list[Mark] = []
    if zero_is_limit and low < 0:
        marks.append(rect(left, TOP - 4, scale(0.0) - left, foot - TOP + 4, "beyond"))
    for tick in scale.ticks(4):
        marks += [
            line(scale(tick), TOP - 4, scale(tick), foot, "base" if tick == 0 else "rule"),
            text(scale(tick), foot + 14, short(tick), "tick middle"),
        ]
    for place, each in enumerate(moved):
        y = TOP + ROW * place + ROW / 2
        marks += [
            text(left - 8, y + 4, each.name, "end"),
            line(scale(each.before), y, scale(each.after), y, "gap"),
            circle(scale(each.before), y, 5, "control", tip=f"before: {each.said}"),
            circle(scale(each.after), y, 5, "candidate", tip=each.said),
        ]
    marks += [
        circle(left + 6, 8, 4, "control"),
        text(left + 14, 12, "before", "tick"),
        circle(left + 70, 8, 4, "candidate"),
        text(left + 78, 12, "after", "tick"),
        text(left + WIDE / 2, foot + 32, axis, "axis middle"),
    ]
    return Drawing(int(left + WIDE) + 24, foot + 40, tuple(marks), label)
