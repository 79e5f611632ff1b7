"""How far out each record lies, with a centre and a scale that outlying records do not move."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdc.arrays import Array

NORMAL = 1.4826022185056018
"""The standard deviation of a normal variable over its median absolute deviation."""


def scale(values: Array) -> float:
    """A robust standard deviation: the scaled median absolute deviation.

    Where more than half of the values are equal, it is the ordinary standard deviation.
    """
    robust = NORMAL * float(np.median(np.abs(values - np.median(values))))
    return robust or float(np.std(values, ddof=1)) if values.size > 1 else 0.0


def robust_distances(columns: Sequence[Array]) -> Array:
    """Mahalanobis distances from the orthogonalised Gnanadesikan-Kettenring centre and covariance.

    Correlations come from robust scales of sums and differences; the axes of their matrix are scaled robustly
    again. A column that does not vary does not count.
    """
    scaled = [column / spread for column in columns if (spread := scale(column)) > 0]
    if not scaled:
        return np.zeros(columns[0].size)
    number = len(scaled)
    agreement = np.eye(number)
    for first in range(number):
        for second in range(first):
            sums, differences = scaled[first] + scaled[second], scaled[first] - scaled[second]
            agreement[first, second] = agreement[second, first] = (
                scale(sums) ** 2 - scale(differences) ** 2
            ) / 4
    axes = np.linalg.eigh(agreement)[1]
    turned = np.column_stack(scaled) @ axes
    centred = turned - np.median(turned, axis=0)
    spreads = np.array([scale(column) for column in turned.T])
    used = spreads > 0
    distances: Array = np.sqrt(((centred[:, used] / spreads[used]) ** 2).sum(axis=1))
    return distances
