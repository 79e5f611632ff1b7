"""Distances of a variable's distribution within each class from that in the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.segments import spread, sums

USUAL_DISTANCE: Final = "kl"
"""The distance of the measure and of the method where none is named."""
BLOCK = 4_000_000
"""Cells of a dense block of classes by values."""


def kl_distances(count: Array, target: Array, offsets: Array, overall: Array) -> Array:
    """Kullback-Leibler divergence of each class from the whole, natural logarithm."""
    share = count / spread(sums(count, offsets), offsets)
    return np.maximum(sums(share * np.log(share / (overall / overall.sum())[target]), offsets), 0.0)


def equal_distances(count: Array, target: Array, offsets: Array, overall: Array) -> Array:
    """Total variation of each class from the whole.

    It is the earth mover's distance where all values are equally far apart.
    """
    share = count / spread(sums(count, offsets), offsets)
    return sums(np.maximum(share - (overall / overall.sum())[target], 0.0), offsets)


def ordered_distances(count: Array, target: Array, offsets: Array, overall: Array) -> Array:
    """Earth mover's distance of each class from the whole where value i is |i - j|/(m - 1) from value j.

    Targets are ranks.

    Between two values of a class its distribution function is level: each stretch is one crossing point and
    two sums.
    """
    levels = overall.size
    if levels < 2:
        return np.zeros(offsets.size - 1)
    distribution = np.cumsum(overall) / overall.sum()
    area = np.concatenate([[0.0], np.cumsum(distribution[:-1])])
    order = np.lexsort((target, spread(np.arange(offsets.size - 1), offsets)))
    rank, counted = target[order], count[order]
    total = spread(sums(counted, offsets), offsets)
    running = np.cumsum(counted)
    height = (running - spread(running[offsets[:-1]] - counted[offsets[:-1]], offsets)) / total
    last = np.zeros(rank.size, dtype=bool)
    last[offsets[1:] - 1] = True
    following = np.where(last, levels - 1, np.append(rank[1:], levels - 1))
    stretches = _level_stretch(distribution, area, rank, following, height)
    return np.maximum((sums(stretches, offsets) + area[rank[offsets[:-1]]]) / (levels - 1), 0.0)


def _level_stretch(distribution: Array, area: Array, start: Array, stop: Array, height: Array) -> Array:
    """The sum of |height - distribution| from `start` up to, not with, `stop`."""
    crossing = np.clip(np.searchsorted(distribution, height, side="left"), start, stop)
    below = height * (crossing - start) - (area[crossing] - area[start])
    above = (area[stop] - area[crossing]) - height * (stop - crossing)
    distances: Array = below + above
    return distances


def hierarchical_distances(
    count: Array, target: Array, offsets: Array, overall: Array, ancestors: Sequence[Array]
) -> Array:
    """Earth mover's distance of each class from the whole, along a hierarchy.

    Two values are as far apart as their lowest common ancestor is high.

    `ancestors[h]` is for each value the number of its ancestor at height h + 1; the last are all the root.
    """
    whole = overall / overall.sum()
    height = len(ancestors)
    distances = np.zeros(offsets.size - 1)
    rows = max(1, BLOCK // overall.size)
    for first in range(0, offsets.size - 1, rows):
        after = min(first + rows, offsets.size - 1)
        block = np.zeros((after - first, overall.size))
        cells = slice(offsets[first], offsets[after])
        block[
            spread(np.arange(after - first), offsets[first : after + 1] - offsets[first]), target[cells]
        ] = count[cells]
        extra = block / block.sum(axis=1, keepdims=True) - whole
        parent_of_child = np.arange(overall.size)
        for level, ancestor in enumerate(ancestors, start=1):
            places = np.zeros(extra.shape[1], dtype=np.int64)
            places[parent_of_child] = ancestor
            nodes = int(ancestor.max()) + 1
            surplus, deficit = (
                _gathered(np.maximum(sign * extra, 0.0), places, nodes) for sign in (1.0, -1.0)
            )
            distances[first:after] += level / height * np.minimum(surplus, deficit).sum(axis=1)
            extra, parent_of_child = _gathered(extra, places, nodes), ancestor
    return distances


def _gathered(values: Array, places: Array, nodes: int) -> Array:
    """Columns summed into those of their parents."""
    gathered = np.zeros((values.shape[0], nodes))
    for column, place in enumerate(places):
        gathered[:, place] += values[:, column]
    return gathered
