"""Draws several tables stratum by stratum, in pieces that other machines may make."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Names
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sdc.kernels.one_thread import one_thread
from sdc.methods.model_choice import draws_parameters
from sdc.methods.stratum_plan import StratumPlan
from sdc.run.pieces import each_piece
from sdc.run.progress import work_of

if TYPE_CHECKING:
    from sdc.arrays import Array

    Drawn = tuple[dict[str, Array], Array]
    """The values of one table by variable, and the household of each record."""


@dataclass(frozen=True)
class Syntheses:
    """`m` tables of strata, with so many records of each.

    Proper ones, and those whose models draw their parameters, each come from models of their own; others come
    from the same models. What comes from one stratum by the same models is one piece.
    """

    plans: Names[StratumPlan]
    counts: Names[int]
    m: int
    proper: bool

    @cached_property
    def by_models(self) -> list[range]:
        """Which tables come from the same models."""
        anew = self.proper or any(
            draws_parameters(choice)
            for plan in self.plans
            for sequence in plan.sequences
            for choice in sequence.chosen.values()
        )
        return [range(copy, copy + 1) for copy in range(self.m)] if anew else [range(self.m)]

    @property
    def strata(self) -> list[int]:
        """The places of those of which records are drawn."""
        return [place for place, count in enumerate(self.counts) if count]

    @property
    def work(self) -> int:
        """How many models are fitted and variables drawn."""
        return sum(
            len(self.by_models) * len(sequence.modelled) + self.m * len(sequence.order)
            for place in self.strata
            for sequence in self.plans[place].sequences
        )

    def drawn(self, rng: np.random.Generator) -> list[Drawn]:
        """The tables, each with its strata one after another and its households numbered on."""
        for_fits, for_draws = rng.spawn(2)
        fits = [turn.spawn(len(self.plans)) for turn in for_fits.spawn(len(self.by_models))]
        draws = [turn.spawn(len(self.plans)) for turn in for_draws.spawn(self.m)]
        pieces = [(place, turn) for place in self.strata for turn in range(len(self.by_models))]

        def made(number: int) -> list[Array]:
            place, turn = pieces[number]
            fitted = self.plans[place].fit(fits[turn][place])
            streams = [draws[copy][place] for copy in self.by_models[turn]]
            return [array for stream in streams for array in self._arrays(place, fitted, stream)]

        with one_thread(), work_of(self.work):
            arrays = dict(zip(pieces, each_piece(len(pieces), made), strict=True))
        tables = []
        for turn, copies in enumerate(self.by_models):
            strata = [arrays.pop((place, turn)) for place in self.strata]
            starts = range(0, len(copies) * self._width, self._width)
            tables += [
                self._table([each[start : start + self._width] for each in strata]) for start in starts
            ]
        return tables

    @property
    def _order(self) -> tuple[str, ...]:
        return self.plans[0].order

    @property
    def _width(self) -> int:
        return 1 + len(self._order)

    def _arrays(self, place: int, fitted: object, rng: np.random.Generator) -> Iterator[Array]:
        """Of one stratum of one table: its households, then its values in order."""
        values, home = self.plans[place].draw(fitted, self.counts[place], rng)
        yield home
        yield from (values[name] for name in self._order)

    def _table(self, strata: Names[Names[Array]]) -> Drawn:
        home, *values = strata[0]
        if len(strata) > 1:
            ends = np.cumsum([0, *(int(each.max()) + 1 for each, *_ in strata)])
            home = np.concatenate([each + end for (each, *_), end in zip(strata, ends, strict=False)])
            values = [np.concatenate([arrays[place] for arrays in strata]) for place in range(1, self._width)]
        return dict(zip(self._order, values, strict=True)), home
