"""Do variables still go together as before?

The change of correlations, and contours of two variables at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from sdc.catalogue.measurement import Measurement
from sdc.data import sql
from sdc.data.classes import Classed
from sdc.measures.comparison import BOTH, observed
from sdc.report import wording
from sdc.report.drawing import Drawing, Mark, outline, rect, text
from sdc.report.figures.pairs import looked_at, most_changed, row_names, selection
from sdc.report.figures.plot import Plot, whose
from sdc.report.views import Figure
from sdc.statistics.counts.histogram import round_edges
from sdc.statistics.distances.contours import bandwidths, contour, density_levels, smoothed

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sdc.catalogue.measurement import Assessment
    from sdc.data.release_pair import ReleasePair
    from sdc.data.table import Table
    from sdc.report.figures.draw import Drawer

MOST_VARIABLES, MOST_PAIRS = 10, 3
AFFORDABLE = 100_000_000
"""Records in all pairs together that are correlated for one report."""
CELL, GAP = 34, 26
SIZE = (310, 260)
GRID = 40
CONTENTS = (0.25, 0.5, 0.75)
TRIM = (0.02, 0.95)


@dataclass(frozen=True)
class Correlations:
    """Pearson's correlations of both tables, by pair of variables; None where one of them does not vary.

    `known` is how many variables there are, also those not looked at. `measured` are the changes
    dependence_change gave, and `source` its name and kind, where it was measured.
    """

    names: tuple[str, ...]
    original: dict[tuple[str, str], float | None]
    candidate: dict[tuple[str, str], float | None]
    known: int
    measured: dict[tuple[str, str], float] = field(default_factory=dict)
    source: str = ""

    def change(self, pair: tuple[str, str]) -> float | None:
        """The change that was measured, of whatever kind of correlation; else that of Pearson's."""
        if self.measured:
            return self.measured.get(pair)
        before, after = self.original[pair], self.candidate[pair]
        return None if before is None or after is None else after - before


def correlations(
    pair: ReleasePair, names: Sequence[str], assessment: Assessment | None = None
) -> Correlations:
    """Over records with both values, computed in DuckDB.

    Changes are those of a dependence_change where one was measured.
    """
    held = looked_at(names, pair.original.rows + pair.candidate.rows, AFFORDABLE, MOST_VARIABLES)
    found = Correlations(
        held, _correlations(pair.original, held), _correlations(pair.candidate, held), len(names)
    )
    if assessment is None or not isinstance(assessment.outcome, Measurement):
        return found
    parts = assessment.outcome.parts
    measured = {
        both: parts[part]
        for both in combinations(held, 2)
        if (part := f"correlation.{both[0]}.{both[1]}") in parts
    }
    kind = str(assessment.options.get("kind", "pearson"))
    return (
        replace(
            found,
            measured=measured,
            source=assessment.alias if kind == "pearson" else f"{assessment.alias}, {kind}",
        )
        if measured
        else found
    )


def _correlations(table: Table, names: Sequence[str]) -> dict[tuple[str, str], float | None]:
    import math

    pairs = list(combinations(names, 2))
    number = {name: f"CAST({sql.name(name)} AS DOUBLE)" for name in names}
    found = table.fetch(
        f"SELECT {', '.join(f'corr({number[one]}, {number[two]})' for one, two in pairs)} FROM"
        f" {sql.name(table.name)}"
    )[0]
    return {
        pair: None if value is None or math.isnan(value) else float(value)
        for pair, value in zip(pairs, found, strict=True)
    }


def matrices(held: Correlations) -> Figure:
    """Three triangles.

    The change, original and candidate, of the variables whose correlations changed most.
    """
    changes = {pair: held.change(pair) for pair in held.original}
    shown = most_changed(
        held.names, {pair: abs(change or 0) for pair, change in changes.items()}, MOST_VARIABLES
    )
    side = len(shown) * CELL
    left, marks = row_names(shown, 40, CELL)
    pairs = list(combinations(shown, 2))
    blocks = (("change", changes), ("original", held.original), ("candidate", held.candidate))
    for block, (title, values) in enumerate(blocks):
        x = left + block * (side + GAP)
        marks.append(text(x, 14, title, f"strong {title}" if block else "strong"))
        marks += [
            text(x + number * CELL + CELL / 2, 32, str(number + 1), "tick middle")
            for number in range(len(shown) - 1)
        ]
        for one, two in pairs:
            marks += _cell(
                x + shown.index(one) * CELL,
                40 + shown.index(two) * CELL,
                values[one, two],
                f"{one} and {two}, {title}",
            )
    worst = max(held.original, key=lambda pair: abs(changes[pair] or 0))
    caption = f"{_worst(held, worst)} {selection(len(shown), len(held.names), held.known, 'numbers')}"
    rows = tuple(
        (f"{one} and {two}", *(_said(values[one, two]) for _, values in blocks)) for one, two in pairs
    )
    drawing = Drawing(
        int(left + 3 * side + 2 * GAP),
        44 + side,
        tuple(marks),
        "Change of correlations, and those of original and candidate",
    )
    heads = ("variables", "change", "original", "candidate")
    return Figure("correlations", "Correlations", caption, drawing, heads, rows, wide=True, categories_of=())


