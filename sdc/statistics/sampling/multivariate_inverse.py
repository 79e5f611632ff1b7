"""Draws from a distribution of several variables whose conditional quantile functions are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sdc.arrays import Array


def multivariate_inverse(
    quantiles: Sequence[Callable[..., Array]],
    rows: int,
    rng: np.random.Generator,
    levels: Array | None = None,
) -> Array:
    """One row a draw: each variable is its quantile given those before it, at a uniform level of its own.

    The k-th function is called with the levels and the k - 1 columns already drawn. `levels`, a column a
    variable, may be given instead: those of a copula, for variables whose margins alone are known.

    Reference: Rosenblatt (1952), doi:10.1214/aoms/1177729394; Sklar (1959), Fonctions de répartition à n
    dimensions et leurs marges, Publications de l'Institut de Statistique de l'Université de Paris 8, 229-231.
    """
    drawn: list[Array] = []
    for place, quantile in enumerate(quantiles):
        drawn.append(quantile(rng.random(rows) if levels is None else levels[:, place], *drawn))
    return np.column_stack(drawn)
