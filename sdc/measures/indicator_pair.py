"""One figure in the original and in the candidate: how far apart the two are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sdc.statistics.estimates.intervals import overlap, reach


@dataclass(frozen=True)
class IndicatorPair:
    """One figure in both tables: estimates and their bootstrap variances, NaN where there is none."""

    name: str
    before: float
    after: float
    variance_before: float
    variance_after: float

    @property
    def has_change(self) -> bool:
        """Has the original's value a size to compare with?"""
        return not np.isnan(self.before) and bool(self.before or not self.after)

    @property
    def change(self) -> float:
        """In percent of the original's."""
        return 100 * abs(self.after - self.before) / abs(self.before) if self.after != self.before else 0.0

    def parts(self, level: float) -> dict[str, float]:
        found = {"original": self.before, "value": self.after}
        if self.has_change:
            found["change"] = self.change
        if not np.isnan(self.variance_before + self.variance_after):
            difference = abs(self.variance_after - self.variance_before)
            found.update({"original_variance": self.variance_before, "variance": self.variance_after})
            found["mse"] = (self.after - self.before) ** 2 + difference
            if self.variance_before or not difference:
                found["variance_change"] = 100 * difference / self.variance_before if difference else 0.0
        if self.variance_before > 0 and self.variance_after > 0:
            halves = [
                reach(level) * math.sqrt(variance) for variance in (self.variance_before, self.variance_after)
            ]
            found.update({"original_low": self.before - halves[0], "original_high": self.before + halves[0]})
            found.update({"low": self.after - halves[1], "high": self.after + halves[1]})
            found["overlap"] = float(
                overlap(*(np.asarray(end) for end in (self.before, halves[0], self.after, halves[1])))
            )
        return {f"{part}.{self.name}": number for part, number in found.items()}
