"""How far between two points a new one lies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from sdc.arrays import Array
from sdc.statistics.sampling.conditioning import conditioning

Law = Literal["uniform", "beta", "normal"]
Shares = Callable[[int, np.random.Generator], Array]
"""Draws of the share of the way from one point to the other."""

DEVIATION = 1 / 6
"""Of the normal law: three deviations reach from the middle to either point."""


def uniform(count: int, rng: np.random.Generator) -> Array:
    return rng.random(count)


def shares_of_a_gap(law: Law, shape: float) -> Shares:
    """Shares between 0 and 1: uniform, beta with both parameters `shape`, or normal around the middle.

    A normal share is drawn given that it lies between 0 and 1.

    Laws with more weight in the middle keep new points away from the observed ones.

    Reference: Qu (2024), Contributions to Statistical Theory of Data Privacy, section 3.2.12.
    """
    if law == "uniform":
        return uniform
    if law == "beta":
        return lambda count, rng: rng.beta(shape, shape, count)
    return lambda count, rng: conditioning(
        _around_the_middle, lambda drawn: (drawn >= 0) & (drawn <= 1), count, rng
    )


def _around_the_middle(count: int, rng: np.random.Generator) -> Array:
    return rng.normal(0.5, DEVIATION, count)
