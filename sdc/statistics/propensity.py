"""How well do scores tell candidate records from original ones?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdc.statistics.contingency import TwoCounts

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class ScoreSummary:
    """Statistics of propensity scores: each record's fitted probability of being the candidate's.

    `pmse` is the mean squared distance of the scores from the candidate's share c, `specks` the Kolmogorov-Smirnov
    distance of the scores of the two tables, `rank_sum_u` Wilcoxon's U of the candidate (mid-ranks), `po50` the percent
    of records told right at a score above one half, minus 50.
    """

    pmse: float
    specks: float
    rank_sum_u: float
    po50: float
    original: int
    candidate: int

    @property
    def candidate_share(self) -> float:
        return self.candidate / (self.original + self.candidate)

    def parts(self) -> dict[str, float]:
        nm = self.original * self.candidate
        return {
            "pmse": self.pmse,
            "specks": self.specks,
            "rank_sum_u": self.rank_sum_u,
            "rank_sum_u_original": nm - self.rank_sum_u,
            "rank_sum_share": self.rank_sum_u / nm,
            "po50": self.po50,
        }


def summarise_scores(scores: Array, is_candidate: Array) -> ScoreSummary:
    """The summary of scores, record by record, whatever their order."""
    distinct, place = np.unique(scores, return_inverse=True)
    held = np.asarray(is_candidate, dtype=bool)
    o, s = np.bincount(place[~held], minlength=distinct.size), np.bincount(place[held], minlength=distinct.size)
    n, m = int(o.sum()), int(s.sum())
    c = m / (n + m)
    right = math.fsum(np.where(distinct > 0.5, s, o))
    below = np.cumsum(o) - o / 2
    return ScoreSummary(
        pmse=math.fsum((o + s) * (distinct - c) ** 2) / (n + m),
        specks=TwoCounts(o.astype(float), s.astype(float)).cumulative,
        rank_sum_u=math.fsum(s * below),
        po50=100 * right / (n + m) - 50,
        original=n,
        candidate=m,
    )


def null_mean(degrees: int, candidate_share: float, records: int) -> float:
    """Expected pMSE of a logistic fit for a candidate drawn from the original's own law; degrees leave out the intercept."""
    return degrees * (1 - candidate_share) ** 2 * candidate_share / records


def null_deviation(degrees: int, candidate_share: float, records: int) -> float:
    """Its standard deviation."""
    return math.sqrt(2 * degrees) * (1 - candidate_share) ** 2 * candidate_share / records
