"""The order in which sets of keys are tried for suppression: the cheapest first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import groupby, islice


def cheapest_sets(costs: Sequence[float], allowed: Sequence[int]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """All non-empty subsets of the allowed keys with their total cost, ascending.

    Subsets of equal cost are ordered by their keys.

    Reference: the order of subset sums by a heap, Lawler (1972), doi:10.1287/mnsc.18.7.401.
    """
    ranked = sorted(allowed, key=lambda key: (costs[key], key))
    if not ranked:
        return
    # A subset of ranked places; its children replace the last place by the next, or add the next.
    waiting: list[tuple[float, tuple[int, ...]]] = [(costs[ranked[0]], (0,))]
    while waiting:
        cost, places = heapq.heappop(waiting)
        yield cost, tuple(ranked[place] for place in places)
        following = places[-1] + 1
        if following < len(ranked):
            step = costs[ranked[following]]
            heapq.heappush(waiting, (cost + step, (*places, following)))
            heapq.heappush(waiting, (cost - costs[ranked[places[-1]]] + step, (*places[:-1], following)))


def levels(
    costs: Sequence[float], allowed: Sequence[int], most: int = 4096
) -> Iterator[list[tuple[int, ...]]]:
    """Sets of equal cost together, cheapest first, of the first `most` sets.

    All allowed keys at once come last.
    """
    for _, together in groupby(
        islice(cheapest_sets(costs, allowed), most), key=lambda found: round(found[0], 9)
    ):
        yield [keys for _, keys in together]
    if len(allowed) >= most.bit_length():
        yield [tuple(allowed)]
