"""Draws donors: observed records of the same group that give a synthetic one its value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array


@dataclass(frozen=True)
class Donors:
    """Observed records sorted by the group they are in."""

    order: Array
    groups: Array
    starts: Array
    sizes: Array

    @classmethod
    def of(cls, group: Array) -> Donors:
        order = np.argsort(group, kind="stable")
        return cls(order, *np.unique(group[order], return_index=True, return_counts=True))

    def drawn(self, group: Array, rng: np.random.Generator) -> Array:
        """For each requested group the number of one of its records, drawn evenly.

        For an empty group it is one of all records.
        """
        place = np.minimum(np.searchsorted(self.groups, group), len(self.groups) - 1)
        known = self.groups[place] == group
        starts, sizes = (
            np.where(known, self.starts[place], 0),
            np.where(known, self.sizes[place], len(self.order)),
        )
        chosen: Array = self.order[starts + np.floor(rng.random(len(group)) * sizes).astype(np.int64)]
        return chosen
