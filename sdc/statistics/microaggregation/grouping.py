"""Finds the values that are aggregated together, and what represents them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdc.arrays import Array

EUCLIDEAN, RANGE, NOMINAL = 0, 1, 2
GROUPINGS = ("mdav", "z_score_projection", "principal_component", "univariate")


class TooFew(ValueError):
    """A column has fewer observed values than a group needs."""

    def __init__(self, column: int, observed: int) -> None:
        self.column, self.observed = column, observed
        super().__init__(f"{observed} values")


@dataclass(frozen=True)
class Features:
    """Columns to be grouped on, scaled so that distances add up.

    Missing values are NaN; `kinds` are as the tree reads them.
    """

    points: Array
    kinds: Array

    @classmethod
    def numeric(cls, columns: Sequence[Array]) -> Features:
        """Squared differences, each column divided by its standard deviation (denominator n)."""
        points = np.column_stack(columns)
        for place, column in enumerate(columns):
            held = column[~np.isnan(column)]
            points[:, place] /= _or_one(held.std()) if held.size else 1.0
        return cls(points, np.full(len(columns), EUCLIDEAN, dtype=np.int8))

    @classmethod
    def mixed(cls, columns: Sequence[Array], nominal: Array) -> Features:
        """Gower's distance: differences over the range, 1 for two different categories."""
        points = np.column_stack(columns)
        for place, column in enumerate(columns):
            held = column[~np.isnan(column)]
            if held.size and not nominal[place]:
                points[:, place] /= _or_one(held.max() - held.min())
        return cls(points, np.where(nominal, NOMINAL, RANGE).astype(np.int8))

    def at(self, rows: Array, columns: Array) -> Features:
        """Some rows and columns; all of them without a copy."""
        whole = (len(rows), len(columns)) == self.points.shape
        return self if whole else Features(self.points[np.ix_(rows, columns)], self.kinds[columns])


def _or_one(scale: Any) -> Any:
    return np.where(scale > 0, scale, 1.0)


