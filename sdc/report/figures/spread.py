"""The numbers of a variable in both tables, ready to be drawn.

It has bins, frequent single values and distribution functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sdc.data.sharing import shared
from sdc.measures.comparison import BOTH, ordered
from sdc.statistics.counts.histogram import Bins, log_edges, round_edges
from sdc.statistics.counts.sorted_numbers import (
    count_of,
    frequent_values,
    furthest_apart,
    has_few_values,
    pooled_quantiles,
    without_values,
)

if TYPE_CHECKING:
    from sdc.data.release_pair import ReleasePair
    from sdc.report.figures.scene import Drawer

MOST_BINS = 36
TRIM = (0.01, 0.99)
WIDE, LAST = 30.0, 1.5
"""From the first to the last hundredth so many times as large.

On a logarithmic axis, open bars half as far again as their border.
"""
FEW_VALUES, OFTEN, MOST_SPIKES, MOSTLY = 20, 0.05, 3, 0.25
"""A spike is a value that at least this share of a table has, where a variable has more than a few values."""


class Spike(NamedTuple):
    """A single value with its records in both tables."""

    value: float
    original: int
    candidate: int


@dataclass(frozen=True)
class Steps:
    """Both distribution functions as they are: at each place the shares below it and up to it.

    `gap` is where they are furthest apart.
    """

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

    `total` counts the records that have a value; those with one of the `spikes` are in no bin. `measured` is
    the part `distance.VARIABLE` of ks_distance, where that was measured.
    """

    name: str
    label: str
    bins: Bins
    step: float
    missing: tuple[int, int]
    total: tuple[int, int]
    hidden: frozenset[float] = frozenset()
    spikes: tuple[Spike, ...] = ()
    steps: Steps | None = None
    measured: float | None = None
    log: bool = False
    """Is it drawn on a logarithmic axis?"""

    @property
    def edges(self) -> Any:
        """The borders of the bars; open ones end a step, or half as far again, beyond the last."""
        if not self.log:
            return self.bins.closed(self.step)
        edges = self.bins.edges.astype(float).copy()
        edges[0] = edges[1] / LAST if edges[0] <= 0 else edges[0]
        edges[-1] = edges[-2] * LAST if edges[-1] == inf else edges[-1]
        return edges

    @property
    def shares(self) -> tuple[Any, Any]:
        """Shares of the records that have a value, by bin."""
        return self.bins.original / max(self.total[0], 1), self.bins.candidate / max(self.total[1], 1)


def spread(pair: ReleasePair, name: str, drawer: Drawer) -> Spread | None:
    """Both tables in round bins between the 1st and 99th percentile, open beyond.

    It is None where too few records have a value.
    """
    spikes = () if drawer.public else find_spikes(pair, name)
    low, high, whole = _range(pair, name, spikes)
    if low is None or high is None:
        return None
    log = low > 0 and high >= WIDE * low
    edges = (
        log_edges(low, high) if log else round_edges(low, high, MOST_BINS, least_step=1.0 if whole else 0.0)
    )
    counted, missing = _counted(pair, name, tuple(edges.tolist()))
    total = (int(counted.original.sum()), int(counted.candidate.sum()))
    bins = _without(counted, spikes)
    # In public the outer bins stay open, for where they end would bound the extremes, and no border is an
    # extreme itself.
    merged = bins.without(drawer.hidden(name)).merged(drawer.least) if drawer.public else bins.trimmed()
    if merged.original.sum() < drawer.least or merged.original.size < 2 or not merged.candidate.any():
        return None
    held = Spread(
        name,
        drawer.axis(name),
        merged,
        float(edges[1] - edges[0]),
        missing,
        total,
        drawer.hidden(name),
        spikes,
    )
    held = replace(held, measured=drawer.part("ks_distance", f"distance.{name}"), log=log)
    return held if drawer.public else replace(held, steps=_steps(pair, held))


