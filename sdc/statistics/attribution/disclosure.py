"""What keys that lead to one target only give away, in a candidate and in its original."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.segments import spread, sums


@dataclass(frozen=True)
class DisclosureCells:
    """Counts of targets within classes of keys in both tables.

    Class i has the cells offsets[i]:offsets[i + 1].

    `tells` marks the cells whose target would be a disclosure if it were the only one of its key.
    """

    offsets: Array
    original: Array
    candidate: Array
    tells: Array

    def only(self, counts: Array) -> Array:
        """Cells that hold all records a table has with the key."""
        targets = spread(sums((counts > 0).astype(np.int64), self.offsets), self.offsets)
        alone: Array = (targets == 1) & (counts > 0) & self.tells
        return alone

    def of_key(self, cells: Array) -> Array:
        """All cells of the keys that one of the given cells has."""
        return spread(sums(cells.astype(np.int64), self.offsets), self.offsets) > 0

    def in_class(self, counts: Array) -> Array:
        return spread(sums(counts, self.offsets), self.offsets)

    def mean_share(self, records: Array, counts: Array) -> float:
        """The mean over records of the share of their own target among records with their key."""
        held = (records > 0) & (counts > 0)
        return float((records[held] * counts[held] / self.in_class(counts)[held]).sum()) / int(records.sum())
