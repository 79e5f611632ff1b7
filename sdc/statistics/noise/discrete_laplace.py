"""Whole numbers with the discrete Laplace distribution, drawn exactly.

They are drawn by comparisons of whole numbers, without rounding.
"""

from __future__ import annotations

from math import inf

import numpy as np

from sdc.arrays import Array

UNIT = 2**50
"""The rate is taken as a fraction of this denominator, rounded down: a little more noise, never less."""
MOST_RATE = 2**12
"""A larger rate is taken as this one: a little more noise, never less."""


def discrete_laplace(rate: float, size: int, rng: np.random.Generator) -> Array:
    """`size` draws x with probability proportional to exp(-rate |x|).

    Reference: Canonne, Kamath, Steinke (2020), The discrete Gaussian for differential privacy,
    arXiv:2004.00010, algorithm 2.
    """
    if not 1 / UNIT <= rate < inf:
        message = "a rate must be 2^-50 or more, and finite"
        raise ValueError(message)
    numerator = int(min(rate, MOST_RATE) * UNIT)
    made = np.empty(size, dtype=np.int64)
    left = np.arange(size)
    while left.size:
        below = rng.integers(0, UNIT, left.size)
        held = np.flatnonzero(_exp_minus(below, rng))
        whole = below[held] + UNIT * _successes(held.size, rng)
        sizes, negative = whole // numerator, rng.integers(0, 2, held.size).astype(bool)
        # Zero has one sign.
        kept = ~(negative & (sizes == 0))
        made[left[held[kept]]] = np.where(negative, -sizes, sizes)[kept]
        left = np.delete(left, held[kept])
    return made


def _exp_minus(part: Array, rng: np.random.Generator) -> Array:
    """True with probability exp(-part / UNIT), for parts of at most one."""
    result = np.zeros(part.size, dtype=bool)
    going, turn = np.arange(part.size), 1
    while going.size:
        heads = rng.integers(0, UNIT * turn, going.size) < part[going]
        result[going[~heads]] = turn % 2 == 1
        going, turn = going[heads], turn + 1
    return result


def _successes(size: int, rng: np.random.Generator) -> Array:
    """How often in a row something of probability exp(-1) happens."""
    counts = np.zeros(size, dtype=np.int64)
    going = np.arange(size)
    while going.size:
        going = going[_exp_minus(np.full(going.size, UNIT), rng)]
        counts[going] += 1
    return counts
