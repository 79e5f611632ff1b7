"""The distance between two records: a sum over variables, each with a scale of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sdc.arrays import Array

Distance = Literal["gower", "euclidean"]

SQUARED, ABSOLUTE, CODE = 0, 1, 2


@dataclass(frozen=True)
class Axis:
    """One variable: numbers with the factor of their differences, or codes that are equal or not."""

    kind: int
    factor: float = 1.0

    @classmethod
    def of_numbers(cls, original: Array, candidate: Array, distance: Distance) -> Axis:
        """Differences over the range of both tables (Gower), or over the original's deviation (Euclid)."""
        if distance == "gower":
            pooled = np.concatenate([original[np.isfinite(original)], candidate[np.isfinite(candidate)]])
            return cls(ABSOLUTE, _over(float(np.ptp(pooled)) if pooled.size else 0.0))
        observed = original[np.isfinite(original)]
        return cls(SQUARED, _over(float(observed.std(ddof=1)) if observed.size > 1 else 0.0))


def _over(scale: float) -> float:
    return 1.0 / scale if scale > 0 else 1.0


@dataclass(frozen=True)
class Space:
    """The variables on which records are compared, and the distance that each adds.

    A variable adds |a - b| over the range, at most 1 (Gower), or the squared difference in standard
    deviations (Euclid); two codes add 0 where equal, else 1. A missing value equals another missing one and
    differs by 1 from any value; as a wildcard it differs from nothing.
    """

    kinds: Array
    factors: Array
    wildcard: bool = False

    @classmethod
    def of(cls, axes: list[Axis], *, wildcard: bool = False) -> Space:
        return cls(
            np.array([axis.kind for axis in axes], dtype=np.int8),
            np.array([axis.factor for axis in axes]),
            wildcard,
        )

    def lengths(self, sums: Array) -> Array:
        """Distances from sums over the variables: their mean (Gower), or the root of the sum (Euclid)."""
        return np.sqrt(sums) if (self.kinds == SQUARED).any() else sums / max(self.kinds.size, 1)


def points(columns: list[Array], kinds: Array) -> Array:
    """A row for each variable, a column for each record.

    Numbers with NaN where missing (or not finite), codes from 1 on and 0 where missing.
    """
    made = np.empty((len(columns), columns[0].size if columns else 0))
    for row, (column, kind) in enumerate(zip(columns, kinds, strict=True)):
        made[row] = column + 1 if kind == CODE else np.where(np.isfinite(column), column, np.nan)
    return made
