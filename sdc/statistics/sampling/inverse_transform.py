"""Draws from a continuous distribution whose quantile function is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sdc.arrays import Array


def inverse_transform(quantile: Callable[[Array], Array], rows: int, rng: np.random.Generator) -> Array:
    """Draws as quantiles at uniform levels.

    If F is continuous and increasing and U is uniform, the inverse of F at U has distribution F.

    Levels lie in [0, 1); `quantile` is called once, with all of them.

    Reference: Devroye (1986), Non-Uniform Random Variate Generation, doi:10.1007/978-1-4613-8643-8, section
    II.2.
    """
    return quantile(rng.random(rows))
