"""The records that an intruder finds who looks up a person's keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdc.arrays import Array


@dataclass(frozen=True)
class Found:
    """For each original record how many records share its class (matches), and its target too (hits)."""

    matches: Array
    hits: Array

    @property
    def matched(self) -> Array:
        found: Array = self.matches > 0
        return found

    @property
    def share(self) -> Array:
        """The share of hits among matches, 0 where there is none."""
        import numpy as np

        share: Array = self.hits / np.maximum(self.matches, 1)
        return share