def _worst(held: Correlations, worst: tuple[str, str]) -> str:
    """Which correlation changed most, and by how much: as measured where it was measured."""
    if (change := held.change(worst)) is None:
        return "No pair of variables varies in both tables."
    if held.source:
        pearson = " Original and candidate are Pearson's." if "," in held.source else ""
        return (
            f"Largest change: {worst[0]} and {worst[1]}, by {wording.number(change, 3)}"
            f" ({held.source}).{pearson}"
        )
    before, after = held.original[worst], held.candidate[worst]
    return f"Largest change: {worst[0]} and {worst[1]}, from {before:.2f} to {after:.2f}.".replace("-", "−")


def _said(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")


def _cell(x: float, y: float, value: float | None, tip: str) -> list[Mark]:
    if value is None:
        return [rect(x, y, CELL - 2, CELL - 2, "empty", tip=f"{tip}: does not vary")]
    square = rect(x, y, CELL - 2, CELL - 2, "plus" if value >= 0 else "minus", tip=f"{tip}: {_said(value)}")
    opacity = ("fill-opacity", f"{min(abs(value), 1) ** 0.7:.2f}")
    shaded = Mark(square.kind, square.style, (*square.attributes, opacity), tip=square.tip)
    style = "tick middle" + (" inverse" if abs(value) > 0.55 else " dark")
    return [shaded, text(x + CELL / 2 - 1, y + CELL / 2 + 3, _said(value), style)]


@dataclass(frozen=True)
class Surface:
    """Two variables on a grid.

    Counts of both tables in cells between the edges, what lies beyond left out.
    """

    names: tuple[str, str]
    labels: tuple[str, str]
    edges: tuple[Any, Any]
    original: Any
    candidate: Any
    hidden: tuple[frozenset[float], frozenset[float]]


def surface(pair: ReleasePair, names: tuple[str, str], drawer: Drawer) -> Surface | None:
    """Counts between round numbers around the second and 95th hundredth.

    In public on a coarser grid, small cells emptied in both.
    """
    import numpy as np

    rows = min(pair.original.rows, pair.candidate.rows)
    cells = GRID if not drawer.public else int(min(GRID, max(8, (rows / (3 * drawer.threshold)) ** 0.5)))
    ends = [_ends(pair, name) for name in names]
    if None in ends:
        return None
    edges = [np.linspace(end[0], end[1], cells + 1) for end in ends if end]
    counted = pair.cells(
        [Classed(name, tuple(edge.tolist())) for name, edge in zip(names, edges, strict=True)]
    )
    grids = [np.zeros((cells + 3, cells + 3)) for _ in range(2)]
    for grid, counts in zip(grids, (counted.original, counted.candidate), strict=True):
        grid[counted.codes[:, 0], counted.codes[:, 1]] = counts
    first, second = (grid[1 : cells + 1, 1 : cells + 1] for grid in grids)
    if drawer.public:
        kept = first >= drawer.threshold
        first, second = first * kept, second * kept
    if not first.sum() or not second.sum():
        return None
    labels = (drawer.label(names[0]), drawer.label(names[1]))
    return Surface(
        names, labels, (edges[0], edges[1]), first, second, (drawer.hidden(names[0]), drawer.hidden(names[1]))
    )


def _ends(pair: ReleasePair, name: str) -> tuple[float, float] | None:
    import numpy as np

    both = np.concatenate([observed(pair, name, side) for side in BOTH])
    low, high = np.quantile(both, TRIM) if both.size else (0.0, 0.0)
    if high <= low:
        return None
    edges = round_edges(float(low), float(high), 20)
    return float(edges[0]), float(edges[-1])


def contours(held: Surface) -> Figure:
    """Lines around the densest quarter, half and three quarters of each table."""
    x, y = held.edges
    plot = Plot.of(
        SIZE,
        (float(x[0]), float(x[-1])),
        (float(y[0]), float(y[-1])),
        left=58,
        hidden=held.hidden[0] | held.hidden[1],
    )
    marks = [
        *plot.side(held.labels[1], values_of=held.names[1]),
        *plot.bottom(held.labels[0], values_of=held.names[0]),
    ]
    for counts, style in ((held.original, "original"), (held.candidate, "candidate")):
        made = smoothed(counts, bandwidths(counts))
        for level, weight in zip(density_levels(made, list(CONTENTS)), ("thick", "", "thin"), strict=True):
            rings = [
                [(plot.x(_at(x, i)), plot.y(_at(y, j))) for i, j in ring]
                for ring in contour(made, level)
                if len(ring) > 4
            ]
            marks += [outline(rings, f"{style} {weight}".strip())] if rings else []
    marks += whose(plot.x.end - 4, plot.y.end + 12)
    name = f"{held.names[0]} and {held.names[1]}"
    caption = (
        "Lines around the densest 25, 50 and 75 % of the records shown, from thick to thin. Where they"
        " coincide, nothing moved."
    )
    drawing = Drawing(*SIZE, tuple(marks), f"Contours of {name} in both tables")
    return Figure(wording.anchor("contours", *held.names), name, caption, drawing)


def _at(edges: Any, place: float) -> float:
    """Where the centre of a cell lies on its axis."""
    step = float(edges[1] - edges[0])
    return float(edges[0]) + (place + 0.5) * step


def moved_most(held: Correlations, among: Collection[str], most: int = MOST_PAIRS) -> list[tuple[str, str]]:
    """The pairs of some variables whose correlation changed most.

    Of equal ones those that go together most in the original.
    """
    those = {
        pair: value for pair, value in held.original.items() if value is not None and set(pair) <= set(among)
    }
    known = [(round(abs(held.change(pair) or 0.0), 9), abs(value), pair) for pair, value in those.items()]
    return [pair for _, _, pair in sorted(known, key=lambda each: (-each[0], -each[1], each[2]))[:most]]
