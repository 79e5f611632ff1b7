"""Weights of a survey from draw to draw of a bootstrap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sdc.arrays import Array

Margin = tuple[Array, Array]
"""The category of each record (-1 where missing), and the known total of each category."""

DRAWN_TOGETHER = 2**14
ROUNDS = 500
CLOSE = 1e-9


@dataclass(frozen=True)
class Resampling:
    """A sample that is drawn again, with replacement.

    Of the n units of a stratum n - 1 are drawn, and their weights are raised by n / (n - 1): as many as there
    are would understate the variance by that factor, by half where a stratum has two units (Rao and Wu 1988,
    doi:10.1080/01621459.1988.10478591). Without `units`, records are drawn; without `strata`, from all.
    Without both, as many records are drawn as there are. A code of -1 is missing: such a record is a unit of
    its own, and such records are a stratum. With `margins` the weights of a draw are raked to known totals.
    """

    weights: Array
    units: Array | None = None
    strata: Array | None = None
    margins: Sequence[Margin] = ()

    def draws(self, number: int, rng: np.random.Generator) -> Iterator[Array | None]:
        """Weights of so many draws; None for one that cannot meet the totals."""
        for _ in range(number):
            drawn = self.weights * self._times(rng)
            yield raked(drawn, self.margins) if self.margins else drawn

    @property
    def strata_of_one_unit(self) -> int:
        """Strata that every draw takes as they are."""
        return int((self._design[2] == 1).sum()) if self.strata is not None else 0

    def _times(self, rng: np.random.Generator) -> Array:
        """How often each record is drawn, raised where fewer are drawn than there are."""
        if self.units is None and self.strata is None:
            return drawn_times(self.weights.size, rng)
        unit, first, size = self._design
        chosen = first + np.floor(rng.random(first.size) * size).astype(np.int64)
        # One draw less in every stratum; a single unit has no variance and stays.
        kept = (np.arange(first.size) != first) | (size == 1)
        times = np.bincount(chosen[kept], minlength=first.size) * (size / np.maximum(size - 1, 1))
        of_records: Array = times[unit]
        return of_records

    @cached_property
    def _design(self) -> tuple[Array, Array, Array]:
        """The unit of each record, and for each unit where its stratum begins and how many units that has.

        Units are in the order of strata.
        """
        records = self.weights.size
        strata = np.zeros(records, dtype=np.int64) if self.strata is None else self.strata.astype(np.int64)
        units = np.full(records, -1) if self.units is None else self.units.astype(np.int64)
        alone = units < 0
        units = np.where(alone, int(units.max(initial=-1)) + np.cumsum(alone), units)
        distinct, unit = np.unique(np.column_stack([strata, units]), axis=0, return_inverse=True)
        _, first, place, size = np.unique(
            distinct[:, 0], return_index=True, return_inverse=True, return_counts=True
        )
        return unit.ravel(), first[place], size[place]


def raked(weights: Array, margins: Sequence[Margin]) -> Array | None:
    """Weights whose sums by category are the known totals, by iterative proportional fitting.

    It is None where there are none. A record without a category keeps its weight in that margin.
    """
    made = weights.astype(np.float64)
    for _ in range(ROUNDS):
        furthest = 0.0
        for codes, totals in margins:
            held = codes >= 0
            sums = np.bincount(codes[held], made[held], minlength=totals.size)
            if (sums[totals > 0] <= 0).any():
                return None
            factor = np.divide(totals, sums, out=np.ones(totals.size), where=sums > 0)
            furthest = max(furthest, float(np.abs(factor[sums > 0] - 1).max(initial=0)))
            made = np.where(held, made * np.append(factor, 1)[codes], made)
        if furthest < CLOSE:
            return made
    return None


def drawn_times(records: int, rng: np.random.Generator) -> Array:
    """How often each of so many records comes up in as many draws with replacement.

    First it draws how many fall on each block of neighbours, then on which record: no draw reaches across the
    memory.
    """
    if not records:
        return np.zeros(0, dtype=np.int64)
    sizes = np.diff(np.append(np.arange(0, records, DRAWN_TOGETHER), records))
    draws = rng.multinomial(records, sizes / records)
    return np.concatenate(
        [
            np.bincount(rng.integers(0, size, drawn), minlength=size)
            for size, drawn in zip(sizes, draws, strict=True)
        ]
    )
