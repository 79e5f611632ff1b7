"""Levels of a Gaussian copula: margins apart, dependence by normal scores."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.sampling.spectral_normal import spectral_normal


def normal_means(values: Array) -> Array:
    """For each value the mean of a standard normal variable within its jump of the distribution function.

    Missing values (NaN) are together, below all others.
    """
    from scipy.special import ndtri

    filled = np.where(np.isnan(values), -np.inf, values)
    ordered = np.sort(filled)
    low = np.searchsorted(ordered, filled, side="left") / len(values)
    high = np.searchsorted(ordered, filled, side="right") / len(values)
    at_low, at_high = ndtri(low), ndtri(high)
    made: Array = (np.exp(-(at_low**2) / 2) - np.exp(-(at_high**2) / 2)) / np.sqrt(2 * np.pi) / (high - low)
    return made


def copula_correlation(columns: list[Array]) -> Array:
    """Correlations of the normal variables behind the columns.

    Covariances of the normal means, each divided by the variances of both: exact if one column is continuous,
    for two of few values to first order. What is then no correlation matrix is made one by raising its
    eigenvalues. A constant column is uncorrelated.

    Reference: Olsson, Drasgow, Dorans (1982), doi:10.1007/BF02294164.
    """
    scores = np.column_stack([normal_means(column) for column in columns])
    centred = scores - scores.mean(axis=0)
    products = centred.T @ centred / len(centred)
    spread = np.diag(products)
    seen = spread > 1e-9
    held = np.where(
        np.outer(seen, seen),
        products / np.outer(np.where(seen, spread, 1.0), np.where(seen, spread, 1.0)),
        0.0,
    )
    held = np.clip(np.round(held, 12), -0.9999, 0.9999)
    np.fill_diagonal(held, 1.0)
    values, vectors = np.linalg.eigh(held)
    if values[0] < 1e-9:
        held = (vectors * np.maximum(values, 1e-9)) @ vectors.T
        scale = np.sqrt(np.diag(held))
        held = held / np.outer(scale, scale)
    return np.asarray(held)


def copula_levels(correlation: Array, rows: int, rng: np.random.Generator) -> Array:
    """Uniform levels whose normal scores have these correlations, one row for each draw."""
    from scipy.special import ndtr

    levels: Array = ndtr(spectral_normal(np.zeros(len(correlation)), correlation, rows, rng))
    return levels


def empirical_quantile(values: Array, levels: Array) -> Array:
    """The observed value at each level, missing ones (NaN) the lowest."""
    ordered = np.sort(np.where(np.isnan(values), -np.inf, values))
    place = np.clip(np.ceil(levels * len(ordered)).astype(np.int64) - 1, 0, len(ordered) - 1)
    drawn: Array = ordered[place]
    return np.where(np.isneginf(drawn), np.nan, drawn)
