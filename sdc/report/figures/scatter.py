"""Records of two numeric variables as points, of both tables; for the internal edition alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sdc.data.release_pair import ReleasePair, Side
from sdc.report import wording
from sdc.report.drawing import Drawing, circle
from sdc.report.figures.figure_registry import PAIRS, figure
from sdc.report.figures.plot import Plot, said, whose
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.arrays import Array
    from sdc.report.drawing import Mark
    from sdc.report.figures.scene import Drawer, Scene

SIZE = (310, 260)
MOST_POINTS = 600
"""Of each table; more cannot be told apart."""


@figure(chapter=PAIRS, order=30, measures=("dependence_change",), from_tables=True)
def scatter(scene: Scene) -> Iterator[Figure | None]:
    """Points of the pairs that the profile names."""
    for both in scene.facts.profile.figures.pairs:
        yield points_of(scene.pair, both, scene.drawer)


def points_of(pair: ReleasePair, both: tuple[str, str], drawer: Drawer) -> Figure | None:
    """Both tables on one plot: of a large table, records at even steps of its order by the two values."""
    made = plotted(pair, both, drawer)
    if made is None:
        return None
    marks = made[1]
    name = f"{both[0]} and {both[1]}"
    measured = next(iter(drawer.taken("dependence_change")), None)
    caption = f"Records of both tables. {said(measured) if measured else ''}".strip()
    drawing = Drawing(*SIZE, tuple(marks), f"Records by {name} in both tables")
    return Figure(wording.anchor("scatter", *both), f"{name}, record by record", caption, drawing)


def plotted(pair: ReleasePair, both: tuple[str, str], drawer: Drawer) -> tuple[Plot, list[Mark]] | None:
    """The axes, which hold all records of both tables, and the points."""
    tables = {side: _records(pair, both, side) for side in (Side.ORIGINAL, Side.CANDIDATE)}
    if not all(len(records) for records in tables.values()):
        return None
    every = np.concatenate(list(tables.values()))
    low, high = every.min(axis=0), every.max(axis=0)
    plot = Plot.of(SIZE, (float(low[0]), float(high[0])), (float(low[1]), float(high[1])), left=58)
    marks = [
        *plot.side(drawer.label(both[1]), values_of=both[1]),
        *plot.bottom(drawer.label(both[0]), values_of=both[0]),
    ]
    for side, records in tables.items():
        shown = records[np.linspace(0, len(records) - 1, min(MOST_POINTS, len(records))).astype(int)]
        marks += [circle(plot.x(x), plot.y(y), 2, f"{side.value} faint") for x, y in shown.tolist()]
    return plot, [*marks, *whose(plot.x.end - 4, plot.y.end + 12)]


def _records(pair: ReleasePair, both: tuple[str, str], side: Side) -> Array:
    if any(not pair.table(side).is_numeric(name) for name in both):
        return np.empty((0, 2))
    values = np.column_stack([pair.numbers(name, side) for name in both])
    values = values[~np.isnan(values).any(axis=1)]
    ordered: Array = values[np.lexsort((values[:, 1], values[:, 0]))]
    return ordered
