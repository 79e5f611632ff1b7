"""An unpenalised logistic regression on a sparse matrix, and its limit where no finite estimate exists."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from sdc.arrays import Array
from sdc.kernels.processors import each_part, in_parts
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
NEAR = 1e-8
"""It is done as well when probabilities move by less than this and no less than before.

Sums over very many rows are rounded so much that they never come to rest.
"""
STEPS, HALVINGS = 200, 30
AT_ONCE = 2**18
"""Sums are taken over so many rows, and these are added in order."""


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

    def of(rows: slice) -> Array:
        found: Array = gram(matrix.columns[rows], matrix.values[rows], matrix.held, np.zeros(0), matrix.width)
        return found

    return reduce(add, each_part(len(matrix.columns), of, AT_ONCE))


def _newton_parts(matrix: Design, response: Array, predictor: Array) -> tuple[Array, Array, float]:
    """Gradient, curvature (lower triangle) and value of the log-likelihood."""
    from sdc.kernels.logistic import newton_parts

    def of(rows: slice) -> tuple[Array, Array, float]:
        found: tuple[Array, Array, float] = newton_parts(
            matrix.columns[rows],
            matrix.values[rows],
            matrix.held,
            response[rows],
            predictor[rows],
            matrix.width,
        )
        return found

    return reduce(_added, each_part(response.size, of, AT_ONCE))


def _added(one: tuple[Array, Array, float], other: tuple[Array, Array, float]) -> tuple[Array, Array, float]:
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


def _predictor(matrix: Design, coefficients: Array) -> Array:
    from sdc.kernels.logistic import linear_predictor

    predictor = np.empty(len(matrix.columns))

    def fill(rows: slice) -> None:
        predictor[rows] = linear_predictor(
            matrix.columns[rows], matrix.values[rows], matrix.held, coefficients
        )

    in_parts(predictor.size, fill, AT_ONCE)
    return predictor


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
    kept = _kept(products)
    estimated = np.ix_(kept, kept)
    share = float(response.sum()) / response.size
    basis = np.linalg.cholesky(products[estimated])
    # Columns that follow from others have coefficient 0: a matrix without them would be a second one.
    coefficients, step = np.zeros(products.shape[0]), np.zeros(products.shape[0])
    coefficients[0] = math.log(share / (1 - share))
    predictor = np.full(response.size, coefficients[0])
    gradient, curvature, likelihood = _newton_parts(matrix, response, predictor)
    most = np.sqrt(response.size * products.diagonal()[kept])
    if (np.abs(gradient[kept]) <= ROUNDING * most).all():
        return np.full(response.size, share), False
    last = math.inf
    for _ in range(STEPS):
        step[kept], flat = _step(gradient[kept], curvature[estimated], basis, FLAT * share * (1 - share))
        for _ in range(HALVINGS):
            moved = _predictor(matrix, coefficients + step)
            gradient, curvature, reached = _newton_parts(matrix, response, moved)
            if reached >= likelihood - ROUNDING * abs(likelihood):
                break
            step = step / 2
        way = _furthest(moved, predictor)
        settled, last = way < SETTLED or last / 2 < way < NEAR, way
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
    """How far the probability of any row has moved."""

    def of(rows: slice) -> float:
        return float(np.abs(_logistic(moved[rows]) - _logistic(before[rows])).max())

    return max(each_part(moved.size, of, AT_ONCE))


def _logistic(predictor: Array) -> Array:
    small = np.exp(-np.abs(predictor))
    scores: Array = np.where(predictor >= 0, 1 / (1 + small), small / (1 + small))
    return scores
