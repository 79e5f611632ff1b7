"""Regression of a category: the probability of each of its levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.errors import CannotProtect
from sdc.statistics.synthesis.feature import CompleteFeature, Predictors
from sdc.statistics.synthesis.regression import Columns

STEPS = 200
MOST_DRAWN = 5_000
"""More coefficients than this are not drawn: their covariance would not fit into memory."""
PRECISION = 10
"""Decimals of probabilities: the last bits of linear algebra are not the same everywhere, draws should be."""


@dataclass(frozen=True)
class Multinomial:
    """log p_k is linear in the columns up to a common term; `seen` are the levels that occur."""

    columns: Columns
    coefficients: Array
    seen: Array

    @classmethod
    def fitted(cls, target: CompleteFeature, observed: Predictors, ridge: float) -> Multinomial:
        """Maximum likelihood with a penalty of ridge / 2 times the squared coefficients, intercepts apart."""
        from scipy.optimize import minimize

        columns = Columns.of(observed, target)
        matrix = columns.matrix(observed, len(target.values))
        seen, codes = np.unique(target.values, return_inverse=True)
        shape = (matrix.shape[1], seen.size)
        marks = (codes[:, None] == np.arange(seen.size)).astype(np.float64)
        scale, penalty = 1.0 / len(codes), columns.shrinkage(ridge)[:, None]

        def loss(flat: Array) -> tuple[float, Array]:
            coefficients = flat.reshape(shape)
            logs = _log_softmax(matrix @ coefficients)
            slope = matrix.T @ (np.exp(logs) - marks) + penalty * coefficients
            cost = -float((logs * marks).sum()) + float((penalty * coefficients**2).sum()) / 2
            return cost * scale, slope.ravel() * scale

        found = minimize(
            loss,
            np.zeros(shape[0] * shape[1]),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": STEPS, "gtol": 1e-7, "ftol": 1e-12},
        )
        return cls(columns, found.x.reshape(shape), seen)

    def drawn(self, observed: Predictors, rows: int, ridge: float, rng: np.random.Generator) -> Multinomial:
        """A model from the posterior: normal around the fit, with the inverse Hessian as covariance.

        Only differences from the coefficients of the first level matter; these are drawn.

        Reference: Rubin (1987), doi:10.1002/9780470316696, pages 169-170.
        """
        from scipy.linalg import LinAlgError, cholesky, solve_triangular

        free = self.coefficients.shape[0] * (self.seen.size - 1)
        if free > MOST_DRAWN:
            raise CannotProtect(
                "bayes",
                f"{free} coefficients are more than the {MOST_DRAWN} that can be drawn; name fewer"
                " predictors",
            )
        try:
            root = cholesky(self.curvature(self.columns.matrix(observed, rows), ridge))
        except LinAlgError:
            raise CannotProtect(
                "bayes",
                "predictors tell the category without error, so that coefficients have no limit; raise ridge",
            ) from None
        moved = solve_triangular(root, rng.standard_normal(free)).reshape(self.seen.size - 1, -1).T
        return Multinomial(
            self.columns,
            np.column_stack([self.coefficients[:, 0], self.coefficients[:, 1:] + moved]),
            self.seen,
        )

    def curvature(self, matrix: Array, ridge: float) -> Array:
        """The Hessian of the penalised negative log-likelihood, coefficients relative to the first level."""
        shares = np.exp(_log_softmax(matrix @ self.coefficients))[:, 1:]
        penalty, levels = np.diag(self.columns.shrinkage(ridge)), self.seen.size
        blocks = [
            [
                (matrix * (shares[:, row] * ((row == column) - shares[:, column]))[:, None]).T @ matrix
                + ((row == column) - 1 / levels) * penalty
                for column in range(levels - 1)
            ]
            for row in range(levels - 1)
        ]
        return np.block(blocks)

    def probabilities(self, predictors: Predictors, rows: int) -> Array:
        made: Array = np.exp(_log_softmax(self.columns.matrix(predictors, rows) @ self.coefficients))
        return made

    def values(self, predictors: Predictors, rows: int, rng: np.random.Generator) -> Array:
        return self.seen[chosen(self.probabilities(predictors, rows), rng)]


@dataclass(frozen=True)
class ProportionalOdds:
    """logit P(Y <= k) = cut_k - eta, with eta linear in the columns; the cuts are the intercepts."""

    columns: Columns
    coefficients: Array
    cuts: Array
    seen: Array

    @classmethod
    def fitted(cls, target: CompleteFeature, observed: Predictors, ridge: float) -> ProportionalOdds:
        """Maximum likelihood, cuts kept in order by way of the logarithms of their gaps."""
        from scipy.optimize import minimize

        columns = Columns.of(observed, target)
        matrix = columns.matrix(observed, len(target.values))[:, 1:]
        seen, codes = np.unique(target.values, return_inverse=True)
        shares = np.cumsum(np.bincount(codes))[:-1] / len(codes)
        first = np.log(shares / (1 - shares))
        start = np.concatenate(
            [np.zeros(matrix.shape[1]), first[:1], np.log(np.maximum(np.diff(first), 1e-3))]
        )
        scale = 1.0 / len(codes)

        def loss(flat: Array) -> tuple[float, Array]:
            cost, slope = _odds_loss(flat, matrix, codes, ridge)
            return cost * scale, slope * scale

        found = minimize(
            loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS, "gtol": 1e-7, "ftol": 1e-12}
        )
        width = matrix.shape[1]
        return cls(columns, found.x[:width], _cuts(found.x[width:]), seen)

    def probabilities(self, predictors: Predictors, rows: int) -> Array:
        eta = self.columns.matrix(predictors, rows)[:, 1:] @ self.coefficients
        reached = np.concatenate(
            [np.zeros((rows, 1)), _logistic(self.cuts - eta[:, None]), np.ones((rows, 1))], axis=1
        )
        made: Array = np.diff(reached, axis=1)
        return made

    def values(self, predictors: Predictors, rows: int, rng: np.random.Generator) -> Array:
        return self.seen[chosen(self.probabilities(predictors, rows), rng)]


def chosen(probabilities: Array, rng: np.random.Generator) -> Array:
    """A level for each row, drawn with the row's probabilities."""
    reached = np.round(np.cumsum(probabilities, axis=1), PRECISION)
    levels = (1.0 - rng.random(len(reached))) * reached[:, -1]
    places: Array = (reached < levels[:, None]).sum(axis=1)
    return places


