"""Draws from a density that lies below a multiple of one that is easy to draw from."""

from __future__ import annotations

from collections.abc import Callable
from math import e, pi, sqrt

import numpy as np

from sdc.arrays import Array

HALF_NORMAL_CONSTANT = sqrt(2 * e / pi)
"""The largest ratio of the density of |N(0, 1)| to that of the standard exponential, taken at 1."""


def rejection(
    acceptance: Callable[[Array], Array],
    envelope: Callable[[int, np.random.Generator], Array],
    rows: int,
    rng: np.random.Generator,
) -> Array:
    """Draws y from the envelope h that are kept with probability f(y) / (c h(y)), where c bounds f / h.

    One in c draws is kept on average.

    Reference: von Neumann (1951), Various techniques used in connection with random digits, NBS Applied
    Mathematics Series 12, 36-38.
    """
    kept = np.empty(0)
    while kept.size < rows:
        tried = envelope(max(rows - kept.size, 64), rng)
        kept = np.concatenate([kept, tried[rng.random(tried.size) <= acceptance(tried)]])
    return kept[:rows]


def half_normal_acceptance(values: Array) -> Array:
    """Probability with which an exponential draw is kept as one of |N(0, 1)|: exp(-(y - 1)^2 / 2)."""
    kept: Array = np.exp(-((np.asarray(values) - 1.0) ** 2) / 2)
    return kept


def normal_by_rejection(mean: float, deviation: float, rows: int, rng: np.random.Generator) -> Array:
    """Normal draws: the size by rejection from the exponential, the sign by a coin, then the mean."""
    size = rejection(
        half_normal_acceptance, lambda count, stream: -np.log1p(-stream.random(count)), rows, rng
    )
    sign = np.where(rng.random(rows) <= 0.5, -1.0, 1.0)
    drawn: Array = mean + deviation * sign * size
    return drawn
