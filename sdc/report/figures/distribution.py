"""Are the numbers of a variable spread as before?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any

from sdc.classes import Classed
from sdc.comparison import BOTH, observed
from sdc.report import wording
from sdc.report.drawing import Drawing, circle, line, path, rect
from sdc.report.figures.plot import Plot, percent, short, whose
from sdc.report.views import Figure
from sdc.statistics.histogram import Bins, binned_quantiles, round_edges, shares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.release_pair import ReleasePair
    from sdc.report.figures.draw import Drawer

MOST_BINS, MOST_POINTS = 36, 50
SIZE = (300, 200)
TRIM = (0.01, 0.99)


@dataclass(frozen=True)
class Spread:
    """A numeric variable in bins of both tables, ready to be drawn: bins are large enough to be shown."""

    name: str
    label: str
    bins: Bins
    step: float
    missing: tuple[int, int]
    quantiles: tuple[Any, Any] | None = None
    hidden: frozenset[float] = frozenset()


def spread(pair: ReleasePair, name: str, drawer: Drawer) -> Spread | None:
    """Both tables in round bins between the first and last hundredth, open beyond; none where too few have a value."""
    low, high, whole = _range(pair, name)
    if low is None or high is None:
        return None
    edges = round_edges(low, high, MOST_BINS, least_step=1.0 if whole else 0.0)
    bins, missing = _counted(pair, name, edges.tolist())
    # In public the outer bins stay open, for where they end would bound the extremes, and no border is an extreme itself.
    merged = bins.without(drawer.hidden(name)).merged(drawer.least) if drawer.public else bins.trimmed()
    if merged.original.sum() < drawer.least or merged.original.size < 2 or not merged.candidate.any():
        return None
    exact = None if drawer.public else _quantiles(pair, name)
    return Spread(name, drawer.axis(name), merged, float(edges[1] - edges[0]), missing, exact, drawer.hidden(name))


def _range(pair: ReleasePair, name: str) -> tuple[float | None, float | None, bool]:
    import numpy as np

    both = np.concatenate([observed(pair, name, side) for side in BOTH])
    if not both.size:
        return None, None, False
    low, high = np.quantile(both, TRIM)
    return float(low), float(high), bool((both == np.trunc(both)).all())


def _counted(pair: ReleasePair, name: str, edges: Sequence[float]) -> tuple[Bins, tuple[int, int]]:
    import numpy as np

    cells = pair.cells([Classed(name, tuple(edges))])
    original, candidate = (np.zeros(len(edges) + 2, dtype=np.int64) for _ in range(2))
    place = cells.codes[:, 0]
    original[place], candidate[place] = cells.original, cells.candidate
    missing = (int(original[-1]), int(candidate[-1]))
    return Bins(np.array([-np.inf, *edges, np.inf]), original[:-1], candidate[:-1]), missing


def _quantiles(pair: ReleasePair, name: str) -> tuple[Any, Any]:
    import numpy as np

    levels = (np.arange(MOST_POINTS) + 0.5) / MOST_POINTS
    first, second = (np.quantile(values, levels) if (values := observed(pair, name, side)).size else np.zeros(0) for side in BOTH)
    return first, second


def _bin_label(low: float, high: float) -> str:
    if -low == inf:
        return f"below {short(high)}"
    return f"{short(low)} or more" if high == inf else f"{short(low)} to {short(high)}"


def histogram(held: Spread) -> Figure:
    """Bars of the original, filled, and of the candidate, outlined; a bin wider than others is lower in proportion."""
    edges = held.bins.closed(held.step)
    first, second = shares(held.bins.original), shares(held.bins.candidate)
    widths = (edges[1:] - edges[:-1]) / held.step
    tallest = float(max((first / widths).max(), (second / widths).max()))
    plot = Plot.of(SIZE, (float(edges[0]), float(edges[-1])), (0, tallest * 1.12), hidden=held.hidden)
    marks = plot.side(f"records in {short(held.step)} {held.label}".strip(), said=lambda share: percent(share, 0 if tallest > 0.04 else 1))
    rows = []
    for place, (low, high) in enumerate(pairwise(edges.tolist())):
        x, width = plot.x(low), plot.x(high) - plot.x(low)
        label = _bin_label(float(held.bins.edges[place]), float(held.bins.edges[place + 1]))
        for share, style, gap in ((first[place], "original", 0.6), (second[place], "candidate", 1.6)):
            y = plot.y(share / widths[place])
            marks.append(rect(x + gap / 2, y, width - gap, plot.y.start - y, style))
        rows.append((label, percent(first[place]), percent(second[place])))
        tip = f"{label}: original {rows[-1][1]}, candidate {rows[-1][2]}"
        marks.append(rect(x, plot.y.end, width, plot.y.start - plot.y.end, "hover", tip=tip, values_of=held.name))
    marks += plot.bottom(held.label, values_of=held.name)
    drawing = Drawing(*SIZE, tuple(marks), f"Histogram of {held.name} in original and candidate")
    heads = ("values", "original", "candidate")
    return Figure(wording.anchor("histogram", held.name), "Distribution", _histogram_caption(held), drawing, heads, tuple(rows), values_of=held.name)


def _histogram_caption(held: Spread) -> str:
    ends = [
        _bin_label(float(low), float(high))
        for low, high in zip(held.bins.edges[:-1], held.bins.edges[1:], strict=True)
        if low == -float("inf") or high == float("inf")
    ]
    return f"Outer bars hold all that lies beyond: {wording.listed(ends)}." if ends else "Shares of the records that have a value."


def cumulative(held: Spread) -> Figure:
    """Shares of records below each border of the bins."""
    import numpy as np

    finite = np.isfinite(held.bins.edges)
    edges = held.bins.edges[finite]
    first, second = (np.concatenate([[0.0], np.cumsum(shares(counts))])[finite] for counts in (held.bins.original, held.bins.candidate))
    plot = Plot.of(SIZE, (float(edges[0]), float(edges[-1])), (0, 1), hidden=held.hidden)
    marks = [*plot.side("records below", said=lambda share: percent(share, 0)), *plot.bottom(held.label, values_of=held.name)]
    for values, style in ((first, "original"), (second, "candidate")):
        marks.append(path([(plot.x(edge), plot.y(share)) for edge, share in zip(edges, values, strict=True)], style))
    marks += whose(plot.x.end - 4, plot.y(0) - 22)
    gap = int(np.argmax(np.abs(first - second)))
    place = short(float(edges[gap]))
    apart = f"Furthest apart at {place}: {percent(first[gap])} of the original lie below, {percent(second[gap])} of the candidate."
    caption = apart if first[gap] != second[gap] else "The same in both tables."
    drawing = Drawing(*SIZE, tuple(marks), f"Cumulative distribution of {held.name} in original and candidate")
    heads = ("below", "original", "candidate")
    rows = tuple((short(float(edge)), percent(one), percent(two)) for edge, one, two in zip(edges, first, second, strict=True))
    return Figure(wording.anchor("cumulative", held.name), "Cumulative distribution", caption, drawing, heads, rows, values_of=held.name)


def quantiles(held: Spread) -> Figure:
    """Quantiles of the candidate against those of the original: on the dotted line nothing changed."""
    first, second = held.quantiles or _binned(held)
    low, high = float(min(first.min(), second.min())), float(max(first.max(), second.max()))
    plot = Plot.of(SIZE, (low, high), (low, high), left=58, hidden=held.hidden)
    marks = [*plot.side("candidate", values_of=held.name), *plot.bottom(f"original, {held.label}" if held.label else "original", values_of=held.name)]
    marks.append(line(plot.x(low), plot.y(low), plot.x(high), plot.y(high), "same"))
    marks += [circle(plot.x(one), plot.y(two), 2.6, "candidate") for one, two in zip(first, second, strict=True)]
    caption = f"{len(first)} quantiles; on the dotted line both tables have the same."
    return Figure(
        wording.anchor("quantiles", held.name), "Quantiles against quantiles", caption, Drawing(*SIZE, tuple(marks), f"Quantiles of {held.name}")
    )


def _binned(held: Spread) -> tuple[Any, Any]:
    """Quantiles read from the bins alone, where neither table's lie in an open one."""
    import numpy as np

    edges = held.bins.closed(held.step)
    levels = np.arange(0.02, 0.981, 0.02)
    made = [binned_quantiles(edges, counts, levels) for counts in (held.bins.original, held.bins.candidate)]
    finite = held.bins.edges[np.isfinite(held.bins.edges)]
    inside = [(values >= finite[0]) & (values <= finite[-1]) for values in made]
    kept = inside[0] & inside[1]
    return (made[0][kept], made[1][kept]) if kept.sum() > 1 else (made[0], made[1])