@shared
def find_spikes(pair: ReleasePair, name: str) -> tuple[Spike, ...]:
    """Single values that many records have (zero, codes), of a variable with many values.

    The most frequent first.
    """
    first, second = (ordered(pair, name, side) for side in BOTH)
    if has_few_values(first, FEW_VALUES) and has_few_values(second, FEW_VALUES):
        return ()
    often = {value for held in (first, second) for value in frequent_values(held, OFTEN * max(held.size, 1))}
    found = [Spike(value, count_of(first, value), count_of(second, value)) for value in often]
    return tuple(
        sorted(found, key=lambda spike: (-spike.original - spike.candidate, spike.value))[:MOST_SPIKES]
    )


def is_mostly_one_value(pair: ReleasePair, name: str) -> bool:
    """Whether many records of a table have one and the same value.

    Lines around the densest records would circle that value alone.
    """
    spikes = find_spikes(pair, name)
    return any(
        spike.original >= MOSTLY * pair.original.rows or spike.candidate >= MOSTLY * pair.candidate.rows
        for spike in spikes
    )


def _without(bins: Bins, spikes: Sequence[Spike]) -> Bins:
    import numpy as np

    original, candidate = bins.original.copy(), bins.candidate.copy()
    for spike in spikes:
        place = int(np.searchsorted(bins.edges, spike.value, side="right")) - 1
        original[place] -= spike.original
        candidate[place] -= spike.candidate
    return Bins(bins.edges, original, candidate)


@shared
def _range(
    pair: ReleasePair, name: str, spikes: tuple[Spike, ...]
) -> tuple[float | None, float | None, bool]:
    """The 1st and 99th percentile of both tables without the spikes, and whether all numbers are whole."""
    import numpy as np

    alone = [spike.value for spike in spikes]
    first, second = (without_values(ordered(pair, name, side), alone) for side in BOTH)
    if not first.size + second.size:
        return None, None, False
    low, high = pooled_quantiles(first, second, TRIM)
    return low, high, all(bool((held == np.trunc(held)).all()) for held in (first, second))


def _steps(pair: ReleasePair, held: Spread) -> Steps:
    """The distribution functions at the borders of the bins, at the spikes and where they are furthest apart.

    Exact at each of these.
    """
    import numpy as np

    furthest = _furthest(pair, held.name)
    drawn = np.union1d(
        held.bins.edges[np.isfinite(held.bins.edges)], [*(spike.value for spike in held.spikes), furthest]
    )
    below, up_to = (_functions(pair, held.name, tuple(drawn.tolist()), side) for side in ("left", "right"))
    return Steps(drawn, below, up_to, int(np.searchsorted(drawn, furthest)))


@shared
def _furthest(pair: ReleasePair, name: str) -> float:
    return furthest_apart(*(ordered(pair, name, side) for side in BOTH))


@shared
def _functions(
    pair: ReleasePair, name: str, places: tuple[float, ...], ties: Literal["left", "right"]
) -> tuple[Any, Any]:
    """Both distribution functions at these places: the shares below them, or up to them."""
    import numpy as np

    first, second = (ordered(pair, name, side) for side in BOTH)
    return (
        np.searchsorted(first, places, ties) / first.size,
        np.searchsorted(second, places, ties) / second.size,
    )


@shared
def _counted(pair: ReleasePair, name: str, edges: tuple[float, ...]) -> tuple[Bins, tuple[int, int]]:
    """The records of both tables between the edges and beyond them, and those without a number."""
    import numpy as np

    tables = [ordered(pair, name, side) for side in BOTH]
    original, candidate = (
        np.diff([0, *np.searchsorted(held, edges, side="left").tolist(), held.size]) for held in tables
    )
    missing = (pair.original.rows - tables[0].size, pair.candidate.rows - tables[1].size)
    return Bins(np.array([-np.inf, *edges, np.inf]), original, candidate), missing
