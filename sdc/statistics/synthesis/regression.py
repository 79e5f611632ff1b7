"""Turns predictors of mixed kinds into columns, and fits normal regressions to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.statistics.synthesis.feature import CompleteFeature, Predictors, scored

MOST_LEVELS = 30
"""A predictor of more levels than this is grouped into as many, levels alike in the target together."""
NOTHING = 1e-9
"""Directions of less than this share of the largest variance follow from the others and are left out."""


@dataclass(frozen=True)
class Columns:
    """Predictors as columns: an intercept, numbers in standard deviations, and indicators of levels.

    The commonest level has no indicator.

    All but the intercept are taken from their `means`, turned and scaled (`turn`) so that they are
    uncorrelated with mean 0 and variance 1; what follows from other columns thereby drops out.
    """

    centres: tuple[float, ...]
    scales: tuple[float, ...]
    places: tuple[Array, ...]
    means: Array
    turn: Array

    @classmethod
    def of(cls, predictors: Predictors, target: CompleteFeature) -> Columns:
        centres, scales, places = [], [], []
        for feature in predictors:
            spread = float(feature.values.std()) if feature.numeric else 0.0
            centres.append(float(feature.values.mean()) if feature.numeric else 0.0)
            scales.append(spread if spread > 0 else 1.0)
            places.append(np.zeros(0, dtype=np.int64) if feature.numeric else _indicators(feature, target))
        plain = cls(tuple(centres), tuple(scales), tuple(places), np.zeros(0), np.zeros((0, 0)))
        columns = plain.raw(predictors, len(target.values))
        means = columns.mean(axis=0)
        values, vectors = np.linalg.eigh((columns - means).T @ (columns - means) / len(columns))
        kept = values > NOTHING * values.max(initial=NOTHING)
        return cls(plain.centres, plain.scales, plain.places, means, vectors[:, kept] / np.sqrt(values[kept]))

    def raw(self, predictors: Predictors, rows: int) -> Array:
        parts = [np.zeros((rows, 0))]
        for feature, centre, scale, places in zip(
            predictors, self.centres, self.scales, self.places, strict=True
        ):
            if feature.numeric:
                parts.append(((feature.values - centre) / scale)[:, None])
            elif places.max(initial=-1) >= 0:
                parts.append(
                    (places[feature.values][:, None] == np.arange(places.max() + 1)).astype(np.float64)
                )
        return np.concatenate(parts, axis=1)

    def matrix(self, predictors: Predictors, rows: int) -> Array:
        """The intercept first, then the turned columns."""
        turned = (self.raw(predictors, rows) - self.means) @ self.turn
        return np.concatenate([np.ones((rows, 1)), turned], axis=1)

    def shrinkage(self, ridge: float) -> Array:
        """The penalty of each column: none of the intercept, or the mean would go to 0."""
        return np.concatenate([[0.0], np.full(self.turn.shape[1], ridge)])


def _indicators(feature: CompleteFeature, target: CompleteFeature) -> Array:
    """For each level its column, -1 for the commonest and for those not seen.

    Levels are grouped where there are too many.
    """
    count = np.bincount(feature.values, minlength=feature.levels)
    group = np.arange(feature.levels)
    if np.count_nonzero(count) > MOST_LEVELS:
        along = np.argsort(scored(feature, target)[:, 0], kind="stable")
        before = np.cumsum(count[along]) - count[along]
        group[along] = np.minimum(before * MOST_LEVELS // count.sum(), MOST_LEVELS - 1)
    sizes = np.bincount(group, count, minlength=int(group.max()) + 1)
    used = np.flatnonzero(sizes > 0)
    used = used[used != sizes.argmax()]
    place = np.full(sizes.size, -1)
    place[used] = np.arange(used.size)
    return np.asarray(place[group])


@dataclass(frozen=True)
class Linear:
    """A normal linear model: coefficients of the turned columns, residual variance and degrees of freedom."""

    columns: Columns
    coefficients: Array
    variance: float
    degrees: int
    records: int
    ridge: float

    @classmethod
    def fitted(cls, target: CompleteFeature, observed: Predictors, ridge: float) -> Linear:
        """Least squares, all but the intercept shrunk by 1 / (1 + ridge).

        The residual variance is over n less the number of columns.
        """
        columns = Columns.of(observed, target)
        matrix = columns.matrix(observed, len(target.values))
        records, width = matrix.shape
        coefficients = matrix.T @ target.values / records / (1.0 + columns.shrinkage(ridge))
        residuals = target.values - matrix @ coefficients
        degrees = max(records - width, 1)
        return cls(columns, coefficients, float(residuals @ residuals) / degrees, degrees, records, ridge)

    def drawn(self, rng: np.random.Generator) -> Linear:
        """A model from the posterior under flat priors.

        The variance is drawn by chi-square, then coefficients around the estimates.
        """
        variance = self.variance * self.degrees / float(rng.chisquare(self.degrees))
        noise = rng.standard_normal(self.coefficients.size) * np.sqrt(
            variance / (self.records * (1.0 + self.columns.shrinkage(self.ridge)))
        )
        return Linear(
            self.columns, self.coefficients + noise, variance, self.degrees, self.records, self.ridge
        )

    def means(self, predictors: Predictors, rows: int) -> Array:
        made: Array = self.columns.matrix(predictors, rows) @ self.coefficients
        return made

    def values(self, predictors: Predictors, rows: int, rng: np.random.Generator) -> Array:
        made: Array = self.means(predictors, rows) + np.sqrt(self.variance) * rng.standard_normal(rows)
        return made
