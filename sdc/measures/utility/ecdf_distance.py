"""How far apart are the distribution functions of the tables, at worst and on average?"""

from __future__ import annotations

from typing import Any

import numpy as np

from sdc.catalogue import Better, Column, Family, Need, measure
from sdc.comparison import BOTH, comparable_numbers, observed
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair, Side
from sdc.statistics.dominance import joint_distance

Array = np.ndarray[Any, Any]

MOST_RECORDS = 1_000_000
"""In three dimensions and more, where the work grows with the square."""


@measure(family=Family.UTILITY, better=Better.LOWER, bounds=(0, 1), needs=(Need.NUMERIC,))
def ecdf_distance(pair: ReleasePair, *, variables: list[Column] | None = None, one_way: bool = False) -> Measurement | NotAssessed:
    """The largest difference U_m (Woo's MD) of the joint empirical distribution functions of the numeric variables.

    The functions are compared at all n + m points of both tables, exactly, each point as often as it occurs; a record is
    below a point when it is at or below it in every variable. `mcm` is the sum of the squared differences and `u_a` that
    sum over n + m. With `one_way` every variable is compared by itself: the value is the largest U_m, and `u_m`, `u_a` and
    `mcm` come by variable. Records with a missing value in a compared variable are left out; `original_records` and
    `candidate_records` count those used. Time grows as N log N for one or two variables; for more it grows with the
    square, and beyond a million records the measure is not assessed.

    A distance, not a test: the candidate is made from the original, so no p-value of a two-sample test would hold.

    Reference: Woo, Reiter, Oganian and Karr (2009), doi:10.29012/jpc.v1i1.568.
    """
    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    if one_way:
        return _one_way(pair, columns)
    original, candidate = (_complete(pair, columns, side) for side in BOTH)
    lacking = [side.value for side, points in zip(BOTH, (original, candidate), strict=True) if not len(points)]
    if lacking:
        return NotAssessed(f"no record of the {' and the '.join(lacking)} has a value in each of {len(columns)} variables")
    if len(columns) > 2 and len(original) + len(candidate) > MOST_RECORDS:
        found = len(original) + len(candidate)
        return NotAssessed(f"{found} records in {len(columns)} dimensions take too long: name two variables, or compare one_way")
    distance = joint_distance(original, candidate)
    parts = {"u_a": distance.mean_square, "mcm": distance.squares, "dimensions": len(columns)}
    return Measurement(distance.largest, {**parts, "original_records": len(original), "candidate_records": len(candidate)})


def _complete(pair: ReleasePair, columns: tuple[str, ...], side: Side) -> Array:
    """The records with a value in every column, a row each."""
    points = np.column_stack([pair.numbers(column, side) for column in columns])
    complete: Array = points[~np.isnan(points).any(axis=1)]
    return complete


def _one_way(pair: ReleasePair, columns: tuple[str, ...]) -> Measurement:
    parts: dict[str, float] = {}
    for column in columns:
        original, candidate = (observed(pair, column, side)[:, None] for side in BOTH)
        distance = joint_distance(original, candidate)
        parts.update({f"u_m.{column}": distance.largest, f"u_a.{column}": distance.mean_square, f"mcm.{column}": distance.squares})
    return Measurement(max(parts[f"u_m.{column}"] for column in columns), parts)
