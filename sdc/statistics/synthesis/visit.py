"""In which order should variables be drawn? The one that follows most from all others last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sdc.statistics.synthesis.feature import Feature

Array = np.ndarray[Any, Any]

SAME = 1e-9
"""Log p-values this near, relative to their size, are equal."""


def visit_sequence(variables: Sequence[Sequence[Feature]]) -> list[int]:
    """Places of the variables, the first to draw first (each variable is given by its features).

    Each variable is regressed on all others; the one of the lowest p-value is set aside to be drawn last, and so on with
    those left. P-values are compared by their logarithms, as they underflow; of equal ones the later variable is set
    aside. A category is regressed by its indicators together (Wilks' lambda, Rao's F), of which the F test of a linear
    regression is the case of one.

    Reference: Qu (2024), Contributions to Statistical Theory of Data Privacy, algorithm 1; Rao (1951), An asymptotic
    expansion of the distribution of Wilks's criterion, Bulletin of the International Statistical Institute 33, 177-180.
    """
    blocks = [np.concatenate([_columns(feature) for feature in features], axis=1) for features in variables]
    records = len(blocks[0]) if blocks else 0
    owner = np.repeat(np.arange(len(blocks)), [block.shape[1] for block in blocks])
    table = np.concatenate(blocks, axis=1) if blocks else np.zeros((0, 0))
    products = table.T @ table
    left, aside = list(range(len(blocks))), []
    while len(left) > 1:
        logs = [_log_chance(products, records, owner == place, np.isin(owner, [other for other in left if other != place])) for place in left]
        least = min(logs)
        last = max(place for place, log in zip(left, logs, strict=True) if log <= least + SAME * abs(least))
        left.remove(last)
        aside.append(last)
    return [*left, *aside[::-1]]


def _columns(feature: Feature) -> Array:
    """Centred columns of length one: a number itself, a category as indicators."""
    raw = feature.values[:, None].astype(np.float64) if feature.numeric else (feature.values[:, None] == np.arange(feature.levels)).astype(np.float64)
    centred = raw - raw.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    return np.asarray(centred[:, size > 0] / size[size > 0])


def _log_chance(products: Array, records: int, mine: Array, others: Array) -> float:
    """Log p-value of the regression of one block of columns on another; 0 where nothing can be tested."""
    target = _independent(products[np.ix_(mine, mine)])
    across = products[np.ix_(others, mine)] @ target
    predictors = _independent(products[np.ix_(others, others)])
    explained = predictors.T @ across
    width, count = target.shape[1], predictors.shape[1]
    degrees = records - 1 - count
    if not width or not count or degrees < 1:
        return 0.0
    left = np.linalg.eigvalsh(np.eye(width) - explained.T @ explained)
    log_lambda = float(np.log(np.clip(left, 1e-15, 1.0)).sum())
    return _log_rao(log_lambda, width, count, degrees)


def _independent(products: Array) -> Array:
    """Directions that make the columns uncorrelated with length one, without those that follow from others."""
    values, vectors = np.linalg.eigh(products)
    kept = values > 1e-10 * max(float(values.max(initial=0.0)), 1e-300)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


def _log_rao(log_lambda: float, width: int, count: int, degrees: int) -> float:
    """Log p-value of Wilks' lambda by Rao's F, which is exact for one or two columns."""
    square = width**2 + count**2 - 5
    root = np.sqrt((width**2 * count**2 - 4) / square) if square > 0 else 1.0
    second = (degrees - (width - count + 1) / 2) * root - width * count / 2 + 1
    if second <= 0:
        return 0.0
    # F = (1 - L) / L * second / (width count) with L the root of lambda, and L is what the beta distribution needs.
    return _log_beta_tail(float(np.exp(log_lambda / root)), log_lambda / root, second / 2, width * count / 2)


def _log_beta_tail(x: float, log_x: float, a: float, b: float) -> float:
    """Log of the regularised incomplete beta function, also where it underflows, by its series."""
    from scipy.special import betainc, betaln

    direct = float(betainc(a, b, x))
    if direct > 1e-290:
        return float(np.log(direct))
    terms = int(min(200_000, 50 + 60 / max(1.0 - x, 1e-6)))
    k = np.arange(terms)
    growth = np.concatenate([[0.0], np.cumsum(np.log((a + b + k) / (a + 1 + k)) + log_x)])
    total = float(np.log(np.exp(growth - growth.max()).sum()) + growth.max())
    return float(a * log_x + b * np.log1p(-x) - np.log(a) - betaln(a, b) + total)
