"""Descriptions that single out one record, and the records they describe elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.kernels.processors import in_parts
from sdc.statistics.neighbours.space import CODE

UNUSED, EQUAL, AT_MOST, AT_LEAST = 0, 1, 2, 3
SEVERAL = 2
EXACT = 0.5


@dataclass(frozen=True)
class Predicates:
    """Conjunctions, a row for each: for each variable a condition (or none) and what it compares with.

    Records are held as points are: numbers with NaN, codes with 0 where missing; a missing value is equal to
    another.
    """

    conditions: Array
    bounds: Array

    def __len__(self) -> int:
        return len(self.conditions)

    def at(self, rows: Array) -> Predicates:
        return Predicates(self.conditions[rows], self.bounds[rows])

    def matches(self, records: Ordered, enough: int = SEVERAL) -> tuple[Array, Array]:
        """How many records each holds for, counted up to `enough`, and the last that was counted."""
        from sdc.kernels.predicates import count_matches

        counts, last = np.zeros(len(self), dtype=np.int64), np.zeros(len(self), dtype=np.int64)
        within, start, end = self._fewest(records)

        def count(part: slice) -> None:
            count_matches(
                records.points,
                self.conditions[part],
                self.bounds[part],
                records.ascending,
                within[part],
                start[part],
                end[part],
                enough,
                counts[part],
                last[part],
            )

        in_parts(len(self), count)
        return counts, last

    def _fewest(self, records: Ordered) -> tuple[Array, Array, Array]:
        """The variable whose condition leaves fewest records, and where these begin and end in its order."""
        within, start = np.zeros(len(self), dtype=np.int64), np.zeros(len(self), dtype=np.int64)
        end = np.full(len(self), records.points.shape[1], dtype=np.int64)
        for variable in range(len(records.points)):
            low, high = records.between(variable, self.conditions[:, variable], self.bounds[:, variable])
            better = (self.conditions[:, variable] != UNUSED) & (high - low < end - start)
            within[better], start[better], end[better] = variable, low[better], high[better]
        return within, start, end


@dataclass(frozen=True)
class Ordered:
    """Records as points, a row for each variable, and for each variable the records in its order."""

    points: Array
    ascending: Array

    @classmethod
    def of(cls, points: Array) -> Ordered:
        ascending = np.empty(points.shape, dtype=np.int32)

        def ordered(part: slice) -> None:
            for variable in range(part.start, part.stop):
                ascending[variable] = np.argsort(points[variable], kind="stable")

        in_parts(len(points), ordered, at_once=1)
        return cls(points, ascending)

    def between(self, variable: int, conditions: Array, bounds: Array) -> tuple[Array, Array]:
        """Where the records that fulfil each condition begin and end in the order of a variable."""
        values = self.points[variable][self.ascending[variable]]
        known = values.size - int(np.count_nonzero(np.isnan(values)))
        low, high = (np.searchsorted(values, bounds, side=side) for side in ("left", "right"))
        return (
            np.where(conditions == AT_MOST, 0, low).astype(np.int64),
            np.where(conditions == AT_LEAST, known, high).astype(np.int64),
        )


def univariate(points: Array, kinds: Array) -> Predicates:
    """Every value that only one record has; for numbers also the end of the range that one record holds."""
    found: list[tuple[int, int, float]] = []
    for variable, (values, kind) in enumerate(zip(points, kinds, strict=True)):
        distinct, count = np.unique(values, return_counts=True)
        found.extend((variable, EQUAL, float(value)) for value in distinct[count == 1])
        if kind != CODE:
            observed, count = distinct[~np.isnan(distinct)], count[~np.isnan(distinct)]
            ends = ((0, AT_MOST), (-1, AT_LEAST)) if observed.size else ()
            found.extend(
                (variable, condition, float(observed[end])) for end, condition in ends if count[end] == 1
            )
    conditions = np.zeros((len(found), len(points)), dtype=np.int8)
    bounds = np.zeros((len(found), len(points)))
    for row, (variable, condition, bound) in enumerate(found):
        conditions[row, variable], bounds[row, variable] = condition, bound
    return Predicates(conditions, bounds)


def multivariate(records: Ordered, kinds: Array, rows: Array, rng: np.random.Generator) -> Predicates:
    """For each of the rows a description that no other record shares, over variables taken in random order.

    A category is itself; a number is its value in half of the descriptions, in the others at least its value
    where that is above the median, else at most. As many variables as were drawn (from one to all) are used,
    and more until the description is unique; rows with no such description are left out.
    """
    from sdc.kernels.predicates import narrow

    points = records.points
    conditions, bounds = _described(points, kinds, points[:, rows].T)
    conditions[rng.random(rows.size) < EXACT] = EQUAL
    orders = rng.permuted(np.tile(np.arange(len(points)), (rows.size, 1)), axis=1)
    wanted = rng.integers(1, len(points) + 1, size=rows.size)
    used, start, end = (np.zeros(rows.size, dtype=np.int64) for _ in range(3))
    for variable in range(len(points)):
        first = np.flatnonzero(orders[:, 0] == variable)
        start[first], end[first] = records.between(
            variable, conditions[first, variable], bounds[first, variable]
        )

    def narrowed(part: slice) -> None:
        narrow(
            points,
            conditions[part],
            bounds[part],
            orders[part],
            records.ascending,
            start[part],
            end[part],
            wanted[part],
            used[part],
        )

    in_parts(rows.size, narrowed)
    rank = np.argsort(orders, axis=1)
    made = Predicates(np.where(rank < used[:, None], conditions, UNUSED).astype(np.int8), bounds)
    return made.at(np.flatnonzero(used))


def _described(points: Array, kinds: Array, records: Array) -> tuple[Array, Array]:
    """A condition on every variable of some records."""
    middle = np.array([_median(values) for values in points])
    sided = np.where(records > middle, AT_LEAST, AT_MOST)
    conditions = np.where((kinds == CODE) | np.isnan(records), EQUAL, sided)
    return conditions.astype(np.int8), np.ascontiguousarray(records)


def _median(values: Array) -> float:
    observed = values[~np.isnan(values)]
    return float(np.median(observed)) if observed.size else 0.0


def mixed(predicates: Predicates, points: Array, kinds: Array, rng: np.random.Generator) -> Predicates:
    """The same variables, each described as in some record drawn by itself.

    Somebody who knows only the single variables would guess this.
    """
    drawn = rng.integers(points.shape[1], size=predicates.conditions.shape)
    records = points[np.arange(len(points)), drawn]
    conditions, bounds = _described(points, kinds, records)
    conditions = np.where(predicates.conditions == EQUAL, EQUAL, conditions)
    return Predicates(np.where(predicates.conditions == UNUSED, UNUSED, conditions).astype(np.int8), bounds)
