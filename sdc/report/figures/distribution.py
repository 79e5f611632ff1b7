"""The numbers of a variable in both tables, in one figure.

It shows frequent single values, the distribution, and the difference of both distribution functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any

from sdc.measures.comparison import is_number
from sdc.report import wording
from sdc.report.build import Drawn
from sdc.report.drawing import Drawing, line, path, rect, text
from sdc.report.figures.figure_registry import variable_figure
from sdc.report.figures.plot import Plot, Scale, percent, short
from sdc.report.figures.scene import MISSING
from sdc.report.figures.spread import spread
from sdc.report.views import Figure

if TYPE_CHECKING:
    from sdc.data.release_pair import ReleasePair
    from sdc.report.drawing import Mark
    from sdc.report.figures.scene import Drawer
    from sdc.report.figures.spread import Spread, Steps

WIDTH, HEIGHT = 310, 262
TOP, FOOT = 22, 150
"""Where the bars end above and stand below."""
BELOW, DEPTH = 208, 24
"""Where the difference is zero, and how far it goes to either side."""
SLOT, BAR, TITLE = 38, 12, 52
"""Of a single value its place and a bar, and the least that keeps the title of both panels apart."""


def distribution(held: Spread) -> Figure:
    """Bars of single values and of bins, the original filled and the candidate outlined.

    Beneath, the difference up to each value.
    """
    alone = _alone(held)
    left = 38 + (max(SLOT * len(alone), TITLE) if alone else 0)
    plot = _plot(held, left)
    marks = [*_spikes(alone, held), *_bars(held, plot), *_difference(held, plot)]
    drawing = Drawing(
        WIDTH,
        HEIGHT,
        tuple(marks),
        f"Distribution of {held.name} in original and candidate, and the difference",
    )
    rows = (*((each.label, percent(each.shares[0]), percent(each.shares[1])) for each in alone), *_rows(held))
    heads = ("values", "original", "candidate")
    return Figure(
        wording.anchor("histogram", held.name),
        "Distribution",
        _caption(held),
        drawing,
        heads,
        rows,
        values_of=held.name,
    )


@dataclass(frozen=True)
class Single:
    """A single value, or the missing ones, as shares of all records of both tables."""

    label: str
    shares: tuple[float, float]


def _alone(held: Spread) -> list[Single]:
    """Frequent single values from low to high, and missing ones; the public edition shows neither."""
    if held.steps is None:
        return []
    every = [max(total + missing, 1) for total, missing in zip(held.total, held.missing, strict=True)]
    found = [
        (short(spike.value), (spike.original, spike.candidate))
        for spike in sorted(held.spikes, key=lambda spike: spike.value)
    ]
    found += [(MISSING, held.missing)] if any(held.missing) else []
    return [Single(label, (counts[0] / every[0], counts[1] / every[1])) for label, counts in found]


def _plot(held: Spread, left: float) -> Plot:
    edges = held.edges
    tallest = float(max((share / _widths(held)).max() for share in held.shares))
    across = Scale(float(edges[0]), float(edges[-1]), left, WIDTH - 20, log=held.log)
    return Plot(across, Scale(0, tallest * 1.12, FOOT, TOP), held.hidden)


def _widths(held: Spread) -> Any:
    """Widths of the bins in those of an ordinary one: a wider bin is lower in proportion."""
    import numpy as np

    edges = held.edges
    if not held.log:
        return (edges[1:] - edges[:-1]) / held.step
    widths = np.log(edges[1:] / edges[:-1])
    return widths / np.median(widths)


def _spikes(alone: list[Single], held: Spread) -> list[Mark]:
    if not alone:
        return []
    scale = Scale(0, max(max(each.shares) for each in alone) * 1.12, FOOT, TOP)
    marks: list[Mark] = [
        text(4, 11, "single values", "axis"),
        line(4, FOOT, 4 + SLOT * len(alone), FOOT, "base"),
    ]
    for place, each in enumerate(alone):
        x = 4 + SLOT * place
        tip = f"{each.label}: original {percent(each.shares[0])}, candidate {percent(each.shares[1])}"
        for share, style, start in (
            (each.shares[0], "original", x + 6),
            (each.shares[1], "candidate", x + 7 + BAR),
        ):
            marks.append(rect(start, scale(share), BAR, FOOT - scale(share), style))
        marks.append(
            text(x + SLOT / 2, scale(max(each.shares)) - 3, percent(each.shares[1], 0), "tick middle")
        )
        marks.append(
            text(
                x + SLOT / 2,
                FOOT + 14,
                each.label if len(each.label) <= 7 else f"{each.label[:6]}…",
                "tick middle",
                values_of=held.name,
            )
        )
        marks.append(rect(x, TOP, SLOT, FOOT - TOP, "hover", tip=tip, values_of=held.name))
    return marks


def _bars(held: Spread, plot: Plot) -> list[Mark]:
    edges, (first, second), widths = held.edges, held.shares, _widths(held)
    said = "records" if held.log else f"records in {short(held.step)} {held.label}".strip()
    marks = [text(plot.x.start - (0 if held.spikes or any(held.missing) else 34), 11, said, "axis")]
    for tick in plot.y.ticks(3):
        marks.append(line(plot.x.start, plot.y(tick), plot.x.end, plot.y(tick), "rule"))
        marks.append(
            text(
                plot.x.start - 4,
                plot.y(tick) + 3.5,
                percent(tick, 0 if plot.y.high > 0.04 else 1),
                "tick end",
            )
        )
    for place, (low, high) in enumerate(pairwise(edges.tolist())):
        x, width = plot.x(low), plot.x(high) - plot.x(low)
        for share, style, gap in ((first[place], "original", 0.6), (second[place], "candidate", 1.6)):
            y = plot.y(share / widths[place])
            marks.append(rect(x + gap / 2, y, width - gap, FOOT - y, style))
        label, one, two = _rows(held)[place]
        marks.append(
            rect(
                x,
                TOP,
                width,
                FOOT - TOP,
                "hover",
                tip=f"{label}: original {one}, candidate {two}",
                values_of=held.name,
            )
        )
    return [*marks, *plot.bottom("", values_of=held.name, most=4)]


def _rows(held: Spread) -> tuple[tuple[str, str, str], ...]:
    """Shares of the records that have a value, by bin."""
    first, second = held.shares
    labels = [
        _bin_label(float(low), float(high))
        for low, high in zip(held.bins.edges[:-1], held.bins.edges[1:], strict=True)
    ]
    return tuple((label, percent(first[place]), percent(second[place])) for place, label in enumerate(labels))


def _bin_label(low: float, high: float) -> str:
    if -low == inf:
        return f"below {short(high)}"
    return f"{short(low)} or more" if high == inf else f"{short(low)} to {short(high)}"


def _difference(held: Spread, plot: Plot) -> list[Mark]:
    """The candidate's share up to each value less the original's.

    It is exact in the internal edition, and at the borders of the bins in the public one.
    """
    points = _exact(held.steps) if held.steps else _at_borders(held)
    reach = max(*(abs(share) for _, share in points), 0.005)
    scale = Scale(-reach, reach, BELOW + DEPTH, BELOW - DEPTH)
    inside = [(_within(plot.x, place), share) for place, share in points]
    marks = [
        text(plot.x.start, BELOW - DEPTH - 4, "difference, points", "axis"),
        line(plot.x.start, BELOW, plot.x.end, BELOW, "base"),
        text(plot.x.start - 4, BELOW - DEPTH + 7, f"+{_points(reach)}", "tick end"),
        text(plot.x.start - 4, BELOW + DEPTH, f"−{_points(reach)}", "tick end"),
        path([(x, scale(share)) for x, share in inside], "strong-line"),
    ]
    if held.steps and held.steps.distance:
        x = _within(plot.x, float(held.steps.places[held.steps.gap]))
        marks.append(line(x, scale(0), x, scale(_gap(held.steps)), "gap"))
    label = f"{held.label}, log axis" if held.log else held.label
    return [*marks, text((plot.x.start + plot.x.end) / 2, HEIGHT - 8, label, "axis middle")]


def _points(reach: float) -> str:
    return f"{100 * reach:.{0 if reach >= 0.1 else 1}f}"


def _within(scale: Scale, place: float) -> float:
    """Where a value stands on the axis; what lies beyond its ends stands at them."""
    return min(max(scale(place), scale.start), scale.end)


def _exact(steps: Steps) -> list[tuple[float, float]]:
    below, up_to = (steps.below[1] - steps.below[0]).tolist(), (steps.up_to[1] - steps.up_to[0]).tolist()
    return [
        (place, share)
        for place, *both in zip(steps.places.tolist(), below, up_to, strict=True)
        for share in both
    ]


def _gap(steps: Steps) -> float:
    return float(steps.up_to[1][steps.gap] - steps.up_to[0][steps.gap])


def _at_borders(held: Spread) -> list[tuple[float, float]]:
    import numpy as np

    finite = np.isfinite(held.bins.edges)
    first, second = (np.concatenate([[0.0], np.cumsum(counts)])[finite] for counts in held.shares)
    return list(zip(held.bins.edges[finite].tolist(), (second - first).tolist(), strict=True))


def shift(held: Spread) -> float:
    """The largest difference that is drawn."""
    return held.steps.distance if held.steps else max(abs(share) for _, share in _at_borders(held))


def _caption(held: Spread) -> str:
    """Where the tables are furthest apart, and by how much.

    It is the part of the measurement where there is one.
    """
    if held.steps is None:
        apart = max(abs(share) for _, share in _at_borders(held))
        caption = f"At the borders of the bars the tables are at most {percent(apart)} apart."
        largest = f"Single values included, their largest distance, ks_distance of {held.name}, is"
        return caption if held.measured is None else f"{caption} {largest} {short(held.measured)}."
    distance = held.steps.distance if held.measured is None else held.measured
    if not distance:
        return "The same in both tables."
    first, second = (percent(float(share[held.steps.gap])) for share in held.steps.up_to)
    name = "their distance" if held.measured is None else f"ks_distance of {held.name}"
    at = short(float(held.steps.places[held.steps.gap]))
    return (
        f"Furthest apart at {at}: {first} of the original lie at or below it, {second} of the candidate;"
        f" {name} is {short(distance)}."
    )


@variable_figure(order=10)
def number_distribution(pair: ReleasePair, name: str, drawer: Drawer) -> Drawn | None:
    """The histogram of a variable that holds numbers."""
    held = spread(pair, name, drawer) if is_number(pair, name) else None
    return Drawn((distribution(held),), shift(held)) if held else None
