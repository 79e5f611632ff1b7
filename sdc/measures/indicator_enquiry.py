"""Estimates the figures that are wanted in both tables of a pair, with their variances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.comparison import BOTH, is_number
from sdc.measures.indicator_pair import IndicatorPair
from sdc.measures.survey_sample import SurveyDesign, sample
from sdc.statistics.estimates.indicators import Estimator, Sample


@dataclass(frozen=True)
class IndicatorEnquiry:
    """Which figures are wanted."""

    pair: ReleasePair
    columns: tuple[str, ...]
    wanted: dict[str, Estimator]
    grouping: tuple[str, ...]
    domains: tuple[tuple[int, int], ...]
    design: SurveyDesign

    def figures(self, *, weighted: bool) -> list[IndicatorPair]:
        """All figures, without variances."""
        return [
            figure for column in self.columns for figure in self._of(column, self._samples(column, weighted))
        ]

    def with_variances(self, *, weighted: bool, draws: int, seed: int) -> tuple[list[IndicatorPair], int]:
        """All figures, and the most draws of a variable that could not meet the totals."""
        made: list[IndicatorPair] = []
        most = 0
        for column in self.columns:
            samples = self._samples(column, weighted)
            found = [
                self.design.variances(self.pair, side, held, list(self.wanted.values()), draws, seed)
                for side, held in samples.items()
            ]
            most = max(most, *(lost for _, lost in found))
            made += self._of(column, samples, [variance for variance, _ in found])
        return made, most

    def _samples(self, column: str, weighted: bool) -> dict[Side, Sample]:
        known = self.design.columns
        return {
            side: sample(
                self.pair,
                column,
                side,
                weighted=weighted,
                by=self.grouping,
                domains=self.domains,
                known=known,
            )
            for side in BOTH
        }

    def _of(
        self, column: str, samples: dict[Side, Sample], variances: Sequence[Array] = ()
    ) -> Iterator[IndicatorPair]:
        found = [held.estimates(list(self.wanted.values())) for held in samples.values()]
        found += variances or [np.full(found[0].shape, np.nan)] * 2
        for row, head in enumerate(self._heads(column)):
            for place, end in enumerate(["", *map(self._domain, self.domains)]):
                yield IndicatorPair(head + end, *(float(each[row, place]) for each in found))

    @property
    def strata_of_one_unit(self) -> int:
        """Strata of one unit in the original, among the records that have the first variable."""
        held = sample(self.pair, self.columns[0], Side.ORIGINAL, weighted=False)
        return self.design.resampling(self.pair, Side.ORIGINAL, held).strata_of_one_unit

    def _heads(self, column: str) -> list[str]:
        if is_number(self.pair, column):
            return [f"{indicator}.{column}" for indicator in self.wanted]
        return [f"rate.{column}.{label}" for label in self.pair.labels(column)]

    def _domain(self, domain: tuple[int, int]) -> str:
        name = self.grouping[domain[0]]
        return f".{name}.{self.pair.labels(name)[domain[1]]}"
