"""An unpenalised logistic regression on a sparse matrix, and its limit where no finite estimate exists."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from sdc.arrays import Array
from sdc.statistics.regression.design import Design

ALIASED = 1e-11
"""A column is aliased when the others leave less than this share of its sum of squares."""
FLAT = 1e-10
"""A direction whose curvature fell to this share of that of a constant score has no maximum (separation)."""
ROUNDING = 1e-11
"""A gradient below this share of the most that the column could add up to counts as zero."""
LIMIT = 1e-7
"""Where there is no maximum, a probability this near its response has the response as its limit."""
SETTLED = 1e-11
"""The fit is done when no probability moves by more."""
STEPS, HALVINGS = 200, 30
AT_ONCE = 2**20


@dataclass(frozen=True)
class LogisticFit:
    """Fitted probabilities row by row; `rank` counts the estimable coefficients, intercept included.

    `separated`: no finite estimate exists, the probabilities are the limits that the likelihood runs to.
    """

    scores: Array
    rank: int
    separated: bool


def fit_logistic(matrix: Design, response: Array) -> LogisticFit:
    """The maximum-likelihood fit by Newton's method.

    Columns that follow from others are dropped by pivoted Cholesky decomposition. Rows whose probability is 0
    or 1 in the limit get exactly that: first those that fill a 0/1 column met with one response only, then
    what Newton's method itself finds without a maximum.
    """
    from sdc.kernels.logistic import settle

    response = np.asarray(response, dtype=np.float64)
    open_rows = np.ones(response.size, dtype=bool)
    while settle(matrix.columns, response, matrix.binary, open_rows):
        pass
    products = _products(matrix)
    rank = _kept(products).size
    if open_rows.all():
        scores, separated = _newton(matrix, products, response)
        return LogisticFit(scores, rank, separated)
    scores = response.copy()
    if open_rows.any():
        rest = replace(matrix, columns=matrix.columns[open_rows], values=matrix.values[open_rows])
        scores[open_rows], _ = _newton(rest, _products(rest), response[open_rows])
    return LogisticFit(scores, rank, separated=True)


def _products(matrix: Design) -> Array:
    """The lower triangle of X'X."""
    from sdc.kernels.logistic import gram

    total: Array = gram(matrix.columns, matrix.values, matrix.held, np.zeros(0), matrix.width)
    return total


def _kept(gram: Array) -> Array:
    """Places of columns that together span all, from the lower triangle of X'X."""
    filled = np.flatnonzero(gram.diagonal() > 0)
    scale = np.sqrt(gram.diagonal()[filled])
    _, order, rank = _pivoted(gram[np.ix_(filled, filled)] / np.outer(scale, scale), ALIASED)
    return np.sort(filled[order[:rank]])


def _pivoted(lower: Array, smallest: float) -> tuple[Array, Array, int]:
    """Cholesky factor with the largest pivots first, their places, and how many exceed the smallest."""
    from scipy.linalg.lapack import dpstrf

    factor, order, rank, _ = dpstrf(lower, tol=smallest, lower=1)
    return np.tril(factor[:rank, :rank]), order - 1, int(rank)


def _newton(matrix: Design, products: Array, response: Array) -> tuple[Array, bool]:
    """The fitted probabilities, and whether some direction turned out to have no maximum."""
    from sdc.kernels.logistic import linear_predictor, newton_parts

    columns, values, held, kept = matrix.columns, matrix.values, matrix.held, _kept(products)
    estimated = np.ix_(kept, kept)
    share = float(response.sum()) / response.size
    basis = np.linalg.cholesky(products[estimated])
    # Columns that follow from others have coefficient 0: a matrix without them would be a second one.
    coefficients, step = np.zeros(products.shape[0]), np.zeros(products.shape[0])
    coefficients[0] = math.log(share / (1 - share))
    predictor = np.full(response.size, coefficients[0])
    gradient, curvature, likelihood = newton_parts(columns, values, held, response, predictor, matrix.width)
    most = np.sqrt(response.size * products.diagonal()[kept])
    if (np.abs(gradient[kept]) <= ROUNDING * most).all():
        return np.full(response.size, share), False
    for _ in range(STEPS):
        step[kept], flat = _step(
            gradient[kept], curvature[estimated], basis, FLAT * share * (1 - share)
        )
        for _ in range(HALVINGS):
            moved = linear_predictor(columns, values, held, coefficients + step)
            gradient, curvature, reached = newton_parts(columns, values, held, response, moved, matrix.width)
            if reached >= likelihood - ROUNDING * abs(likelihood):
                break
            step = step / 2
        settled = _furthest(moved, predictor) < SETTLED
        coefficients, predictor, likelihood = coefficients + step, moved, reached
        if np.array_equal(predictor > 0, response > 0):
            return response, True
        if settled:
            break
    scores = _logistic(predictor)
    return (np.where(np.abs(scores - response) < LIMIT, response, scores) if flat else scores), flat


def _step(gradient: Array, curvature: Array, basis: Array, smallest: float) -> tuple[Array, bool]:
    """Newton's step along the directions that still curve, and whether some have become flat.

    Directions are taken in the basis in which X'X is the identity, so that flat means flat and not badly
    scaled.
    """
    from scipy.linalg import solve_triangular

    curvature = np.tril(curvature) + np.tril(curvature, -1).T
    half = solve_triangular(basis, curvature, lower=True)
    factor, order, rank = _pivoted(solve_triangular(basis, half.T, lower=True), smallest)
    pull = solve_triangular(basis, gradient, lower=True)[order[:rank]]
    step = np.zeros(gradient.size)
    step[order[:rank]] = solve_triangular(
        factor, solve_triangular(factor, pull, lower=True), lower=True, trans="T"
    )
    return solve_triangular(basis, step, lower=True, trans="T"), rank < gradient.size


def _furthest(moved: Array, before: Array) -> float:
    """How far the probability of any row has moved; rows are looked at in parts, for the memory's sake."""
    parts = (slice(begin, begin + AT_ONCE) for begin in range(0, moved.size, AT_ONCE))
    return max(float(np.abs(_logistic(moved[part]) - _logistic(before[part])).max()) for part in parts)


def _logistic(predictor: Array) -> Array:
    small = np.exp(-np.abs(predictor))
    scores: Array = np.where(predictor >= 0, 1 / (1 + small), small / (1 + small))
    return scores
