"""Normal vectors by the eigenvectors of their covariance."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array


def spectral_factor(covariance: Array) -> Array:
    """Q sqrt(Lambda): eigenvectors in columns, each times the root of its eigenvalue, in ascending order.

    Eigenvalues below 0 by rounding count as 0. An eigenvector's sign is fixed by its largest entry, which is
    positive.
    """
    values, vectors = np.linalg.eigh(np.asarray(covariance, dtype=np.float64))
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[largest, np.arange(len(values))] < 0, -1.0, 1.0)
    factor: Array = vectors * signs * np.sqrt(np.maximum(values, 0.0))
    return factor


def spectral_normal(mean: Array, covariance: Array, rows: int, rng: np.random.Generator) -> Array:
    """Rows mean + Q sqrt(Lambda) y: y are independent standard normal draws, Q Lambda Q' the covariance.

    Reference: Golub, Van Loan (2013), Matrix Computations, 4th edition, section 8.1.
    """
    drawn: Array = (
        np.asarray(mean) + rng.standard_normal((rows, len(covariance))) @ spectral_factor(covariance).T
    )
    return drawn
