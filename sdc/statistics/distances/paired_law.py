"""The law of the Kolmogorov-Smirnov distance between two dependent samples, by exchange within pairs."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.distances.distribution_distance import kolmogorov_smirnov


def exchanged_distances(x: Array, y: Array, draws: int, rng: np.random.Generator) -> Array:
    """Distances when each pair (x, y) is exchanged or not, each with probability one half.

    If original and masked value of a person have the same joint law in either order, the observed distance
    is one of these. Pairs are taken in the order of their values, so the order of records does not matter.
    """
    order = np.lexsort((y, x))
    first, second = x[order], y[order]
    found = np.empty(draws)
    for draw in range(draws):
        turned = rng.random(first.size) < 0.5
        found[draw] = kolmogorov_smirnov(
            np.sort(np.where(turned, second, first)), np.sort(np.where(turned, first, second))
        )
    return found
