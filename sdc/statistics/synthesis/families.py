"""Families of distributions, fitted to a variable, and their quantiles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sdc.arrays import Array

Family = Literal["normal", "lognormal", "exponential", "gamma", "uniform"]
FAMILIES: tuple[Family, ...] = ("normal", "lognormal", "exponential", "gamma", "uniform")


NORMAL_FROM = 1e8
"""A gamma law of a larger shape is the normal one: its density would be lost to rounding."""


@dataclass(frozen=True)
class FittedFamily:
    """A family with its estimated parameters; `aic` is infinite where the values cannot come from it."""

    family: Family
    quantile: Callable[[Array], Array]
    aic: float


def fit_family(values: Array, family: Family) -> FittedFamily:
    """Maximum-likelihood estimates (of the normal variance with n - 1).

    Reference: Johnson, Kotz, Balakrishnan (1994), Continuous Univariate Distributions, volume 1.
    """
    from scipy import stats

    positive, spread = float(values.min()) > 0, float(np.ptp(values)) > 0
    if family == "normal":
        held, free = stats.norm(values.mean(), values.std(ddof=1) if spread else 1e-12), 2
    elif family == "lognormal":
        logs = np.log(values) if positive else np.zeros(1)
        held, free = stats.lognorm(max(float(logs.std()), 1e-12), scale=np.exp(logs.mean())), 2
    elif family == "exponential":
        held, free = stats.expon(scale=max(float(values.mean()), 1e-12)), 1
    elif family == "gamma":
        shape = _gamma_shape(values) if positive and spread else 1.0
        if shape > NORMAL_FROM:
            held, free = stats.norm(values.mean(), values.std(ddof=1)), 2
        else:
            held, free = stats.gamma(shape, scale=float(values.mean()) / shape if positive else 1.0), 2
    else:
        held, free = stats.uniform(values.min(), max(float(np.ptp(values)), 1e-12)), 2
    possible = positive or family in ("normal", "uniform") or (family == "exponential" and values.min() >= 0)
    likelihood = float(held.logpdf(values).sum()) if possible and spread else -np.inf
    return FittedFamily(family, held.ppf, 2 * free - 2 * likelihood)


def best_family(values: Array) -> FittedFamily:
    """The family of the smallest Akaike criterion; of equal ones the first in the list.

    Reference: Akaike (1974), doi:10.1109/TAC.1974.1100705.
    """
    return min((fit_family(values, family) for family in FAMILIES), key=lambda fitted: fitted.aic)


def _gamma_shape(values: Array) -> float:
    """Root of log(k) - digamma(k) = log(mean) - mean(log), about 1 / 2k; infinite where too large to tell."""
    from scipy.optimize import brentq
    from scipy.special import digamma

    # The differences from the mean add up to nothing; with them, what is left is not lost to rounding.
    apart = values / values.mean() - 1.0
    gap = float((apart - np.log1p(apart)).mean())
    if gap < 0.25 / NORMAL_FROM:
        return np.inf
    return float(
        brentq(lambda shape: np.log(shape) - digamma(shape) - gap, 1e-6, 1e9, xtol=1e-12, rtol=1e-12)
    )
