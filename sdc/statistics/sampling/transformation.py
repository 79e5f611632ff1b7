"""Draws of a function of variables that are easy to draw."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sdc.arrays import Array


def transformation(
    function: Callable[[Array], Array],
    draw: Callable[[int, np.random.Generator], Array],
    rows: int,
    rng: np.random.Generator,
) -> Array:
    """The function of each draw; a draw may be a row of several variables.

    Reference: Devroye (1986), doi:10.1007/978-1-4613-8643-8, section I.4.
    """
    return function(draw(rows, rng))


def chi_square(degrees: int, rows: int, rng: np.random.Generator) -> Array:
    """The sum of the squares of independent standard normal draws."""
    return transformation(
        lambda normal: (normal**2).sum(axis=1),
        lambda count, stream: stream.standard_normal((count, degrees)),
        rows,
        rng,
    )
