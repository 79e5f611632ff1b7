"""Normal vectors by the Cholesky factor of their covariance."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array


def cholesky_factor(covariance: Array) -> Array:
    """The lower triangular L with L L' the covariance; columns of no variance of their own are 0.

    The factor of a singular matrix is found column by column, so variables that follow from others are
    allowed.
    """
    held = np.array(covariance, dtype=np.float64)
    factor = np.zeros_like(held)
    least = 1e-12 * np.diag(held)
    for place in range(len(held)):
        rest = held[place:, place] - factor[place:, :place] @ factor[place, :place]
        if rest[0] > max(least[place], 0.0):
            factor[place:, place] = rest / np.sqrt(rest[0])
    return factor


def cholesky_normal(mean: Array, covariance: Array, rows: int, rng: np.random.Generator) -> Array:
    """Rows mean + L y, with y of independent standard normal draws and L L' the covariance.

    Reference: Golub, Van Loan (2013), Matrix Computations, 4th edition, section 4.2.
    """
    drawn: Array = (
        np.asarray(mean) + rng.standard_normal((rows, len(covariance))) @ cholesky_factor(covariance).T
    )
    return drawn
