"""Draws any measurement from its own parts, where no figure of its own is registered for it."""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement
from sdc.report import wording
from sdc.report.drawing import Drawing, Mark, line, rect, text
from sdc.report.figures.pairs import breadth
from sdc.report.figures.plot import Scale, said, short
from sdc.report.views import Figure
from sdc.spelling import counted

if TYPE_CHECKING:
    from sdc.catalogue.measurement import Assessment

MOST, ROW, WIDE = 12, 24, 220


def parts_figure(assessment: Assessment) -> Figure | None:
    """The value with its interval, and below it the parts it is one of; None where nothing was measured."""
    taken = assessment.outcome
    if not isinstance(taken, Measurement):
        return None
    head, group = group_of(taken.value, taken.parts)
    shown = sorted(group.items(), key=lambda item: (-abs(item[1]), item[0]))[:MOST]
    rows = [(assessment.alias, taken.estimate), *shown]
    ends = (taken.interval.low, taken.interval.high) if taken.interval else ()
    left = 20 + max(breadth(name) for name, _ in rows)
    numbers = [0.0, *ends, *(value for _, value in rows)]
    low, high = min(numbers), max(numbers)
    scale = Scale(low, high if high > low else low + 1.0, left, left + WIDE)
    marks = [line(scale(0.0), 2, scale(0.0), 6 + ROW * len(rows), "base")]
    for place, (name, value) in enumerate(rows):
        marks += _row(scale, left, 4 + place * ROW, name, value, "strong" if place == 0 else "")
    if ends:
        marks += [line(scale(ends[0]), 14, scale(ends[1]), 14, "whisker")]
    drawing = Drawing(
        int(scale.end) + 70, 12 + ROW * len(rows), tuple(marks), f"{assessment.alias} and its parts"
    )
    numbers_of = tuple((name, short(value)) for name, value in (*rows[:1], *sorted(taken.parts.items())))
    return Figure(
        wording.anchor("parts", assessment.alias),
        f"{assessment.alias} and its parts",
        f"{said(assessment)} {_left_out(head, len(shown), len(group))}".strip(),
        drawing,
        ("part", "value"),
        numbers_of,
        wide=True,
    )


def _row(scale: Scale, left: float, y: float, name: str, value: float, style: str) -> list[Mark]:
    start, end = sorted((scale(0.0), scale(value)))
    return [
        text(left - 8, y + 14, name, f"end {style}".strip()),
        rect(start, y + 4, max(end - start, 1.0), 12, "candidate", tip=f"{name}: {short(value)}"),
        text(end + 6, y + 14, short(value), "tick"),
    ]


def group_of(value: float, parts: Mapping[str, float]) -> tuple[str, dict[str, float]]:
    """The parts named HEAD.REST, by their rest, of the head one of whose parts is the value itself.

    Parts of other heads may be on another scale; they are in the table only.
    """
    groups: dict[str, dict[str, float]] = {}
    for name, held in parts.items():
        head, dot, rest = name.partition(".")
        if dot:
            groups.setdefault(head, {})[rest] = held
    for head, group in groups.items():
        if any(isclose(abs(held), abs(value), rel_tol=1e-12) for held in group.values()):
            return head, group
    return "", {}


def _left_out(head: str, shown: int, there: int) -> str:
    if not there:
        return ""
    if shown == there:
        return f"Below it {counted(there, 'part')} named {head}."
    return f"Below it the {shown} largest of {there} parts named {head}."
