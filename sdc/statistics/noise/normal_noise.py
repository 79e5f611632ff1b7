"""Normal noise with a given covariance, or that keeps the covariance of the data."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sdc.arrays import Array

Law = Literal["normal", "uniform", "exponential"]

NOTHING = 1e-12
"""Eigenvalues below this share of the largest are taken for rounding."""


def deviations(values: Array) -> Array:
    """The standard deviation (n - 1) of what is observed in each column; 0 for fewer than two values."""
    observed = ~np.isnan(values)
    count = observed.sum(axis=0)
    mean = np.where(observed, values, 0.0).sum(axis=0) / np.maximum(count, 1)
    squares = np.where(observed, values - mean, 0.0) ** 2
    spread: Array = np.sqrt(squares.sum(axis=0) / np.maximum(count - 1, 1))
    return spread


def covariance(values: Array) -> Array:
    """The covariance (n - 1) of complete rows; for fewer than two, the variances of the columns alone."""
    complete = values[~np.isnan(values).any(axis=1)]
    if len(complete) < 2:
        return np.diag(deviations(values) ** 2)
    centred = complete - complete.mean(axis=0)
    held: Array = centred.T @ centred / (len(complete) - 1)
    return held


def root(matrix: Array, power: float = 0.5) -> Array:
    """A power of a symmetric matrix without negative eigenvalues; directions of no variance stay without."""
    values, vectors = np.linalg.eigh(matrix)
    real = values > NOTHING * max(values.max(initial=0.0), 0.0)
    powers = np.where(real, np.where(real, values, 1.0) ** power, 0.0)
    made: Array = (vectors * powers) @ vectors.T
    return made


def standard(rng: np.random.Generator, shape: tuple[int, int], law: Law) -> Array:
    """Draws of a law, moved and scaled to mean 0 and variance 1."""
    if law == "uniform":
        return rng.uniform(-np.sqrt(3.0), np.sqrt(3.0), shape)
    return rng.standard_exponential(shape) - 1.0 if law == "exponential" else rng.standard_normal(shape)


def noise(rng: np.random.Generator, rows: int, held: Array, law: Law = "normal") -> Array:
    """Rows of noise with mean 0 and this covariance.

    Where it is not diagonal, the law is that of a sum of draws. The root is taken of the correlations: in a
    covariance, variables of small numbers would count as rounding beside those of large ones.
    """
    scale = np.sqrt(np.diag(held))
    unit = np.where(scale > 0, scale, 1.0)
    drawn: Array = standard(rng, (rows, len(held)), law) @ root(held / np.outer(unit, unit)) * scale
    return drawn


def restored(noisy: Array, original: Array) -> Array:
    """Noisy rows moved and turned as little as possible to the mean and covariance of the original rows."""
    scale = deviations(original)
    scale = np.where(scale > 0, scale, 1.0)
    centred = (noisy - noisy.mean(axis=0)) / scale
    turned = centred @ root(covariance(centred), -0.5) @ root(covariance(original / scale))
    made: Array = original.mean(axis=0) + turned * scale
    return made