def consecutive(scores: Array, k: int) -> Array:
    """Groups of k along the scores, equal ones in the order of rows.

    The last group takes the rest and has k to 2 k - 1.
    """
    order = np.argsort(scores, kind="stable")
    group = np.empty(len(scores), dtype=np.int64)
    group[order] = np.minimum(np.arange(len(scores)) // k, max(len(scores) // k - 1, 0))
    return group


def projection(points: Array, grouping: str) -> Array:
    """The sum of z-scores, or the first principal component of the correlations, of complete rows."""
    spread = points.std(axis=0)
    scores = (points - points.mean(axis=0)) / _or_one(spread)
    if grouping == "z_score_projection":
        total: Array = scores.sum(axis=1)
        return total
    values, vectors = np.linalg.eigh(scores.T @ scores)
    first = vectors[:, np.argmax(values)]
    along: Array = scores @ (first * np.sign(first[np.argmax(np.abs(first))]))
    return along


def grouped(features: Features, rows: Array, k: int, grouping: str) -> Array:
    """For each of the rows and each column a group of at least k values; -1 where the value is missing.

    Rows that miss the same columns are grouped among themselves. Where they are fewer than k, each joins the
    nearest group that has all the columns it has; where there is none, its values are grouped column by
    column. TooFew is raised for a column with values, but fewer than k.
    """
    features = features.at(rows, np.arange(len(features.kinds)))
    points = features.points
    observed = ~np.isnan(points)
    for column, count in enumerate(observed.sum(axis=0)):
        if 0 < count < k:
            raise TooFew(column, int(count))
    group = np.full(points.shape, -1, dtype=np.int32)
    if grouping == "univariate":
        for column in range(points.shape[1]):
            _group_column(points, observed, column, k, group)
        return group
    alone = _group_patterns(features, observed, k, grouping, group)
    if alone.size:
        _join(features, observed, alone, k, group)
    return group


def _group_column(points: Array, observed: Array, column: int, k: int, group: Array) -> None:
    held = np.flatnonzero(observed[:, column])
    if held.size:
        group[held, column] = group.max(initial=-1) + 1 + consecutive(points[held, column], k)


def _group_patterns(features: Features, observed: Array, k: int, grouping: str, group: Array) -> Array:
    """Group the rows of each pattern of missing columns that has k of them; gives the rows that are left."""
    patterns, pattern_of = np.unique(observed, axis=0, return_inverse=True)
    alone = []
    for number, pattern in enumerate(patterns):
        members, held = np.flatnonzero(pattern_of.reshape(-1) == number), np.flatnonzero(pattern)
        if not held.size:
            continue
        if members.size < k:
            alone.append(members)
            continue
        made = _groups(features.at(members, held), k, grouping)
        group[np.ix_(members, held)] = (group.max(initial=-1) + 1 + made)[:, None]
    return np.sort(np.concatenate(alone)) if alone else np.zeros(0, dtype=np.int64)


def _groups(features: Features, k: int, grouping: str) -> Array:
    if grouping == "mdav":
        from sdc.kernels.mdav import mdav

        made: Array = mdav(np.ascontiguousarray(features.points), features.kinds, k)
        return made
    return consecutive(projection(features.points, grouping), k)


def _join(features: Features, observed: Array, alone: Array, k: int, group: Array) -> None:
    """Rows of rare patterns join the nearest group that has their columns.

    Rows that cannot are grouped column by column.
    """
    leaders = _leaders(features, group)
    rest = np.zeros(len(observed), dtype=bool)
    for row in alone.tolist():
        nearest = _nearest(features, leaders, row, observed[row])
        if nearest is None:
            rest[row] = True
        else:
            group[row, observed[row]] = nearest
    for column in np.flatnonzero(observed[rest].any(axis=0)):
        values = np.flatnonzero(rest & observed[:, column])
        if values.size >= k:
            _group_column(features.points, observed & rest[:, None], int(column), k, group)
            continue
        only = np.arange(observed.shape[1]) == column
        for row in values.tolist():
            group[row, column] = _nearest(features, leaders, row, only)


def _leaders(features: Features, group: Array) -> tuple[Array, Array]:
    """A representative of each group: its number and its place, NaN in columns it has not."""
    numbers, first = np.unique(group.max(axis=1, initial=-1), return_index=True)
    made = numbers >= 0
    centres = [
        representative(features.points[:, column], group[:, column], features.kinds[column] == NOMINAL)
        for column in range(group.shape[1])
    ]
    return numbers[made], np.column_stack(centres)[first[made]]


def _nearest(features: Features, leaders: tuple[Array, Array], row: int, columns: Array) -> int | None:
    numbers, centres = leaders
    able = np.flatnonzero(~np.isnan(centres[:, columns]).any(axis=1))
    if not able.size:
        return None
    differences = np.abs(centres[np.ix_(able, columns)] - features.points[row, columns])
    kinds = features.kinds[columns]
    parts = np.where(
        kinds == EUCLIDEAN, differences**2, np.where(kinds == NOMINAL, differences > 0, differences)
    )
    return int(numbers[able[np.argmin(parts.sum(axis=1))]])


def representative(values: Array, group: Array, nominal: bool, median: bool = False) -> Array:
    """For each value what represents its group: the mean, the lower median or the commonest category.

    Of equally common categories the first counts.

    Where all of a group are equal the mean is exactly that value.
    """
    made = np.full(len(values), np.nan)
    held = np.flatnonzero(group >= 0)
    if not held.size:
        return made
    _, place = np.unique(group[held], return_inverse=True)
    if nominal:
        levels = int(values[held].max()) + 1
        pairs, count = np.unique(place * levels + values[held].astype(np.int64), return_counts=True)
        best = np.lexsort([pairs, -count, pairs // levels])
        first = best[np.flatnonzero(np.diff(pairs[best] // levels, prepend=-1))]
        made[held] = (pairs[first] % levels)[place]
        return made
    order = np.lexsort([values[held], place])
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    sizes = np.diff(np.append(starts, len(order)))
    if median:
        made[held] = values[held][order][starts + (sizes - 1) // 2][place]
        return made
    lowest = values[held][order][starts]
    above = np.bincount(place, values[held] - lowest[place])
    made[held] = (lowest + above / sizes)[place]
    return made
