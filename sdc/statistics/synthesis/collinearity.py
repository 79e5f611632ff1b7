"""Finds predictors that say nothing that another has not said."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sdc.arrays import Array
from sdc.statistics.distances.dependence import Correlation, correlation

Kind = Literal["pearson", "spearman", "kendall", "vif"]

LEAST = 3
"""On fewer records any two columns correlate."""


def collinear(columns: list[Array], kind: Kind, above: float) -> dict[int, list[int]]:
    """Columns (numbers, NaN for missing) to leave out, each with the earlier ones it follows from.

    By correlation: a column whose absolute correlation with an earlier one kept exceeds `above`. By `vif`:
    one whose variance inflation factor given all earlier ones kept, 1 / (1 - R²), does. Complete records
    only.

    Reference: Belsley, Kuh, Welsch (1980), doi:10.1002/0471725153.
    """
    kept: list[int] = []
    dropped: dict[int, list[int]] = {}
    for place in range(len(columns)):
        twins = (
            _inflated(columns, kept, place, above)
            if kind == "vif"
            else [
                one for one in kept if _correlation(columns[one], columns[place], Correlation(kind)) > above
            ]
        )
        if twins:
            dropped[place] = twins
        else:
            kept.append(place)
    return dropped


def _correlation(one: Array, other: Array, kind: Correlation) -> float:
    """Its size, over the records that have both values."""
    together = int((~np.isnan(one) & ~np.isnan(other)).sum())
    return abs(correlation(one, other, kind)) if together >= LEAST else 0.0


def _inflated(columns: list[Array], kept: list[int], place: int, above: float) -> list[int]:
    if not kept:
        return []
    table = np.column_stack([columns[other] for other in (*kept, place)])
    table = table[~np.isnan(table).any(axis=1)]
    centred = table - table.mean(axis=0) if len(table) else table
    if len(table) <= len(kept) + 1 or not (total := float(centred[:, -1] @ centred[:, -1])):
        return []
    residual = (
        centred[:, -1] - centred[:, :-1] @ np.linalg.lstsq(centred[:, :-1], centred[:, -1], rcond=None)[0]
    )
    return kept if float(residual @ residual) * above < total else []
