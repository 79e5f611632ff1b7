"""Draws from a distribution of several variables whose conditional quantile functions are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def multivariate_inverse(quantiles: Sequence[Callable[..., Array]], rows: int, rng: np.random.Generator) -> Array:
    """One row a draw: each variable is its quantile given those before it, at a uniform level of its own.

    The k-th function is called with the levels and the k - 1 columns already drawn.

    Reference: Rosenblatt (1952), doi:10.1214/aoms/1177729394.
    """
    drawn: list[Array] = []
    for quantile in quantiles:
        drawn.append(quantile(rng.random(rows), *drawn))
    return np.column_stack(drawn)
