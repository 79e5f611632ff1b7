"""Draws from data themselves, every record as likely as any other."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.sampling.discrete_inverse import finite


def bootstrap(records: int, rows: int, rng: np.random.Generator, weights: Array | None = None) -> Array:
    """Numbers of the records drawn with replacement: u between (i - 1)/n and i/n chooses record i.

    It is the inverse transformation of the empirical distribution function. With `weights` a record is drawn
    in proportion to its own.

    Reference: Efron (1979), doi:10.1214/aos/1176344552.
    """
    if weights is None:
        return np.floor(rng.random(rows) * records).astype(np.int64)
    return finite(weights, rows, rng)
