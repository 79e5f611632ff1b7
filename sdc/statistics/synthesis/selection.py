"""Selects the variables that a regression needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from sdc.arrays import Array
from sdc.statistics.synthesis.feature import Predictors

Selection = Literal["lasso", "ridge"]

PASSES = 1_000
SETTLED = 1e-9


def standardised(columns: Array) -> Array:
    """Columns with mean 0 and variance 1 (n); constant ones are 0."""
    centred = columns - columns.mean(axis=0)
    spread = np.sqrt((centred**2).mean(axis=0))
    made: Array = centred / np.where(spread > 0, spread, 1.0)
    return made


def lasso(matrix: Array, target: Array, penalty: float) -> Array:
    """Coefficients that minimise |y - Xb|² / (2n) + penalty |b|, X and y standardised, by coordinate descent.

    Reference: Tibshirani (1996), doi:10.1111/j.2517-6161.1996.tb02080.x; Friedman, Hastie, Tibshirani (2010),
    doi:10.18637/jss.v033.i01.
    """
    records = len(target)
    products, pull = matrix.T @ matrix / records, matrix.T @ target / records
    coefficients, own = np.zeros(matrix.shape[1]), np.diag(products)
    for _ in range(PASSES):
        largest = 0.0
        for place in np.flatnonzero(own > 0):
            free = pull[place] - products[place] @ coefficients + own[place] * coefficients[place]
            moved = np.sign(free) * max(abs(free) - penalty, 0.0) / own[place]
            largest = max(largest, abs(moved - coefficients[place]))
            coefficients[place] = moved
        if largest < SETTLED:
            break
    return coefficients


def ridge(matrix: Array, target: Array, penalty: float) -> Array:
    """Coefficients that minimise |y - Xb|² / (2n) + penalty |b|² / 2, for standardised X and y.

    Reference: Hoerl, Kennard (1970), doi:10.1080/00401706.1970.10488634.
    """
    products = matrix.T @ matrix / len(target)
    found: Array = np.linalg.solve(
        products + penalty * np.eye(len(products)), matrix.T @ target / len(target)
    )
    return found


def indicator_columns(features: Predictors) -> Array:
    """Features as standardised columns: numbers, and an indicator for each level that occurs."""
    parts = [
        (
            feature.values[:, None].astype(np.float64)
            if feature.numeric
            else (feature.values[:, None] == np.unique(feature.values)).astype(np.float64)
        )
        for feature in features
    ]
    return standardised(np.concatenate(parts, axis=1))


def selected(
    targets: Array, others: Sequence[Array], how: Selection, penalty: float, least: float
) -> list[int]:
    """Which blocks of standardised columns a regression of the standardised targets needs.

    By lasso those with a coefficient that is not 0, by ridge those with one of at least `least` in absolute
    value, in the regression of any of the targets.
    """
    if not others:
        return []
    matrix = np.concatenate(list(others), axis=1)
    owner = np.repeat(np.arange(len(others)), [block.shape[1] for block in others])
    found: set[int] = set()
    for target in targets.T:
        coefficients = lasso(matrix, target, penalty) if how == "lasso" else ridge(matrix, target, penalty)
        needed = coefficients != 0 if how == "lasso" else np.abs(coefficients) >= least
        found |= {int(place) for place in owner[needed]}
    return sorted(found)
