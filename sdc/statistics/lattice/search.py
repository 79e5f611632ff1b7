"""Finds the choice of levels that loses least."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.equivalence import numbered, packed
from sdc.statistics.lattice.node import Levels, Node, Problem

MOST_NODES = 4_000_000
MOST_KEYS = 8
FEW_OPEN = 400
"""Choices left open below which it is cheaper to evaluate them than to bound them more tightly."""


@dataclass(frozen=True)
class BestChoice:
    """The best choice, whether no other can be better, and how many were examined."""

    node: Node
    optimal: bool
    evaluated: int
    choices: int


def search(problem: Problem) -> BestChoice | None:
    """The choice of levels of least loss; None where none is feasible.

    Up to eight keys it is the best there is: choices whose bound from below exceeds the best found are never
    evaluated. Beyond, it is the best of a climb (the step that helps most records per loss) and of going back
    down where that is possible.
    """
    choices = int(np.prod([float(levels) for levels in problem.shape]))
    if len(problem.shape) > MOST_KEYS or choices > MOST_NODES:
        climb = _Climb(problem)
        best = climb.run(tuple(0 for _ in problem.shape))
        return (
            None
            if best is None
            else BestChoice(best, optimal=False, evaluated=len(climb.seen), choices=choices)
        )
    bounded = _Bounded(problem)
    best = bounded.run()
    return (
        None if best is None else BestChoice(best, optimal=True, evaluated=bounded.evaluated, choices=choices)
    )


class _Climb:
    """A search from some levels up, step by step, then down again where feasible and cheaper."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.start: Levels = ()
        self.seen: dict[Levels, Node] = {}

    def run(self, start: Levels) -> Node | None:
        """The levels it ends at, none finer than those of the start."""
        self.start = start
        here = self._node(start)
        while not here.feasible:
            above = [self._node(levels) for levels in self._steps(here.levels, 1)]
            if not above:
                return None
            here = max(above, key=lambda node: (self._gain(here, node), -node.loss, node.levels))
        best = here
        while better := [
            node
            for node in map(self._node, self._around(best.levels))
            if node.feasible and node.loss < best.loss
        ]:
            best = min(better, key=lambda node: (node.loss, node.levels))
        return best

    def _node(self, levels: Levels) -> Node:
        if levels not in self.seen:
            self.seen[levels] = self.problem.evaluate(levels)
        return self.seen[levels]

    def _gain(self, here: Node, there: Node) -> float:
        """Records no longer left out, for each unit of loss."""
        saved = here.suppressed - there.suppressed
        return saved / max(there.loss - here.loss, 1e-9) if saved > 0 else float(saved)

    def _steps(self, levels: Levels, step: int) -> list[Levels]:
        moved = [(*levels[:key], level + step, *levels[key + 1 :]) for key, level in enumerate(levels)]
        return [
            there
            for there in moved
            if all(
                least <= level < most
                for least, level, most in zip(self.start, there, self.problem.shape, strict=True)
            )
        ]

    def _around(self, levels: Levels) -> list[Levels]:
        """One key finer, or one finer and another coarser."""
        finer = self._steps(levels, -1)
        return [*finer, *(there for below in finer for there in self._steps(below, 1) if there != levels)]


class _Bounded:
    """All choices at once, each with a bound from below of its loss, until no open one could be better.

    A record in too small a class on some of the keys is so on all of them, and at some levels is so at finer
    ones: counts on few keys, and of choices evaluated, bound the number of records left out by all finer
    choices.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.best: Node | None = None
        self.evaluated = 0
        self.least = problem.least_loss()
        self.room = np.maximum(1.0 - problem.most_penalty(), 0.0) / problem.rows.records
        self.small = np.zeros(problem.shape, dtype=np.int64)
        self.open = np.ones(problem.shape, dtype=bool)

    def run(self) -> Node | None:
        for together in (1, 2):
            self._bound_by_few(together)
        if self.open.any():
            finest = self._coarsen()
            climb = _Climb(self.problem)
            self.best = climb.run(finest)
            self.evaluated += len(climb.seen)
            self._close()
        self._bound_by_few(3)
        lowest = True
        while self.open.any():
            if self.evaluated % 200 == 0:
                self._coarsen()
            self._try(self._next(lowest))
            lowest = not lowest
        return self.best

    def _bounds(self) -> Array:
        bounds: Array = self.least + self.small * self.room
        return bounds

    def _close(self) -> None:
        """Close what leaves out too many, or cannot be better than the best."""
        self.open &= self.small <= self.problem.limit
        if self.best is not None:
            # Sums in another order differ in the last bits; equal losses need no second look.
            self.open &= self._bounds() < self.best.loss * (1 - 1e-12)

    def _next(self, lowest: bool) -> Levels:
        """The open choice of least bound, or the coarsest, which closes most others where it fails."""
        places = np.flatnonzero(self.open)
        values = self._bounds().reshape(-1)[places] if lowest else -self.least.reshape(-1)[places]
        return tuple(int(level) for level in np.unravel_index(places[np.argmin(values)], self.problem.shape))

    def _try(self, levels: Levels) -> None:
        node = self.problem.evaluate(levels)
        self.evaluated += 1
        self.open[levels] = False
        if node.feasible and (
            self.best is None or (node.loss, node.levels) < (self.best.loss, self.best.levels)
        ):
            self.best = node
        finer = tuple(slice(0, level + 1) for level in levels)
        self.small[finer] = np.maximum(self.small[finer], node.small)
        self._close()

    def _bound_by_few(self, together: int) -> None:
        """Count on every set of so many keys at every choice of their levels that is open, unless few are."""
        axes = range(self.open.ndim)
        for keys in combinations(axes, together):
            if np.count_nonzero(self.open) <= FEW_OPEN or together >= self.open.ndim:
                return
            table, counts = self._projected(keys)
            asked = self.open.any(axis=tuple(axis for axis in axes if axis not in keys))
            found = np.zeros(asked.shape, dtype=np.int64)
            for levels in zip(*np.nonzero(asked), strict=True):
                _, counted = self.problem.classes(levels, keys, table, counts)
                found[levels] = counted[counted < self.problem.k].sum()
            shape = [self.open.shape[axis] if axis in keys else 1 for axis in axes]
            np.maximum(self.small, found.reshape(shape), out=self.small)
            self._close()

    def _projected(self, keys: tuple[int, ...]) -> tuple[Array, Array]:
        """Distinct rows on some keys, and their records."""
        rows = self.problem.rows
        distinct, place = numbered(packed([rows.codes[:, key] for key in keys]))
        first = np.zeros(distinct.size, dtype=np.int64)
        first[place[::-1]] = np.arange(len(place))[::-1]
        return np.column_stack([rows.codes[first, key] for key in keys]), np.bincount(
            place, rows.counts
        ).astype(np.int64)

    def _coarsen(self) -> Levels:
        """Work on rows as coarse as the finest levels still open, and say which these are."""
        axes = range(self.open.ndim)
        finest = tuple(
            int(np.argmax(self.open.any(axis=tuple(other for other in axes if other != axis))))
            for axis in axes
        )
        self.problem = self.problem.rolled_up(finest)
        return finest
