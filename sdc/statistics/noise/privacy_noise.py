"""The noise that makes a value differentially private, and exact draws of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, floor, log, log2, sqrt
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from sdc.arrays import Array
from sdc.statistics.noise.discrete_laplace import discrete_laplace

FINENESS = 2.0**20
"""Steps of the grid in one scale of the noise."""


FARTHEST, NARROWEST = 1e15, 1e-9
"""How far from zero a bound may lie, and how close two may be.

Beyond, numbers of the machine are too coarse for a grid.
"""


def _usable(bounds: tuple[float, float]) -> tuple[float, float]:
    low, high = bounds
    if not (low >= -FARTHEST and high <= FARTHEST and high - low >= NARROWEST):
        limits = f"by {NARROWEST:g} at least, and both between {-FARTHEST:g} and {FARTHEST:g}"
        message = f"the lower bound must lie below the upper, {limits}"
        raise ValueError(message)
    return bounds


Bounds = Annotated[tuple[float, float], AfterValidator(_usable)]
EPSILON = Field(ge=1e-6, le=1e6)
"""The budgets that noise can be drawn for.

Smaller ones leave nothing of the data, larger ones protect nothing.
"""
DELTA = Field(ge=1e-300, lt=1)


def laplace_scale(sensitivity: float, epsilon: float) -> float:
    """Scale of Laplace noise for a query of this sensitivity (largest absolute change)."""
    return sensitivity / epsilon


def classical_sigma(sensitivity: float, epsilon: float, delta: float) -> float:
    """Standard deviation of normal noise by the condition of Dwork and Roth, for epsilon below 1."""
    return sensitivity * sqrt(2 * log(1.25 / delta)) / epsilon


def analytic_sigma(sensitivity: float, epsilon: float, delta: float) -> float:
    """The smallest standard deviation of normal noise that is (epsilon, delta)-private, for any epsilon.

    Reference: Balle, Wang (2018), Improving the Gaussian mechanism for differential privacy,
    arXiv:1805.06530, theorem 8.
    """
    from scipy.optimize import brentq

    low, high = 1e-6, 1.0
    while normal_delta(high, epsilon) > delta:
        high *= 2
    while normal_delta(low, epsilon) < delta:
        low /= 2
    found = float(
        brentq(lambda sigma: normal_delta(sigma, epsilon) - delta, low, high, xtol=1e-15 * high, rtol=1e-14)
    )
    # The root is found to the last bits; a little more noise is on the safe side.
    return sensitivity * found * (1 + 1e-12)


def normal_delta(sigma: float, epsilon: float) -> float:
    """The delta of normal noise at this epsilon, for sensitivity 1."""
    from scipy.special import log_ndtr, ndtr

    near, far = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
    return float(ndtr(near) - exp(min(epsilon + float(log_ndtr(far)), 700.0)))


@dataclass(frozen=True)
class Grid:
    """Values from low to high in whole steps of a power of two: no low-order bit reveals a value.

    Reference: Mironov (2012), doi:10.1145/2382196.2382264.
    """

    low: float
    high: float
    step: float

    @classmethod
    def for_noise(cls, low: float, high: float, scale: float) -> Grid:
        return cls(low, high, 2.0 ** floor(log2(scale)) / FINENESS)

    @property
    def steps(self) -> int:
        """How far two values can be apart."""
        return int(np.ceil((self.high - self.low) / self.step))

    def places(self, values: Array) -> Array:
        """The step of each value, those outside the bounds moved to them."""
        return np.round((np.clip(values, self.low, self.high) - self.low) / self.step).astype(np.int64)

    def values(self, places: Array) -> Array:
        made: Array = self.low + places * self.step
        return made


def laplace_noisy(values: Array, low: float, high: float, epsilon: float, rng: np.random.Generator) -> Array:
    """Values within bounds with Laplace noise of scale (high - low) / epsilon, on a grid.

    Each is exactly epsilon-private.

    Noise in steps has the discrete Laplace distribution, drawn without rounding.

    Reference: Dwork, McSherry, Nissim, Smith (2006), doi:10.1007/11681878_14; Ghosh, Roughgarden,
    Sundararajan (2012), doi:10.1137/09076828X; Canonne, Kamath, Steinke (2020), arXiv:2004.00010.
    """
    grid = Grid.for_noise(low, high, laplace_scale(high - low, epsilon))
    return grid.values(grid.places(values) + discrete_laplace(epsilon / grid.steps, len(values), rng))


def normal_noisy(values: Array, low: float, high: float, sigma: float, rng: np.random.Generator) -> Array:
    """Values within bounds with normal noise of standard deviation sigma, values and noise rounded to a grid.

    On the grid two values may lie a step further apart than the bounds; the noise is larger in proportion.
    """
    grid = Grid.for_noise(low, high, sigma)
    widened = sigma / grid.step * (grid.steps * grid.step / (high - low))
    return grid.values(grid.places(values) + np.round(rng.normal(0.0, widened, len(values))).astype(np.int64))