def _cuts(free: Array) -> Array:
    return np.cumsum(np.concatenate([free[:1], np.exp(np.clip(free[1:], -30.0, 30.0))]))


def _odds_loss(flat: Array, matrix: Array, codes: Array, ridge: float) -> tuple[float, Array]:
    width = matrix.shape[1]
    coefficients, free = flat[:width], flat[width:]
    cuts = np.concatenate([[-np.inf], _cuts(free), [np.inf]])
    eta = matrix @ coefficients
    upper, lower = _logistic(cuts[codes + 1] - eta), _logistic(cuts[codes] - eta)
    share = np.maximum(upper - lower, 1e-300)
    by_upper, by_lower = upper * (1 - upper) / share, lower * (1 - lower) / share
    by_cut = (
        np.bincount(codes, by_upper, minlength=cuts.size - 1)[:-1]
        - np.bincount(codes, by_lower, minlength=cuts.size - 1)[1:]
    )
    after = np.cumsum(by_cut[::-1])[::-1]
    gaps = np.concatenate([[1.0], np.exp(np.clip(free[1:], -30.0, 30.0))])
    slope = np.concatenate([matrix.T @ (by_upper - by_lower) + ridge * coefficients, -after * gaps])
    return -float(np.log(share).sum()) + ridge / 2 * float(coefficients @ coefficients), slope


def _log_softmax(values: Array) -> Array:
    centred = values - values.max(axis=1, keepdims=True)
    made: Array = centred - np.log(np.exp(centred).sum(axis=1, keepdims=True))
    return made


def _logistic(values: Array) -> Array:
    small = np.exp(-np.abs(values))
    made: Array = np.where(values >= 0, 1 / (1 + small), small / (1 + small))
    return made
