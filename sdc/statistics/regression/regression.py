"""Weighted linear and logistic regressions on a sparse matrix, with the uncertainty of their coefficients."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from sdc.arrays import Array
from sdc.statistics.regression.design import Design
from sdc.statistics.regression.logistic import fit_logistic

ALIASED = 1e-11
"""A column is aliased when those before it leave less than this share of its sum of squares."""
EXACT = 1e-24
"""Residuals of this share of the response are rounding."""
SETTLED = 1e-9
"""Newton's method ends when its step is less than this share of every standard error."""
STEPS = 50


@dataclass(frozen=True)
class RegressionFit:
    """Coefficients with their covariance, and the fitted means row by row."""

    coefficients: Array
    covariance: Array
    fitted: Array

    @property
    def errors(self) -> Array:
        return np.sqrt(self.covariance.diagonal())

    def of_first(self, count: int, scale: Array) -> RegressionFit:
        """The fit on the first columns only, in the unit of columns that had been divided by a scale."""
        return RegressionFit(
            self.coefficients[:count] / scale,
            self.covariance[:count, :count] / np.outer(scale, scale),
            self.fitted,
        )


class Unfit(ValueError):
    """A model that these records do not determine; the words say why."""


def rows_of(matrix: Design, rows: Array) -> Design:
    """Some rows of a matrix, on the same columns."""
    return replace(matrix, columns=matrix.columns[rows], values=matrix.values[rows])


def independent_columns(matrix: Design) -> Array:
    """Which columns do not follow from those before them."""
    gram = _gram(matrix, np.ones(len(matrix.columns)))
    scale = np.sqrt(gram.diagonal())
    factor = np.zeros_like(gram)
    kept: list[int] = []
    for place in range(matrix.width):
        if scale[place] == 0:
            continue
        row = gram[place] / (scale[place] * np.where(scale > 0, scale, 1.0))
        for number, before in enumerate(kept):
            factor[place, number] = (row[before] - factor[place, :number] @ factor[before, :number]) / factor[
                before, number
            ]
        left = 1 - float(factor[place, : len(kept)] @ factor[place, : len(kept)])
        if left > ALIASED:
            factor[place, len(kept)] = math.sqrt(left)
            kept.append(place)
    return np.array(kept, dtype=np.int64)


def only(matrix: Design, kept: Array) -> Design:
    """The matrix on some of its columns."""
    place = np.full(matrix.width + 1, -1, dtype=matrix.columns.dtype)
    place[kept] = np.arange(kept.size)
    columns = np.ascontiguousarray(place[matrix.columns])
    return replace(matrix, columns=columns, width=int(kept.size), binary=matrix.binary[kept])


def fit_linear(matrix: Design, response: Array, weights: Array) -> RegressionFit:
    """Fits a linear regression by weighted least squares.

    The residual variance is over n - p, and only the ratios of the weights matter.
    """
    weights = weights * (weights.size / weights.sum())
    free = response.size - matrix.width
    if free <= 0:
        message = f"{response.size} records do not determine {matrix.width} coefficients"
        raise Unfit(message)
    inverse = _inverse(_gram(matrix, weights))
    # A second round takes out what rounding left in the first.
    coefficients = np.zeros(matrix.width)
    for _ in range(2):
        coefficients = coefficients + inverse @ _cross(
            matrix, weights * (response - _predictor(matrix, coefficients))
        )
    fitted = _predictor(matrix, coefficients)
    residuals = math.fsum(weights * (response - fitted) ** 2)
    if residuals <= EXACT * math.fsum(weights * response**2):
        message = "the response follows from the other variables without error"
        raise Unfit(message)
    return RegressionFit(coefficients, residuals / free * inverse, fitted)


def fit_logit(matrix: Design, response: Array, weights: Array) -> RegressionFit:
    """A logistic regression by weighted maximum likelihood, the weights brought to a mean of 1.

    The covariance is the inverse information.

    Whether a finite maximum exists does not depend on the weights, so the unweighted fit is tried first.
    """
    plain = fit_logistic(matrix, response)
    if plain.separated:
        message = "the response can be predicted without error, so that there is no finite estimate"
        raise Unfit(message)
    weights = weights * (weights.size / weights.sum())
    scores = plain.scores
    slope = scores * (1 - scores)
    coefficients = _inverse(_gram(matrix, slope)) @ _cross(matrix, slope * np.log(scores / (1 - scores)))
    for _ in range(STEPS):
        scores = predict(matrix, coefficients, logistic=True)
        inverse = _inverse(_gram(matrix, weights * scores * (1 - scores)))
        step = inverse @ _cross(matrix, weights * (response - scores))
        coefficients = coefficients + step
        if (np.abs(step) <= SETTLED * np.sqrt(inverse.diagonal())).all():
            return RegressionFit(coefficients, inverse, predict(matrix, coefficients, logistic=True))
    message = f"{STEPS} steps did not settle the weighted fit"
    raise Unfit(message)


def _gram(matrix: Design, weights: Array) -> Array:
    from sdc.kernels.logistic import gram

    lower = gram(matrix.columns, matrix.values, matrix.held, np.sqrt(weights), matrix.width)
    return lower + np.tril(lower, -1).T


def _cross(matrix: Design, vector: Array) -> Array:
    """X'v."""
    from sdc.kernels.logistic import cross

    total: Array = cross(matrix.columns, matrix.values, matrix.held, vector, matrix.width)
    return total


def _predictor(matrix: Design, coefficients: Array) -> Array:
    from sdc.kernels.logistic import linear_predictor

    return linear_predictor(matrix.columns, matrix.values, matrix.held, coefficients)


def predict(matrix: Design, coefficients: Array, *, logistic: bool) -> Array:
    """Fitted means of the rows of a matrix under given coefficients."""
    from scipy.special import expit

    predictor = _predictor(matrix, coefficients)
    return expit(predictor) if logistic else predictor


def _inverse(gram: Array) -> Array:
    scale = np.sqrt(gram.diagonal())
    if not (scale > 0).all():
        message = "a coefficient has no records"
        raise Unfit(message)
    try:
        factor = np.linalg.cholesky(gram / np.outer(scale, scale))
    except np.linalg.LinAlgError:
        message = "the columns of the model depend on each other"
        raise Unfit(message) from None
    root = np.linalg.solve(factor, np.eye(scale.size))
    return root.T @ root / np.outer(scale, scale)
