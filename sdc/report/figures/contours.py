"""Contours of two variables at once, of both tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc.data.release_pair import Side
from sdc.data.sharing import shared
from sdc.data.table import ROWS_AT_ONCE
from sdc.measures.comparison import BOTH, ordered
from sdc.report import wording
from sdc.report.drawing import Drawing, outline
from sdc.report.figures.plot import Plot, whose
from sdc.report.views import Figure
from sdc.statistics.counts.histogram import round_edges
from sdc.statistics.counts.sorted_numbers import pooled_quantiles
from sdc.statistics.distances.contours import bandwidths, contour, density_levels, smoothed

if TYPE_CHECKING:
    from sdc.data.release_pair import ReleasePair
    from sdc.report.figures.scene import Drawer

SIZE = (310, 260)
GRID = 40
CONTENTS = (0.25, 0.5, 0.75)
TRIM = (0.02, 0.95)


@dataclass(frozen=True)
class Surface:
    """Two variables on a grid: counts of both tables in the cells between the edges.

    What lies beyond the edges is left out.
    """

    names: tuple[str, str]
    labels: tuple[str, str]
    edges: tuple[Any, Any]
    original: Any
    candidate: Any
    hidden: tuple[frozenset[float], frozenset[float]]


def surface(pair: ReleasePair, names: tuple[str, str], drawer: Drawer) -> Surface | None:
    """Counts between round numbers around the 2nd and 95th percentile.

    The public edition has a coarser grid, with small cells emptied in both tables.
    """
    import numpy as np

    rows = min(pair.original.rows, pair.candidate.rows)
    cells = GRID if not drawer.public else int(min(GRID, max(8, (rows / (3 * drawer.threshold)) ** 0.5)))
    ends = [_ends(pair, name) for name in names]
    if None in ends:
        return None
    edges = [np.linspace(end[0], end[1], cells + 1) for end in ends if end]
    asked = [tuple(edge.tolist()) for edge in edges]
    first, second = (_counted(pair, names, asked[0], asked[1], side) for side in BOTH)
    if drawer.public:
        kept = first >= drawer.threshold
        first, second = first * kept, second * kept
    if not first.sum() or not second.sum():
        return None
    labels = (drawer.label(names[0]), drawer.label(names[1]))
    return Surface(
        names, labels, (edges[0], edges[1]), first, second, (drawer.hidden(names[0]), drawer.hidden(names[1]))
    )


@shared
def _counted(
    pair: ReleasePair,
    names: tuple[str, str],
    first: tuple[float, ...],
    second: tuple[float, ...],
    side: Side,
) -> Any:
    """How many records of a table lie in each cell between the edges of both numbers."""
    import numpy as np

    size = len(second) + 1
    counts = np.zeros((len(first) + 1) * size, dtype=np.int64)
    one, other = (pair.numbers(name, side) for name in names)
    for start in range(0, one.size, ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        # What is missing lies beyond the last edge, as what is too large does.
        row, column = (
            np.searchsorted(edges, held[rows], side="right")
            for edges, held in ((first, one), (second, other))
        )
        counts += np.bincount(row * size + column, minlength=counts.size)
    return counts.reshape(-1, size)[1:-1, 1:-1].astype(float)


@shared
def _ends(pair: ReleasePair, name: str) -> tuple[float, float] | None:
    first, second = (ordered(pair, name, side) for side in BOTH)
    low, high = pooled_quantiles(first, second, TRIM) if first.size + second.size else (0.0, 0.0)
    if high <= low:
        return None
    edges = round_edges(low, high, 20)
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
