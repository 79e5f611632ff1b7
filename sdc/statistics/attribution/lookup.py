"""How often an intruder who looks up a person's keys names the right target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.segments import spread, sums


@dataclass(frozen=True)
class AttributionCells:
    """Each class of key and target with original records in it.

    `matches` are the records of a table with the key, `hits` those of them with the target too.
    """

    records: Array
    original_hits: Array
    original_matches: Array
    candidate_hits: Array
    candidate_matches: Array

    @classmethod
    def of(
        cls, offsets: Array, original: Array, candidate: Array, no_class: Array | None = None
    ) -> AttributionCells:
        """From counts of targets within the classes of keys.

        Class i has the cells offsets[i]:offsets[i + 1]. Records in cells of `no_class` have no target that
        could be hit.
        """
        matches = (spread(sums(count, offsets), offsets) for count in (original, candidate))
        known = original > 0
        own, released = (count[known] for count in matches)
        hits = original[known] if no_class is None else np.where(no_class, 0, original)[known]
        return cls(original[known], hits, own, candidate[known], released)

    @property
    def matched(self) -> Array:
        """Cells whose key the candidate has."""
        found: Array = self.candidate_matches > 0
        return found

    @property
    def matched_records(self) -> int:
        return int(self.records[self.matched].sum())

    @property
    def in_original(self) -> Array:
        """CAP of each cell if the original were released."""
        share: Array = self.original_hits / self.original_matches
        return share

    @property
    def in_candidate(self) -> Array:
        """CAP of each cell in the candidate, 0 where no key matches."""
        share: Array = self.candidate_hits / np.maximum(self.candidate_matches, 1)
        return share

    def mean(self, scores: Array, cells: Array | None = None) -> float:
        """The mean of a score over the original records in the cells."""
        chosen = np.ones(scores.size, dtype=bool) if cells is None else cells
        return float((self.records[chosen] * scores[chosen]).sum()) / int(self.records[chosen].sum())


def knowing_homogeneous(cells: AttributionCells) -> Array:
    """CAP of each cell for an intruder who knows the target where all original records of a key share it."""
    return np.where(cells.original_hits == cells.original_matches, 1.0, cells.in_candidate)


def knowing_membership(scores: Array, inclusion: float | Array, levels: int) -> Array:
    """CAP for an intruder who knows only with some probability that a person is in the table.

    Outside it, every target is as likely.
    """
    return inclusion * scores + (1 - inclusion) / levels
