"""The risk that a sampled person is re-identified, given how many share the keys in sample and population."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array


def negative_binomial_risk(sample: Array, population: Array, *, exact: bool = False) -> Array:
    """E[1/F | f] for a negative binomial population frequency F given the sample frequency f, p = f / F.

    The expectation is (p/f) 2F1(1, 1; f + 1; 1 - p); above f = 2 the usual approximation p / (f - q) replaces
    it unless `exact`. Where there are no more people than records, the risk is 1/f.
    """
    frequency = sample.astype(float)
    share = np.minimum(frequency / np.maximum(population, frequency), 1.0)
    rest = 1.0 - share
    few = np.ones(frequency.shape, dtype=bool) if exact else frequency <= 2
    risk = share / (frequency - rest)
    risk[few] = share[few] / frequency[few] * _hypergeometric(frequency[few], rest[few])
    return np.where(rest == 0, 1.0 / frequency, risk)


def _hypergeometric(frequency: Array, rest: Array) -> Array:
    """2F1(1, 1; f + 1; q): for larger f by Gauss's continued fraction, where library sums overflow."""
    from scipy.special import hyp2f1

    value = np.empty_like(rest)
    single, small = (frequency == 1) & (rest > 1e-3), frequency < 10
    value[single] = -np.log1p(-rest[single]) / rest[single]
    some = small & ~single
    value[some] = hyp2f1(1.0, 1.0, frequency[some] + 1.0, rest[some])
    third, argument = frequency[~small] + 1.0, rest[~small]
    fraction = np.ones_like(argument)
    for depth in range(30, 0, -1):
        fraction = (
            1.0
            - depth
            * (third + depth - 2)
            / ((third + 2 * depth - 2) * (third + 2 * depth - 1))
            * argument
            / fraction
        )
        fraction = (
            1.0
            - depth
            * (third + depth - 2)
            / ((third + 2 * depth - 3) * (third + 2 * depth - 2))
            * argument
            / fraction
        )
    value[~small] = 1.0 / fraction
    return value


FIXED = 2.0**46
"""Logarithms are summed as whole numbers of 2^-46: the same sum in whatever order the records come."""


def household_risk(risk: Array, household: Array) -> Array:
    """1 - product of (1 - risk) over the members of each record's household.

    A record without a household (-1) is alone.
    """
    alone = household < 0
    number = np.where(alone, int(household.max(initial=-1)) + np.cumsum(alone), household)
    with np.errstate(divide="ignore"):
        escapes = np.rint(np.maximum(np.log1p(-risk), -100.0) * FIXED)
    shared: Array = -np.expm1(np.bincount(number, escapes) / FIXED)[number]
    return shared
