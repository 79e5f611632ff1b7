"""Puts records into a tree once and searches it by many queries, on all processors.

Each query is answered by itself, so the number of processors changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sdc.arrays import Array
from sdc.kernels.processors import in_parts
from sdc.statistics.neighbours.space import Space


@dataclass(frozen=True)
class Neighbours:
    """Records (see `space.points`) that can be searched for those nearest to others.

    Distances are exact, and given as sums over the variables.
    """

    space: Space
    points: Array

    @cached_property
    def _planted(self) -> tuple[Array, tuple[Array, ...], int]:
        """Rows in leaf order, the records in that order with the tree's nodes and boxes, and its depth."""
        from sdc.kernels.box_tree import enclose, plant

        points = np.ascontiguousarray(self.points)
        dimensions, n = points.shape
        rows, nodes = np.arange(n), np.empty((2 * n, 4), dtype=np.int64)
        count, depth = plant(points, self.space.kinds, self.space.factors, rows, nodes)
        boxes = (count, dimensions)
        low, high = np.full(boxes, np.inf), np.full(boxes, -np.inf)
        codes, blank = np.zeros(boxes, dtype=np.uint64), np.zeros(boxes, dtype=bool)
        nodes = nodes[:count].copy()
        enclose(points, self.space.kinds, rows, nodes, low, high, codes, blank)
        return rows, (np.ascontiguousarray(points[:, rows]), nodes, low, high, codes, blank), int(depth)

    @property
    def _searched(self) -> tuple[Any, tuple[Array, ...], int]:
        _, tree, depth = self._planted
        return (self.space.kinds, self.space.factors, self.space.wildcard), tree, depth

    def nearest(self, queries: Array, number: int = 1) -> Array:
        """The sums of the `number` nearest records to each query, ascending.

        There is a row for each query, infinite where there are fewer records.
        """
        from sdc.kernels.box_search import nearest

        distinct, place = _distinct(queries)
        found = np.empty((distinct.shape[0], number))
        in_parts(
            distinct.shape[0], lambda part: nearest(distinct[part], number, *self._searched, found[part])
        )
        return found[place]

    def ranks(self, queries: Array, own: Array, enough: int) -> tuple[Array, Array]:
        """How many records are nearer to each query than `own`, and how many as near.

        Exact while fewer than `enough` are nearer.
        """
        from sdc.kernels.box_search import ranks

        rows = np.ascontiguousarray(queries.T)
        nearer, as_near = np.empty(rows.shape[0], dtype=np.int64), np.empty(rows.shape[0], dtype=np.int64)
        in_parts(
            rows.shape[0],
            lambda part: ranks(rows[part], own[part], enough, *self._searched, nearer[part], as_near[part]),
        )
        return nearer, as_near

    def guesses(self, queries: Array, target: Array, levels: int = 0) -> Array:
        """The target of the nearest records to each query: the most frequent of codes, the median of numbers.

        Codes have so many `levels`; numbers have 0.
        """
        from sdc.kernels.box_search import guesses, nearest

        distinct, place = _distinct(queries)
        radius, guessed = np.empty((distinct.shape[0], 1)), np.empty(distinct.shape[0])
        ordered = np.ascontiguousarray(target[self._planted[0]], dtype=np.float64)

        def guess(part: slice) -> None:
            nearest(distinct[part], 1, *self._searched, radius[part])
            guesses(distinct[part], radius[part, 0], ordered, levels, *self._searched, guessed[part])

        in_parts(distinct.shape[0], guess)
        return guessed[place]

    def meet(self, queries: Array, split: int, radius: Array) -> Array:
        """Whether a record is within the first radius before `split` and within the second after it."""
        from sdc.kernels.box_search import meet

        rows, met = np.ascontiguousarray(queries.T), np.empty(queries.shape[1], dtype=bool)
        in_parts(
            rows.shape[0], lambda part: meet(rows[part], split, radius[part], *self._searched, met[part])
        )
        return met


def between(space: Space, one: Array, other: Array) -> Array:
    """The sum for record i of one table and record i of another."""
    from sdc.kernels.box_search import sums_of_pairs

    sums = np.empty(one.shape[1])
    pairs = np.ascontiguousarray(one), np.ascontiguousarray(other)
    sums_of_pairs(*pairs, (space.kinds, space.factors, space.wildcard), sums)
    return sums


def _distinct(queries: Array) -> tuple[Array, Array]:
    """The distinct queries, a row for each, in order, and the place of every query among them."""
    rows = np.ascontiguousarray(np.where(np.isnan(queries), -np.inf, queries).T)
    if not rows.shape[1]:
        return np.zeros((1, 0)), np.zeros(rows.shape[0], dtype=np.int64)
    order = np.lexsort(rows.T[::-1])
    new = np.concatenate([[True], (rows[order[1:]] != rows[order[:-1]]).any(axis=1)])
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.cumsum(new) - 1
    return np.ascontiguousarray(queries.T[order[new]]), place
