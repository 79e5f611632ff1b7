"""One figure in the original and in the candidate: how far apart the two are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sdc.catalogue.measurement import NotAssessed
from sdc.statistics.estimates.intervals import overlap, reach
from sdc.statistics.estimates.synthetic_inference import CombiningRule, combined, t_reach


@dataclass(frozen=True)
class IndicatorPair:
    """One figure in both tables: estimates and their bootstrap variances, NaN where there is none."""

    name: str
    before: float
    after: float
    variance_before: float
    variance_after: float
    degrees: float = math.inf
    """Of the t interval around the candidate's; infinite where it is normal."""

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
                reach(level) * math.sqrt(self.variance_before),
                float(t_reach(level, np.array(self.degrees)) * math.sqrt(self.variance_after)),
            ]
            found.update({"original_low": self.before - halves[0], "original_high": self.before + halves[0]})
            found.update({"low": self.after - halves[1], "high": self.after + halves[1]})
            found["overlap"] = float(
                overlap(*(np.asarray(end) for end in (self.before, halves[0], self.after, halves[1])))
            )
        return {f"{part}.{self.name}": number for part, number in found.items()}


def over_syntheses(
    several: Sequence[Sequence[IndicatorPair]], rule: CombiningRule, size_ratio: float
) -> list[IndicatorPair] | NotAssessed:
    """The figures of several syntheses as one each: their mean, with the variance that the rule gives it."""
    names = [figure.name for figure in several[0]]
    if any([figure.name for figure in each] != names for each in several):
        return NotAssessed("the syntheses do not have the same categories in the variables of a figure")
    held = combined(
        rule,
        np.array([[figure.after for figure in each] for each in several]),
        np.array([[figure.variance_after for figure in each] for each in several]),
        size_ratio=size_ratio,
    )
    return [
        replace(figure, after=float(after), variance_after=float(variance), degrees=float(degrees))
        for figure, after, variance, degrees in zip(
            several[0], held.estimates, held.variances, held.degrees, strict=True
        )
    ]
