"""Draws from a mixture of distributions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sdc.arrays import Array
from sdc.statistics.sampling.discrete_inverse import finite


def mixture(
    shares: Sequence[float],
    components: Sequence[Callable[[int, np.random.Generator], Array]],
    rows: int,
    rng: np.random.Generator,
) -> Array:
    """For each draw a component is chosen by the shares, then a value from it.

    Reference: Devroye (1986), doi:10.1007/978-1-4613-8643-8, section I.4.
    """
    chosen = finite(np.asarray(shares, dtype=np.float64), rows, rng)
    drawn = np.empty(rows)
    for place, component in enumerate(components):
        mine = np.flatnonzero(chosen == place)
        drawn[mine] = component(mine.size, rng)
    return drawn
