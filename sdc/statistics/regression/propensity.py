"""How well scores separate candidate records from original ones, and the null of that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.contingency import TwoCounts

FOUND_IN = 0.5
"""A null counts only if the model finds something in at least this share of tables that differ by chance."""


@dataclass(frozen=True)
class ScoreSummary:
    """Statistics of propensity scores: each record's fitted probability of being the candidate's.

    `pmse` is the mean squared distance of the scores from the candidate's share c, `specks` the
    Kolmogorov-Smirnov distance of the scores of the two tables, `rank_sum_u` Wilcoxon's U of the candidate
    (mid-ranks), `po50` the percent of records classified right at a score above one half, minus 50.
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
    o, s = (
        np.bincount(place[~held], minlength=distinct.size),
        np.bincount(place[held], minlength=distinct.size),
    )
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
    """What pMSE would be, in mean and standard deviation, for a candidate that is correct."""

    mean: float
    deviation: float

    def ratio(self, pmse: float) -> float:
        """The ratio to the mean; only a model without parameters has no mean, and it finds nothing."""
        return pmse / self.mean if pmse else 0.0

    def standardised(self, pmse: float) -> float:
        return (pmse - self.mean) / self.deviation if self.deviation else 0.0

    def scaled(self, factor: float) -> Null:
        return Null(factor * self.mean, factor * self.deviation)


def formula_null(degrees: int, candidate_share: float, records: int, drawn: float = 0.0) -> Null:
    """The null of a logistic regression; the degrees leave out the intercept.

    Each degree of freedom has the candidate's sampling variance, 1 / its records. A share `drawn` of them has
    that of the original as well: a synthesis that draws its parameters adds their uncertainty, and an
    independent sample differs by both. The rest reproduces the original's estimates.
    """
    of_candidate, of_original = _units(candidate_share, records)
    twice, once = drawn * degrees, (1 - drawn) * degrees
    spread = 2 * (once * of_candidate**2 + twice * (of_candidate + of_original) ** 2)
    return Null(degrees * of_candidate + twice * of_original, math.sqrt(spread))


def chi_square_chance(
    pmse: float, degrees: int, candidate_share: float, records: int, *, drawn: bool
) -> float:
    """The chance of a pMSE at least this large: over the null of one degree of freedom it is chi-square."""
    from scipy.special import chdtrc

    return float(chdtrc(degrees, pmse / formula_null(1, candidate_share, records, float(drawn)).mean))


def resampled_null(pmse: Sequence[float]) -> Null | None:
    """The null from pMSE of tables that differ by chance alone; None if most of these are zero.

    A ratio to the mean of such values would be a ratio to zero, or jump with each of the few that are not 0.
    """
    values = np.array(pmse)
    if np.count_nonzero(values) < FOUND_IN * values.size:
        return None
    return Null(math.fsum(values) / values.size, float(values.std(ddof=1)) if values.size > 1 else 0.0)


def permutation_scale(candidate_share: float, drawn: float) -> float:
    """From permuted labels to the null: permutation makes two independent samples of one law.

    They have the variance of both, where a synthesis may have that of one only.
    """
    of_candidate, of_original = _units(candidate_share, 1)
    return (of_candidate + drawn * of_original) / (of_candidate + of_original)


def pairs_scale(first: int, second: int, candidate_share: float, records: int, *, local: bool) -> float:
    """From the pMSE of two candidates to that of a candidate and the original, by their numbers of records.

    Two candidates differ by the variance of both. The original and a candidate differ by that of one, but by
    their two sampling variances for a local model, which sees more than the synthesis was fitted to.
    """
    c = second / (first + second)
    of_candidate, of_original = _units(candidate_share, records)
    return (of_candidate + local * of_original) / ((c * (1 - c)) ** 2 * (1 / first + 1 / second))


def _units(candidate_share: float, records: int) -> tuple[float, float]:
    """The mean of pMSE per degree of freedom, by the sampling variances of the candidate and the original."""
    c = candidate_share
    return (1 - c) ** 2 * c / records, c**2 * (1 - c) / records
