"""Draws ranks that depend on each other as the observed ones do."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.noise.normal_noise import root


def normal_scores(values: Array) -> Array:
    """Normal quantiles of the ranks, (r - 1/2) / n; equal values have their mean rank, missing ones NaN."""
    from scipy.special import ndtri
    from scipy.stats import rankdata

    observed = ~np.isnan(values)
    scores = np.full(len(values), np.nan)
    if observed.any():
        scores[observed] = ndtri((rankdata(values[observed]) - 0.5) / np.count_nonzero(observed))
    return scores


def spearman(scores: Array) -> Array:
    """Correlations of a normal copula from rank correlations of common records: 2 sin(pi r / 6).

    They are 0 where there are none.

    Reference: Kruskal (1958), doi:10.1080/01621459.1958.10501481.
    """
    from scipy.stats import rankdata

    width = scores.shape[1]
    held = np.eye(width)
    for i in range(width):
        for j in range(i):
            both = ~np.isnan(scores[:, i]) & ~np.isnan(scores[:, j])
            ranks = [rankdata(scores[both, column]) for column in (i, j)]
            centred = [rank - rank.mean() if rank.size else rank for rank in ranks]
            size = np.sqrt(np.sum(centred[0] ** 2) * np.sum(centred[1] ** 2))
            held[i, j] = held[j, i] = (
                2 * np.sin(np.pi / 6 * np.sum(centred[0] * centred[1]) / size) if size > 0 else 0.0
            )
    return held


def scores_given(given: Array, correlation: Array, width: int, rng: np.random.Generator) -> Array:
    """Normal scores of the first `width` columns of the copula, drawn given scores of the others.

    A missing score counts as 0.
    """
    known = np.where(np.isnan(given), 0.0, given)
    own, across, others = (
        correlation[:width, :width],
        correlation[:width, width:],
        correlation[width:, width:],
    )
    slopes = across @ root(others, -1.0) if known.shape[1] else np.zeros((width, 0))
    rest = own - slopes @ across.T
    drawn: Array = known @ slopes.T + rng.standard_normal((len(known), width)) @ root((rest + rest.T) / 2)
    return drawn
