"""A number by the few values of another one: a box for each value, of both tables; internal edition alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sdc.data.sharing import shared
from sdc.measures.comparison import BOTH, ordered
from sdc.report import wording
from sdc.report.drawing import Drawing, line, rect, text
from sdc.report.figures.plot import Plot, short, whose
from sdc.report.views import Figure
from sdc.spelling import counted
from sdc.statistics.counts.sorted_numbers import has_few_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sdc.arrays import Array
    from sdc.data.release_pair import ReleasePair
    from sdc.report.drawing import Mark
    from sdc.report.figures.scene import Drawer

SIZE = (310, 260)
FEW_VALUES = 12
"""A number with no more values in either table is discrete: lines around its densest records say nothing."""
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
ENOUGH = 30
"""Records of a value in each table without which it has no box."""
HEADROOM = 0.18
"""Room above the boxes, as a share of their height, for the names of the tables."""
BOX = 0.36
"""The breadth of a box, as a share of the room of its value."""


@dataclass(frozen=True)
class Box:
    """How a number is distributed among the records of one table that have one value of the other number."""

    records: int
    quantiles: tuple[float, ...]


@shared
def is_discrete(pair: ReleasePair, name: str) -> bool:
    return all(has_few_values(ordered(pair, name, side), FEW_VALUES) for side in BOTH)


def boxes(pair: ReleasePair, names: tuple[str, str], drawer: Drawer) -> Figure | None:
    """The second number by the values of the first; None where no value has enough records."""
    group, number = names
    original, candidate = (by_value(pair.numbers(group, side), pair.numbers(number, side)) for side in BOTH)
    every = original.keys() | candidate.keys()
    values = sorted(
        value
        for value in original.keys() & candidate.keys()
        if min(original[value].records, candidate[value].records) >= ENOUGH
    )
    if not values:
        return None
    rows = tuple(
        (
            drawer.value(group, short(value)),
            short(original[value].quantiles[2]),
            short(candidate[value].quantiles[2]),
        )
        for value in values
    )
    caption = (
        f"{number} for each value of {group}: the box holds the middle half of the records, the stroke in it"
        " is the median, the line reaches from the 5th to the 95th percentile."
        f"{_left_out(len(every) - len(values))}"
    )
    marks = tuple(_marks(names, values, (original, candidate), drawer))
    return Figure(
        wording.anchor("boxes", *names),
        f"{group} and {number}",
        caption,
        Drawing(*SIZE, marks, f"{number} by {group} in both tables"),
        (group, "median, original", "median, candidate"),
        rows,
    )


def _marks(
    names: tuple[str, str],
    values: Sequence[float],
    tables: tuple[Mapping[float, Box], Mapping[float, Box]],
    drawer: Drawer,
) -> Iterator[Mark]:
    group, number = names
    shown = [quantile for held in tables for value in values for quantile in held[value].quantiles]
    low, high = min(shown), max(shown)
    plot = Plot.of(SIZE, (-0.5, len(values) - 0.5), (low, high + HEADROOM * (high - low)), left=58)
    foot = plot.y.start
    yield from plot.side(drawer.label(number), values_of=number)
    yield line(plot.x.start, foot, plot.x.end, foot, "base")
    yield text((plot.x.start + plot.x.end) / 2, foot + 29, drawer.label(group), "axis middle")
    for place, value in enumerate(values):
        words = drawer.value(group, short(value))
        yield text(plot.x(place), foot + 14, words, "tick middle", values_of=group)
        for shift, style, held in zip((-0.5, 0.5), ("original", "candidate"), tables, strict=True):
            tip = f"{group} {words}, {style}"
            yield from _box(plot, place + shift * BOX, held[value], style, tip, number)
    yield from whose(plot.x.end - 4, plot.y.end + 12)


def by_value(groups: Array, numbers: Array) -> dict[float, Box]:
    """A box for each value of the first number, over the records that have both."""
    both = ~(np.isnan(groups) | np.isnan(numbers))
    groups, numbers = groups[both], numbers[both]
    return {
        float(value): Box(int(held.size), tuple(np.quantile(held, SHARES).tolist()))
        for value in np.unique(groups)
        if (held := numbers[groups == value]).size
    }


def _box(plot: Plot, place: float, held: Box, style: str, tip: str, number: str) -> list[Mark]:
    low, first, middle, third, high = map(plot.y, held.quantiles)
    left, right = plot.x(place - BOX / 2), plot.x(place + BOX / 2)
    said = f"{tip}: {held.records:,} records, median {short(held.quantiles[2])}"
    return [
        line(plot.x(place), low, plot.x(place), high, "whisker"),
        rect(left, third, right - left, first - third, style, tip=said, values_of=number),
        line(left, middle, right, middle, f"{style} median"),
    ]


def _left_out(values: int) -> str:
    if not values:
        return ""
    has = "has" if values == 1 else "have"
    return f" {counted(values, 'value')} of fewer than {ENOUGH} records in a table {has} no box."
