"""How well do scores tell candidate records from original ones?"""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    right = int(np.where(distinct > 0.5, s, o).sum())
    below = np.cumsum(o) - o / 2
    return ScoreSummary(
        pmse=float(((o + s) * (distinct - c) ** 2).sum()) / (n + m),
        specks=TwoCounts(o.astype(float), s.astype(float)).cumulative,
        rank_sum_u=float((s * below).sum()),
        po50=100 * right / (n + m) - 50,
        original=n,
        candidate=m,
    )


@dataclass(frozen=True)
class Null:
    """What pMSE would be, in mean and standard deviation, for a candidate drawn from the original's own law."""

    mean: float
    deviation: float

    def ratio(self, pmse: float) -> float:
        """Over the mean, or over that of one parameter where the null finds nothing at all to tell the tables by."""
        return pmse / self.mean if pmse else 0.0

    def standardised(self, pmse: float) -> float:
        return (pmse - self.mean) / self.deviation if self.deviation else 0.0


def formula_null(degrees: int, candidate_share: float, records: int) -> Null:
    """Of a logistic regression; the degrees leave out the intercept."""
    unit = (1 - candidate_share) ** 2 * candidate_share / records
    return Null(degrees * unit, math.sqrt(2 * degrees) * unit)


def resampled_null(pmse: Sequence[float], scale: float, candidate_share: float, records: int) -> Null:
    """From pMSE of tables that differ by chance alone, brought to the scale of a candidate drawn from the original.

    Where a model finds nothing in them the mean is that of one parameter.
    """
    one = formula_null(1, candidate_share, records)
    values = scale * np.array(pmse)
    mean = math.fsum(values) / values.size
    deviation = float(values.std(ddof=1)) if values.size > 1 else 0.0
    return Null(mean or one.mean, deviation or one.deviation)


def permutation_scale(candidate_share: float) -> float:
    """Permuted labels make two samples of one law; a candidate drawn from the original differs by one sample only."""
    return 1 - candidate_share


def pairs_scale(first: int, second: int, candidate_share: float, records: int) -> float:
    """The same for two candidates of one model, by their numbers of records."""
    c = second / (first + second)
    unit = (c * (1 - c)) ** 2 * (1 / first + 1 / second)
    return (candidate_share * (1 - candidate_share)) ** 2 / (candidate_share * records) / unit
