"""Figures a statistical office publishes, weighted: means, totals, quantiles, rates, poverty, inequality."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from sdc.arrays import Array

POVERTY_LINE = 0.6
TIE = 1e-10
"""A cumulative weight this near a share of all, relative to all, has reached it exactly."""


def total(x: Array, w: Array) -> float:
    return float((w * x).sum())


def mean(x: Array, w: Array) -> float:
    weight = float(w.sum())
    return total(x, w) / weight if weight > 0 else math.nan


def quantile(x: Array, w: Array, share: float) -> float:
    """The smallest value at which the cumulative weight exceeds a share of all.

    Where it equals the share, it is the mean of that value and the next.

    `x` ascends; values of no weight do not count.
    """
    cumulative = np.cumsum(w)
    if not cumulative.size or cumulative[-1] <= 0:
        return math.nan
    wanted, slack = share * cumulative[-1], TIE * cumulative[-1]
    reached, passed = np.searchsorted(cumulative, [wanted - slack, wanted + slack], side="right")
    last = int(np.searchsorted(cumulative, cumulative[-1] - slack, side="right"))
    return float(x[min(reached, last)] + x[min(passed, last)]) / 2


def gini(x: Array, w: Array) -> float:
    """The Gini coefficient, 0 to 1 where no value is negative; not defined where the total is not positive.

    `x` ascends.
    """
    held, cumulative = w * x, np.cumsum(w)
    income = float(held.sum())
    if income <= 0 or cumulative[-1] <= 0:
        return math.nan
    return float((held * (2 * cumulative - w)).sum()) / (float(cumulative[-1]) * income) - 1


def poverty_threshold(x: Array, w: Array) -> float:
    """60 % of the weighted median. `x` ascends."""
    return POVERTY_LINE * quantile(x, w, 0.5)


def share_below(x: Array, w: Array, threshold: float) -> float:
    """The weight of values strictly below a threshold as a share of all."""
    weight = float(w.sum())
    return float(w[x < threshold].sum()) / weight if weight > 0 else math.nan


def quintile_share(x: Array, w: Array) -> float:
    """What lies above the 80 % quantile over what lies at or below the 20 % quantile.

    It is not defined where the latter is not positive. `x` ascends.
    """
    low, high = quantile(x, w, 0.2), quantile(x, w, 0.8)
    poorest = float((w * x)[x <= low].sum())
    return float((w * x)[x > high].sum()) / poorest if poorest > 0 else math.nan


Estimator = Callable[[Array, Array, float], float]
"""From ascending values, weights and the table's poverty threshold to a figure; NaN where there is none."""


def estimator(name: str, share: float = 0.5) -> Estimator:
    """The indicator of a number by its name; `share` is that of a quantile."""
    if name == "at_risk_of_poverty":
        return share_below
    plain: dict[str, Callable[[Array, Array], float]] = {
        "mean": mean,
        "total": total,
        "quantile": partial(quantile, share=share),
        "gini": gini,
        "quintile_share": quintile_share,
    }
    wanted = plain[name]
    return lambda x, w, _: wanted(x, w)


@dataclass(frozen=True)
class Sample:
    """Values with their weights, and the records of each domain as places.

    `categories` is None for numbers, which ascend. `order` says which of the given records each one is.
    """

    values: Array
    weights: Array
    order: Array
    domains: tuple[Array, ...] = ()
    categories: int | None = None

    @classmethod
    def of(
        cls,
        values: Array,
        weights: Array,
        groups: Sequence[Array] = (),
        domains: Sequence[tuple[int, int]] = (),
        *,
        categories: int | None = None,
    ) -> Sample:
        """A sample of records in any order. `groups` are codes for each record.

        A domain is the place of a grouping and a code of it.
        """
        order = _ordered(values, weights, *groups)
        places = tuple(np.flatnonzero(groups[grouping][order] == code) for grouping, code in domains)
        return cls(values[order], weights[order], order, places, categories)

    @cached_property
    def _columns(self) -> list[tuple[Any, Array]]:
        """The places and values of all records, and of those of each domain."""
        return [(slice(None), self.values), *((places, self.values[places]) for places in self.domains)]

    def estimates(self, wanted: Sequence[Estimator], drawn: Array | None = None) -> Array:
        """Estimates: a row for each indicator or category, a column for all records and each domain.

        `drawn` are other weights than the sample's own.
        """
        weights = self.weights if drawn is None else drawn
        if self.categories is not None:
            sums = np.array(
                [
                    np.bincount(values, weights[places], minlength=self.categories)
                    for places, values in self._columns
                ]
            ).T
            weight = sums.sum(axis=0)
            return np.divide(sums, weight, out=np.full(sums.shape, np.nan), where=weight > 0)
        threshold = poverty_threshold(self.values, weights)
        columns = [
            [figure(values, held, threshold) for figure in wanted]
            for places, values in self._columns
            for held in [weights[places]]
        ]
        return np.array(columns).reshape(len(columns), len(wanted)).T

    def variances(self, wanted: Sequence[Estimator], draws: Iterable[Array]) -> Array:
        """Of the estimates over draws of the weights; not a number where fewer than two gave a value."""
        listed = [self.estimates(wanted, drawn) for drawn in draws]
        found = np.array(listed) if listed else np.full((1, *self.estimates(wanted).shape), np.nan)
        given = np.count_nonzero(~np.isnan(found), axis=0)
        centre = np.divide(np.nansum(found, axis=0), given, out=np.full(given.shape, np.nan), where=given > 0)
        squares = np.nansum((found - centre) ** 2, axis=0)
        return np.divide(squares, given - 1, out=np.full(given.shape, np.nan), where=given > 1)

    def replicated(self, wanted: Sequence[Estimator], replicates: Sequence[Array], factor: float) -> Array:
        """The variance from replicate weights.

        It is `factor` times the sum of squared deviations from the estimates of the sample itself.
        """
        found = np.array([self.estimates(wanted, weights) for weights in replicates])
        squares: Array = factor * ((found - self.estimates(wanted)) ** 2).sum(axis=0)
        return squares


def _ordered(values: Array, *further: Array) -> Array:
    """The order of records by value, and among equal values by what else is known; nothing else decides."""
    order = np.argsort(values)
    same = np.diff(values[order]) == 0
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
    records = order[tied]
    order[tied] = records[np.lexsort((*(known[records] for known in reversed(further)), values[records]))]
    return order
