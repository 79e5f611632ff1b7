"""Combines what m synthetic tables say into one estimate with its variance, by the rules of the literature.

q̄ is the mean of the m estimates, v̄ that of their variances, b the variance between the estimates; n are the
records of the original, k those of one synthesis.

simple    v̄ (k/n + 1/m)               every value drawn from a fitted model (Raab, Nowok and Dibben 2016)
proper    v̄ (k/n + (1 + k/n)/m)       the same, with parameters drawn from their posterior (the same)
partial   v̄ + b/m                     some values kept (Reiter 2003)
full      (1 + 1/m) b - v̄             parameters drawn, nothing assumed of v̄ (Raghunathan, Reiter, Rubin 2003)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sdc.arrays import Array

CombiningRule = Literal["simple", "proper", "partial", "full"]


@dataclass(frozen=True)
class RuleInWords:
    """A rule as a user of the data reads it."""

    formula: str
    source: str


RULES: dict[CombiningRule, RuleInWords] = {
    "simple": RuleInWords("v (k/n + 1/m)", "Raab, Nowok and Dibben 2016, doi:10.29012/jpc.v7i3.407"),
    "proper": RuleInWords("v (k/n + (1 + k/n)/m)", "Raab, Nowok and Dibben 2016, doi:10.29012/jpc.v7i3.407"),
    "partial": RuleInWords("v + b/m", "Reiter 2003, Survey Methodology 29, 181-188"),
    "full": RuleInWords(
        "(1 + 1/m) b - v", "Raghunathan, Reiter and Rubin 2003, Journal of Official Statistics 19, 1-16"
    ),
}


@dataclass(frozen=True)
class CombinedEstimates:
    """Estimates with their variances, and the degrees of freedom of their t intervals (infinite: normal)."""

    estimates: Array
    variances: Array
    degrees: Array

    def halves(self, level: float) -> Array:
        """Half the lengths of two-sided intervals."""
        return t_reach(level, self.degrees) * np.sqrt(self.variances)


def t_reach(level: float, degrees: Array) -> Array:
    """The quantile that a two-sided t interval of this level reaches to; infinite degrees: normal."""
    from scipy.special import ndtri, stdtrit

    share, finite = (1 + level) / 2, np.isfinite(degrees)
    return np.where(finite, stdtrit(np.where(finite, degrees, 1), share), ndtri(share))


def too_few(rule: CombiningRule | None, m: int) -> str:
    """Why a rule cannot combine m syntheses; empty where it can."""
    if m > 1 or rule not in ("partial", "full"):
        return ""
    return f"the rule for {rule} syntheses needs two that leave, and there is one"


def combined(
    rule: CombiningRule, estimates: Array, variances: Array, *, size_ratio: float
) -> CombinedEstimates:
    """Combine m rows of estimates and of their variances; `size_ratio` is k/n.

    `full` and `partial` need two rows or more. Where `full` gives no positive variance, (k/n) v̄ stands in its
    place, as its authors advise.
    """
    m = len(estimates)
    mean, within = estimates.mean(axis=0), variances.mean(axis=0)
    normal = np.full(mean.shape, np.inf)
    if rule == "simple":
        return CombinedEstimates(mean, within * (size_ratio + 1 / m), normal)
    if rule == "proper":
        return CombinedEstimates(mean, within * (size_ratio + (1 + size_ratio) / m), normal)
    if problem := too_few(rule, m):
        raise ValueError(problem)
    between = estimates.var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        if rule == "partial":
            degrees = (m - 1) * (1 + within * m / between) ** 2
            return CombinedEstimates(mean, within + between / m, _or_normal(degrees))
        spread = (1 + 1 / m) * between
        total = spread - within
        degrees = np.where(total > 0, (m - 1) * (1 - within / spread) ** 2, np.inf)
    return CombinedEstimates(mean, np.where(total > 0, total, size_ratio * within), _or_normal(degrees))


def _or_normal(degrees: Array) -> Array:
    return np.where(np.isnan(degrees), np.inf, degrees)
