"""The picture of a recoding: bars of the values as they are, the borders between bands, what results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sdc.report.drawing import Drawing, Mark, line, rect, text
from sdc.report.figures.plot import Scale, short
from sdc.spelling import counted
from sdc.statistics.coarsening.recoding import CannotRecode
from sdc.studio.recoding import borders, way_of

if TYPE_CHECKING:
    from sdc.studio.value_counts import ValueCounts

WIDTH, HEIGHT, LEFT, RIGHT, TOP, FOOT = 640, 190, 6, 6, 12, 28
MOST_BARS = 120
SMALL = 0.004
"""The least share of the height a bar that holds a record has: it must be seen."""


@dataclass(frozen=True)
class ResultingBand:
    """A value of the recoded variable: its label, its records, how many old values it holds."""

    label: str
    records: int
    values: int
    share: float
    is_group: bool = False


@dataclass(frozen=True)
class RecodingView:
    """A variable with its recoding: picture, borders and what results."""

    variable: str
    way: str
    drawing: Drawing
    borders: tuple[float, ...]
    low: float
    high: float
    step: float
    result: tuple[ResultingBand, ...]
    problem: str
    missing: int
    values: int
    is_numeric: bool
    is_date: bool
    ancestors: int = 0

    @property
    def smallest(self) -> int:
        return min((band.records for band in self.result), default=0)


def recoding_view(found: ValueCounts, option: Mapping[str, Any]) -> RecodingView:
    """The recoding as the method would do it on the values of the original."""
    way, problem = way_of(option), ""
    try:
        result = _result(found, option)
        edges = borders(option, found)
    except CannotRecode as cannot:
        problem, result, edges = str(cannot), (), []
    numeric, values = found.domain.numeric, found.domain.values
    low, high = (float(values.min()), float(values.max())) if numeric and len(values) else (0.0, 1.0)
    chain = option.get("hierarchy")
    return RecodingView(
        found.variable,
        way,
        picture(found, edges, result),
        tuple(edges),
        low,
        high,
        _step(found),
        result,
        problem,
        found.missing,
        len(values),
        numeric,
        found.domain.dates,
        min((len(above) for above in chain.values()), default=0) if isinstance(chain, Mapping) else 0,
    )


def _result(found: ValueCounts, option: Mapping[str, Any]) -> tuple[ResultingBand, ...]:
    total = max(int(found.counts.sum()), 1)
    if not way_of(option):
        if found.domain.numeric or found.domain.dates:
            return ()
        return tuple(
            ResultingBand(label, int(count), 1, int(count) / total)
            for label, count in zip(found.texts, found.counts, strict=True)
        )
    coarser, counts = found.recoded(dict(option))
    groups = option.get("groups") or {}
    held = np.bincount(coarser.codes, minlength=len(coarser.labels))
    return tuple(
        ResultingBand(label, count, int(values), count / total, label in groups)
        for label, count, values in zip(coarser.labels, counts, held, strict=True)
        if values
    )


def _step(found: ValueCounts) -> float:
    """How far a border moves at a time: one for whole numbers, else a hundredth of the range."""
    values = found.domain.values
    if not found.domain.numeric or not len(values) or bool(np.all(values == np.floor(values))):
        return 1.0
    return float(values.max() - values.min()) / 100 or 1.0


def picture(found: ValueCounts, edges: Sequence[float], result: Sequence[ResultingBand]) -> Drawing:
    """Bars of the counts, shaded band by band where there are borders."""
    bars = _bars(found)
    most = max((count for _, _, count, _ in bars), default=1) or 1
    foot = HEIGHT - FOOT
    low, high = (bars[0][0], bars[-1][1]) if bars else (0.0, 1.0)
    across = Scale(low, high if high > low else low + 1, LEFT, WIDTH - RIGHT)
    marks: list[Mark] = []
    for start, end, count, label in bars:
        tall = max(count / most, SMALL if count else 0) * (foot - TOP)
        band = int(np.searchsorted(edges, (start + end) / 2, side="right")) if edges else 0
        tip = f"{label}: {counted(int(count), 'record')}"
        style = f"bar band-{band % 2}"
        wide = max(across(end) - across(start) - 1, 0.6)
        marks.append(rect(across(start), foot - tall, wide, tall, style, tip=tip, values_of=found.variable))
    marks.append(line(LEFT, foot, WIDTH - RIGHT, foot, "axis"))
    marks += [line(across(edge), TOP - 6, across(edge), foot + 5, "border") for edge in edges]
    marks += _labels(found, bars, across)
    said = (
        f"{found.variable}: {counted(len(found.domain.values), 'value')}, {counted(found.records, 'record')}"
    )
    into = f"; {counted(len(result), 'value')} after recoding" if result else ""
    return Drawing(WIDTH, HEIGHT, tuple(marks), said + into)


Bar = tuple[float, float, float, str]


def _bars(found: ValueCounts) -> list[Bar]:
    """Begin, end, records and label of each bar: one for each value, or for each of many equal parts."""
    if not found.domain.numeric:
        return [
            (float(place), float(place + 1), float(count), label)
            for place, (label, count) in enumerate(zip(found.texts, found.counts, strict=True))
        ]
    values = found.domain.values
    if not len(values):
        return []
    whole = bool(np.all(values == np.floor(values)))
    low, high = float(values.min()), float(values.max()) + (1 if whole else 0)
    high = high if high > low else low + 1
    step = float(np.ceil((high - low) / MOST_BARS)) if whole else (high - low) / MOST_BARS
    ends = low + step * np.arange(int(np.ceil((high - low) / step - 1e-9)) + 1)
    counts, _ = np.histogram(values, bins=ends, weights=found.counts)
    return [
        (float(begin), float(end), float(count), short(float(begin)))
        for begin, end, count in zip(ends, ends[1:], counts, strict=False)
    ]


def _labels(found: ValueCounts, bars: Sequence[Bar], across: Scale) -> list[Mark]:
    foot = HEIGHT - 10
    if found.domain.numeric:
        return [text(across(tick), foot, short(tick), "label middle") for tick in across.ticks(8)]
    room = (WIDTH - LEFT - RIGHT) / max(len(bars), 1)
    letters = int(room / 6.5)
    if letters < 2:
        return []
    return [
        text(
            across((start + end) / 2),
            foot,
            label if len(label) <= letters else f"{label[: letters - 1]}…",
            "label middle",
            values_of=found.variable,
        )
        for start, end, _, label in bars
    ]
