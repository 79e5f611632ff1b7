"""Finds classes that tell too much about a sensitive variable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.statistics.attribution.closeness import (
    USUAL_DISTANCE,
    equal_distances,
    kl_distances,
    ordered_distances,
)
from sdc.statistics.attribution.diversity import USUAL_C, distinct_l, entropy_l, recursive_l

DISTANCES = {"kl": kl_distances, "equal": equal_distances, "ordered": ordered_distances}


@dataclass(frozen=True)
class Demands:
    """What is demanded of a sensitive variable in every class.

    l values in some sense, and a distance of at most t from the whole.
    """

    l: float = 1.0  # noqa: E741
    variant: str = "distinct"
    c: float = USUAL_C
    t: float = np.inf
    distance: str = USUAL_DISTANCE

    @property
    def any(self) -> bool:
        return self.l > 1 or self.t < np.inf


@dataclass(frozen=True)
class Sensitive:
    """A sensitive variable beside the rows of keys: how many records of a row have each of its values.

    Missing values are left out.
    """

    row: Array
    value: Array
    count: Array
    overall: Array
    demands: Demands

    @classmethod
    def of(cls, row_of_record: Array, codes: Array, demands: Demands) -> Sensitive:
        observed = codes >= 0
        levels = int(codes.max(initial=0)) + 1
        pairs, count = np.unique(
            row_of_record[observed].astype(np.int64) * levels + codes[observed], return_counts=True
        )
        overall = np.bincount(codes[observed], minlength=levels)
        return cls(pairs // levels, pairs % levels, count, overall, demands)

    def rolled_up(self, new_row: Array) -> Sensitive:
        """The same variable beside coarser rows."""
        levels = len(self.overall)
        pairs, place = np.unique(new_row[self.row] * levels + self.value, return_inverse=True)
        return Sensitive(
            pairs // levels,
            pairs % levels,
            np.bincount(place, self.count).astype(np.int64),
            self.overall,
            self.demands,
        )

    def failing(self, class_of_row: Array, classes: int) -> Array:
        """Which classes do not meet the demands; a class without any value reveals none."""
        levels = len(self.overall)
        pairs, place = np.unique(
            class_of_row[self.row].astype(np.int64) * levels + self.value, return_inverse=True
        )
        count = np.bincount(place, self.count).astype(np.int64)
        present, starts = np.unique(pairs // levels, return_index=True)
        offsets = np.append(starts, len(pairs))
        fails = np.zeros(classes, dtype=bool)
        if not len(pairs):
            return fails
        if self.demands.l > 1:
            fails[present] |= self._diversity(count, offsets) < self.demands.l
        if self.demands.t < np.inf:
            fails[present] |= (
                DISTANCES[self.demands.distance](count, pairs % levels, offsets, self.overall)
                > self.demands.t
            )
        return fails

    def _diversity(self, count: Array, offsets: Array) -> Array:
        if self.demands.variant == "recursive":
            return recursive_l(count, offsets, self.demands.c)
        return (entropy_l if self.demands.variant == "entropy" else distinct_l)(count, offsets)
