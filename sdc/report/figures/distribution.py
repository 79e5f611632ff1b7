"""Are the numbers of a variable spread as before?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sdc.classes import Classed
from sdc.comparison import BOTH, observed, ordered
from sdc.report import wording
from sdc.report.drawing import Drawing, circle, line, path, rect
from sdc.report.figures.categories import MISSING, Category, bars
from sdc.report.figures.plot import Plot, percent, short, whose
from sdc.report.views import Figure
from sdc.statistics.histogram import Bins, binned_quantiles, round_edges

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.release_pair import ReleasePair
    from sdc.report.figures.draw import Drawer

MOST_BINS, MOST_POINTS = 36, 50
SIZE = (300, 200)
TRIM = (0.01, 0.99)
FEW_VALUES, OFTEN, MOST_SPIKES = 20, 0.05, 4
"""A spike is one of no more than so many values that at least this share of a table has, where the variable has more than a few."""


class Spike(NamedTuple):
    """A single value with its records in both tables."""

    value: float
    original: int
    candidate: int


@dataclass(frozen=True)
class Steps:
    """Both distribution functions as they are: at each place the shares below it and up to it; `gap` is where they are furthest apart."""

    places: Any
    below: tuple[Any, Any]
    up_to: tuple[Any, Any]
    gap: int

    @property
    def distance(self) -> float:
        """The Kolmogorov-Smirnov distance."""
        return abs(float(self.up_to[0][self.gap] - self.up_to[1][self.gap]))


@dataclass(frozen=True)
class Spread:
    """A numeric variable in bins of both tables, ready to be drawn: bins are large enough to be shown.

    `total` counts the records that have a value; those with one of the `spikes` are in no bin. `measured` is the part
    `distance.VARIABLE` of ks_distance, where that was measured.
    """

    name: str
    label: str
    bins: Bins
    step: float
    missing: tuple[int, int]
    total: tuple[int, int]
    quantiles: tuple[Any, Any] | None = None
    hidden: frozenset[float] = frozenset()
    spikes: tuple[Spike, ...] = ()
    steps: Steps | None = None
    measured: float | None = None

    @property
    def shares(self) -> tuple[Any, Any]:
        """Shares of the records that have a value, by bin."""
        return self.bins.original / max(self.total[0], 1), self.bins.candidate / max(self.total[1], 1)


def spread(pair: ReleasePair, name: str, drawer: Drawer) -> Spread | None:
    """Both tables in round bins between the first and last hundredth, open beyond; none where too few have a value."""
    spikes = () if drawer.public else find_spikes(pair, name)
    low, high, whole = _range(pair, name, spikes)
    if low is None or high is None:
        return None
    edges = round_edges(low, high, MOST_BINS, least_step=1.0 if whole else 0.0)
    counted, missing = _counted(pair, name, edges.tolist())
    total = (int(counted.original.sum()), int(counted.candidate.sum()))
    bins = _without(counted, spikes)
    # In public the outer bins stay open, for where they end would bound the extremes, and no border is an extreme itself.
    merged = bins.without(drawer.hidden(name)).merged(drawer.least) if drawer.public else bins.trimmed()
    if merged.original.sum() < drawer.least or merged.original.size < 2 or not merged.candidate.any():
        return None
    exact = None if drawer.public else _quantiles(pair, name)
    held = Spread(name, drawer.axis(name), merged, float(edges[1] - edges[0]), missing, total, exact, drawer.hidden(name), spikes)
    held = replace(held, measured=drawer.part("ks_distance", f"distance.{name}"))
    return held if drawer.public else replace(held, steps=_steps(pair, held))


def find_spikes(pair: ReleasePair, name: str) -> tuple[Spike, ...]:
    """Single values that many records have (zero, codes), of a variable with many values; the most frequent first."""
    import numpy as np

    counted = [np.unique(ordered(pair, name, side), return_counts=True) for side in BOTH]
    if max(values.size for values, _ in counted) <= FEW_VALUES:
        return ()
    totals = [max(int(counts.sum()), 1) for _, counts in counted]
    often = {float(value) for (values, counts), total in zip(counted, totals, strict=True) for value in values[counts >= OFTEN * total].tolist()}

    def count(value: float, side: int) -> int:
        values, counts = counted[side]
        place = int(np.searchsorted(values, value))
        return int(counts[place]) if place < values.size and values[place] == value else 0

    found = [Spike(value, count(value, 0), count(value, 1)) for value in often]
    return tuple(sorted(found, key=lambda spike: (-spike.original - spike.candidate, spike.value))[:MOST_SPIKES])


def _without(bins: Bins, spikes: Sequence[Spike]) -> Bins:
    import numpy as np

    original, candidate = bins.original.copy(), bins.candidate.copy()
    for spike in spikes:
        place = int(np.searchsorted(bins.edges, spike.value, side="right")) - 1
        original[place] -= spike.original
        candidate[place] -= spike.candidate
    return Bins(bins.edges, original, candidate)


def _range(pair: ReleasePair, name: str, spikes: Sequence[Spike]) -> tuple[float | None, float | None, bool]:
    import numpy as np

    every = np.concatenate([observed(pair, name, side) for side in BOTH])
    both = every[~np.isin(every, [spike.value for spike in spikes])]
    if not both.size:
        return None, None, False
    low, high = np.quantile(both, TRIM)
    return float(low), float(high), bool((both == np.trunc(both)).all())


def _steps(pair: ReleasePair, held: Spread) -> Steps:
    """The distribution functions at the borders of the bins, at the spikes and where they are furthest apart: exact at each of these."""
    import numpy as np

    first, second = (ordered(pair, held.name, side) for side in BOTH)

    def functions(places: Any, side: Literal["left", "right"]) -> tuple[Any, Any]:
        return np.searchsorted(first, places, side) / first.size, np.searchsorted(second, places, side) / second.size

    values = np.union1d(first, second)
    up_to = functions(values, "right")
    furthest = float(values[np.argmax(np.abs(up_to[0] - up_to[1]))])
    drawn = np.union1d(held.bins.edges[np.isfinite(held.bins.edges)], [*(spike.value for spike in held.spikes), furthest])
    return Steps(drawn, functions(drawn, "left"), functions(drawn, "right"), int(np.searchsorted(drawn, furthest)))


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
    first, second = held.shares
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
    beyond = f"Outer bars hold all that lies beyond: {wording.listed(ends)}." if ends else "Shares of the records that have a value."
    apart = wording.listed([short(spike.value) for spike in sorted(held.spikes, key=lambda spike: spike.value)]) if held.spikes else ""
    return f"{beyond} Records with {apart} are not in it; they have bars of their own." if apart else beyond


def cumulative(held: Spread) -> Figure:
    """Both distribution functions: exact inside the house, at the borders of the bins in public."""
    return _stepped(held, held.steps) if held.steps else _at_borders(held)


def _stepped(held: Spread, steps: Steps) -> Figure:
    places = steps.places.tolist()
    plot = Plot.of(SIZE, (places[0], places[-1]), (0, 1), hidden=held.hidden)
    marks = [*plot.side("records up to", said=lambda share: percent(share, 0)), *plot.bottom(held.label, values_of=held.name)]
    for side, style in enumerate(("original", "candidate")):
        pairs = zip(places, steps.below[side].tolist(), steps.up_to[side].tolist(), strict=True)
        marks.append(path([(plot.x(place), plot.y(share)) for place, below, up_to in pairs for share in (below, up_to)], style))
    x = plot.x(places[steps.gap])
    marks.append(line(x, plot.y(float(steps.up_to[0][steps.gap])), x, plot.y(float(steps.up_to[1][steps.gap])), "gap"))
    marks += whose(plot.x.end - 4, plot.y(0) - 22)
    heads = ("value", "original below", "candidate below", "original up to", "candidate up to")
    shares = (*steps.below, *steps.up_to)
    rows = tuple((short(place), *(percent(float(share[row])) for share in shares)) for row, place in enumerate(places))
    drawing = Drawing(*SIZE, tuple(marks), f"Cumulative distribution of {held.name} in original and candidate")
    anchor = wording.anchor("cumulative", held.name)
    return Figure(anchor, "Cumulative distribution", _furthest(held, steps), drawing, heads, rows, values_of=held.name)


def _furthest(held: Spread, steps: Steps) -> str:
    """Where the tables are furthest apart, and by how much: the part of the measurement where there is one."""
    distance = steps.distance if held.measured is None else held.measured
    if not distance:
        return "The same in both tables."
    first, second = (percent(float(share[steps.gap])) for share in steps.up_to)
    name = "their distance" if held.measured is None else f"ks_distance of {held.name}"
    at = short(float(steps.places[steps.gap]))
    return f"Furthest apart at {at}: {first} of the original lie at or below it, {second} of the candidate; {name} is {wording.number(distance)}."


def _at_borders(held: Spread) -> Figure:
    """Shares of records below each border of the bins."""
    import numpy as np

    finite = np.isfinite(held.bins.edges)
    edges = held.bins.edges[finite]
    first, second = (np.concatenate([[0.0], np.cumsum(counts)])[finite] for counts in held.shares)
    plot = Plot.of(SIZE, (float(edges[0]), float(edges[-1])), (0, 1), hidden=held.hidden)
    marks = [*plot.side("records below", said=lambda share: percent(share, 0)), *plot.bottom(held.label, values_of=held.name)]
    for values, style in ((first, "original"), (second, "candidate")):
        marks.append(path([(plot.x(edge), plot.y(share)) for edge, share in zip(edges, values, strict=True)], style))
    marks += whose(plot.x.end - 4, plot.y(0) - 22)
    apart = float(np.abs(first - second).max())
    caption = f"At the borders of the bars the tables are at most {percent(apart)} apart."
    if held.measured is not None:
        caption += f" Single values included, their largest distance, ks_distance of {held.name}, is {short(held.measured)}."
    drawing = Drawing(*SIZE, tuple(marks), f"Cumulative distribution of {held.name} in original and candidate")
    heads = ("below", "original", "candidate")
    rows = tuple((short(float(edge)), percent(one), percent(two)) for edge, one, two in zip(edges, first, second, strict=True))
    return Figure(wording.anchor("cumulative", held.name), "Cumulative distribution", caption, drawing, heads, rows, values_of=held.name)


def spike_bars(held: Spread) -> Figure | None:
    """Single values that many records have, and missing ones, as bars of their own; none where there are none."""
    alone = [Category(short(spike.value), spike.original, spike.candidate) for spike in sorted(held.spikes, key=lambda spike: spike.value)]
    alone += [Category(MISSING, *held.missing)] if any(held.missing) else []
    if not alone:
        return None
    spiked = sum(spike.original for spike in held.spikes), sum(spike.candidate for spike in held.spikes)
    rest = Category("all other values", held.total[0] - spiked[0], held.total[1] - spiked[1])
    figure = bars(held.name, [*alone, rest])
    return replace(figure, anchor=wording.anchor("spikes", held.name), title="Frequent single values", wide=True)


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
