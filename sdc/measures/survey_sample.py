"""Variables of a pair as weighted samples, with the variance of estimates from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sdc.arrays import Array
from sdc.catalogue.measurement import NotAssessed
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.comparison import comparable, is_number
from sdc.statistics.estimates.indicators import Estimator, Sample
from sdc.statistics.estimates.resampling import Resampling


def is_weighted(pair: ReleasePair) -> bool:
    """Whether both tables hold the survey weight as numbers."""
    weight = pair.roles.weight
    tables = (pair.original, pair.candidate)
    return weight is not None and all(weight in table.columns for table in tables) and is_number(pair, weight)


def survey_weights(pair: ReleasePair, side: Side, *, weighted: bool) -> Array:
    """The weight of each record: 0 where it is missing or not positive, 1 everywhere if not weighted."""
    if not weighted:
        return np.ones(pair.table(side).rows)
    assert pair.roles.weight is not None
    weights = pair.numbers(pair.roles.weight, side)
    return np.where(weights > 0, weights, 0.0)


@dataclass(frozen=True)
class SurveyDesign:
    """How variances are found: by resampling units within strata, raked, or by replicate weights."""

    strata: str | None = None
    units: str | None = None
    totals: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    replicates: tuple[str, ...] = ()
    factor: float | None = None

    @property
    def columns(self) -> list[str]:
        return [
            name for name in (self.strata, self.units, *self.totals, *self.replicates) if name is not None
        ]

    def problem(self, pair: ReleasePair) -> NotAssessed | None:
        """Why the tables cannot be resampled in this way."""
        if self.replicates and (self.strata or self.units or self.totals):
            return NotAssessed("replicate weights say it all: leave out strata, units and totals")
        if self.factor is not None and not self.replicates:
            return NotAssessed("replicate_factor is given, and no replicates")
        if self.columns and isinstance(
            lacking := comparable(pair, self.columns, by_value=False), NotAssessed
        ):
            return lacking
        if texts := [name for name in self.replicates if not is_number(pair, name)]:
            return NotAssessed(f"not numeric in both tables: {', '.join(texts)}")
        for name, totals in self.totals.items():
            labels = pair.labels(name)
            known = sum(label in totals for label in labels)
            if known < len(labels):
                return NotAssessed(f"totals are given for {known} of the {len(labels)} categories of {name}")
        return None

    def resampling(self, pair: ReleasePair, side: Side, held: Sample) -> Resampling:
        def coded(name: str | None) -> Array | None:
            return None if name is None else pair.codes(name, side)[held.order]

        margins = []
        for name, totals in self.totals.items():
            known = np.array([totals[label] for label in pair.labels(name)])
            margins.append((pair.places(name, side)[held.order], known))
        return Resampling(held.weights, coded(self.units), coded(self.strata), margins)

    def variances(
        self, pair: ReleasePair, side: Side, held: Sample, wanted: Sequence[Estimator], draws: int, seed: int
    ) -> tuple[Array, int]:
        """Variances of the estimates of a sample, and how many draws could not meet the totals."""
        if self.replicates:
            weights = [np.nan_to_num(pair.numbers(name, side)[held.order]) for name in self.replicates]
            return held.replicated(wanted, weights, self.factor or 1 / len(weights)), 0
        lost = 0

        def met() -> Iterator[Array]:
            nonlocal lost
            for weights in self.resampling(pair, side, held).draws(draws, np.random.default_rng(seed)):
                if weights is None:
                    lost += 1
                else:
                    yield weights

        return held.variances(wanted, met()), lost


def sample(
    pair: ReleasePair,
    column: str,
    side: Side,
    *,
    weighted: bool,
    by: Sequence[str] = (),
    domains: Sequence[tuple[int, int]] = (),
    known: Sequence[str] = (),
) -> Sample:
    """A column's values with their weights; records without a value or a weight are left out.

    Numbers come as they are, everything else as codes of its labels. A domain is the place of its variable in
    `by` and a code of it. Records of equal value are ordered by what else is `known` about them. `order` says
    which record of the table each one is.
    """
    weights = survey_weights(pair, side, weighted=weighted)
    numeric = is_number(pair, column)
    values = pair.numbers(column, side) if numeric else pair.places(column, side)
    held = (~np.isnan(values) if numeric else values >= 0) & (weights > 0)
    groups = [
        *(pair.places(name, side)[held] for name in by),
        *(pair.codes(name, side)[held] for name in known),
    ]
    made = Sample.of(
        values[held],
        weights[held],
        groups,
        domains,
        categories=None if numeric else len(pair.labels(column)),
    )
    return replace(made, order=np.flatnonzero(held)[made.order])
