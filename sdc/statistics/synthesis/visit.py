"""The order in which variables are drawn: the one that follows most from all others last."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sdc.arrays import Array
from sdc.statistics.synthesis.distance_correlation import log_chance_of_distances
from sdc.statistics.synthesis.feature import CompleteFeature

VisitTest = Literal["linear", "cubic", "distance"]
LogChance = Callable[[int, Sequence[int]], float]
"""The log p-value of one variable (its place) given others."""

SAME = 1e-9
"""Log p-values this near, relative to their size, are equal."""
MOST_RECORDS = 1_000
"""Distances are taken between this many records at most, evenly spaced in the file."""


@dataclass(frozen=True)
class Visit:
    """Places of the variables in the order to draw them, and the log p-values by which each was set aside.

    The p-values begin with the variable that is drawn last.
    """

    order: tuple[int, ...]
    rounds: tuple[Mapping[int, float], ...]


def visit_sequence(variables: Sequence[Sequence[CompleteFeature]], test: VisitTest = "linear") -> Visit:
    """The order in which to draw variables, each given by its features.

    Each variable is tested against all others; the one of the lowest p-value is set aside to be drawn last,
    and so on with those left. P-values are compared by their logarithms, as they underflow; of equal ones the
    later variable is set aside. `linear` regresses it, a category by its indicators together (Wilks' lambda,
    Rao's F), of which the F test of a linear regression is the case of one. `cubic` does so on squares and
    cubes of the numbers too. `distance` is the chi-square test of distance correlation, which finds
    dependence of any form.

    Reference: Qu (2024), Contributions to Statistical Theory of Data Privacy, algorithm 1; Rao (1951), An
    asymptotic expansion of the distribution of Wilks's criterion, Bulletin of the International Statistical
    Institute 33, 177-180.
    """
    log_chance = (
        _by_distance(variables)
        if test == "distance"
        else _by_regression(variables, 3 if test == "cubic" else 1)
    )
    left, aside, rounds = list(range(len(variables))), [], []
    while len(left) > 1:
        logs = {place: log_chance(place, [other for other in left if other != place]) for place in left}
        least = min(logs.values())
        last = max(place for place, log in logs.items() if log <= least + SAME * abs(least))
        left.remove(last)
        aside.append(last)
        rounds.append(logs)
    return Visit((*left, *aside[::-1]), tuple(rounds))


def _by_regression(variables: Sequence[Sequence[CompleteFeature]], powers: int) -> LogChance:
    """A test of columns that are linear in those of others and in their powers."""
    parts = [
        (place, power, _columns(feature, power))
        for place, features in enumerate(variables)
        for feature in features
        for power in range(1, (powers if feature.numeric else 1) + 1)
    ]
    owner = (
        np.concatenate([np.full(columns.shape[1], place) for place, _, columns in parts])
        if parts
        else np.zeros(0)
    )
    own = (
        np.concatenate([np.full(columns.shape[1], power == 1) for _, power, columns in parts])
        if parts
        else np.zeros(0, dtype=bool)
    )
    table = np.concatenate([columns for _, _, columns in parts], axis=1) if parts else np.zeros((0, 0))
    products = table.T @ table
    return lambda place, others: _log_chance(
        products, len(table), (owner == place) & own, np.isin(owner, others)
    )


def _by_distance(variables: Sequence[Sequence[CompleteFeature]]) -> LogChance:
    blocks = [np.concatenate([_columns(feature) for feature in features], axis=1) for features in variables]
    few = [
        block[np.linspace(0, len(block) - 1, min(len(block), MOST_RECORDS)).astype(np.int64)]
        for block in blocks
    ]
    return lambda place, others: log_chance_of_distances(
        few[place], np.concatenate([few[other] for other in others], axis=1)
    )


def _columns(feature: CompleteFeature, power: int = 1) -> Array:
    """Centred columns of length one: powers of a number's standard scores, or indicators of a category."""
    raw = (
        feature.values[:, None].astype(np.float64)
        if feature.numeric
        else (feature.values[:, None] == np.arange(feature.levels)).astype(np.float64)
    )
    centred = raw - raw.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=0))
    made = np.asarray(centred[:, size > 0] / size[size > 0])
    return (
        made
        if power == 1
        else _columns(CompleteFeature((made * np.sqrt(len(made)))[:, 0] ** power))
        if made.shape[1]
        else made
    )


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
    """Directions that make the columns uncorrelated and of length one, without redundant ones."""
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
    # F = (1 - L) / L * second / (width count) with L the root of lambda, and L is what the beta distribution
    # needs.
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
