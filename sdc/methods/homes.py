"""Draws whole households: common values once, then the first member, then the others given the first."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Names
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sdc.methods import columns
from sdc.methods.model_choice import ChosenModel
from sdc.methods.sequence import Sequence
from sdc.methods.sequence_models import Settings
from sdc.spelling import counted
from sdc.statistics.sampling.bootstrap import bootstrap
from sdc.statistics.synthesis.expression import Expression

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array
    from sdc.data.roles import Roles
    from sdc.methods.restrictions import Restrictions


MEMBERS = "members of the household"
PLACE = "place in the household"


def first_member(name: str) -> str:
    return f"{name} of the first member"


def shared(table: pd.DataFrame, home: Array, name: str) -> bool:
    """Whether all members of each household have the same value (or all none)."""
    values = columns.as_numbers(table[name])
    first = np.zeros(int(home.max()) + 1, dtype=np.int64)
    first[home[::-1]] = np.arange(len(home))[::-1]
    lead = values[first[home]]
    return bool(((values == lead) | (np.isnan(values) & np.isnan(lead))).all())


def sizes_for(observed: Array, rows: int, rng: np.random.Generator, weights: Array | None = None) -> Array:
    """Sizes of households drawn from the observed ones until they have this many members together.

    The last ones are chosen to fit; where no household is small enough, the remaining records form one.
    """
    drawn: list[int] = []
    left = rows
    while left > 0:
        count = max(left // max(int(observed.mean()), 1), 16)
        for size in observed[bootstrap(len(observed), count, rng, weights)]:
            if size > left:
                fitting = observed[observed <= left]
                size = int(fitting.max()) if fitting.size else left  # noqa: PLW2901
            drawn.append(int(size))
            left -= drawn[-1]
            if left == 0:
                break
    return np.array(drawn, dtype=np.int64)


@dataclass(frozen=True)
class Homes:
    """The three sequences of a table with households."""

    table: pd.DataFrame
    roles: Roles
    order: tuple[str, ...]
    settings: Settings
    restrictions: Restrictions
    weights: Array | None = None

    @cached_property
    def home(self) -> Array:
        return columns.units(self.table, self.roles)

    @cached_property
    def place(self) -> Array:
        """Each record's place among the members of its household, from 0 in the order of the file."""
        order = np.argsort(self.home, kind="stable")
        starts = np.searchsorted(self.home[order], self.home[order])
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order)) - starts
        return place

    @cached_property
    def first(self) -> Array:
        """The first record of each household, in the order of the households' numbers."""
        leads = np.flatnonzero(self.place == 0)
        return np.asarray(leads[np.argsort(self.home[leads])])

    @cached_property
    def sizes(self) -> Array:
        return np.bincount(self.home)

    @cached_property
    def common(self) -> tuple[str, ...]:
        """Variables of the household: declared so, or the same for all members of each household.

        A variable made from others belongs here only if they do.
        """
        found = [
            name
            for name in self.order
            if self.roles[name].household_level or shared(self.table, self.home, name)
        ]
        for name, choice in self.settings.models.items():
            tied = Expression.of(choice.options["formula"]).names if choice.model == "passive" else ()
            tied = (name, str(choice.options["event"])) if choice.model == "survival_tree" else tied
            if not set(tied) <= set(found):
                found = [
                    other
                    for other in found
                    if other != name and (choice.model != "survival_tree" or other not in tied)
                ]
        return tuple(found)

    @property
    def own(self) -> tuple[str, ...]:
        return tuple(name for name in self.order if name not in self.common)

    @property
    def visit(self) -> tuple[str, ...]:
        return (*self.common, *self.own)

    @cached_property
    def households(self) -> Sequence:
        table = self.table.iloc[self.first][list(self.common)].assign(
            **{MEMBERS: self.sizes.astype(np.float64)}
        )
        counts = [
            name
            for name in self.common
            if columns.is_number(table[name]) and np.array_equal(table[name].to_numpy(), self.sizes)
        ]
        copies = {name: ChosenModel("passive", {"formula": f"`{MEMBERS}`"}) for name in counts}
        models = {**copies, **self.settings.models}
        return self._sequence(
            table, (MEMBERS,), self.common, replace(self.settings, models=models), self.first
        )

    @cached_property
    def leads(self) -> Sequence:
        table = self.table.iloc[self.first].assign(**{MEMBERS: self.sizes.astype(np.float64)})
        return self._sequence(table, (*self.common, MEMBERS), self.own, self.settings, self.first)

    @cached_property
    def others(self) -> Sequence:
        rows = np.flatnonzero(self.place > 0)
        lead = self.first[self.home[rows]]
        firsts = {first_member(name): self.table[name].iloc[lead].array for name in self.own}
        numbers = {
            MEMBERS: self.sizes[self.home[rows]].astype(np.float64),
            PLACE: self.place[rows].astype(np.float64),
        }
        table = self.table.iloc[rows].assign(**firsts, **numbers)
        wider = {
            name: [*row, *map(first_member, (*row, name)), PLACE, MEMBERS]
            for name, row in self.settings.predictors.items()
        }
        codes, spikes = (
            self._also_of_first(self.settings.missing_codes),
            self._also_of_first(self.settings.spikes),
        )
        wide = replace(self.settings, predictors=wider, missing_codes=codes, spikes=spikes)
        return self._sequence(table, (*self.common, MEMBERS, PLACE, *firsts), self.own, wide, rows)

    def _also_of_first(self, held: Mapping[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
        return {**held, **{first_member(name): held[name] for name in self.own if name in held}}

    def _sequence(
        self, table: pd.DataFrame, given: Names[str], order: Names[str], settings: Settings, rows: Array
    ) -> Sequence:
        weights = None if self.weights is None else self.weights[rows]
        return Sequence(table, tuple(given), tuple(order), settings, self.restrictions, weights)

    @cached_property
    def sequences(self) -> list[Sequence]:
        """The sequences of households, of their first members, and of the others where there are any."""
        alone = len(self.first) == len(self.table)
        return [self.households, self.leads, *([] if alone else [self.others])]

    def fit(self, rng: np.random.Generator) -> list[dict[str, Any]]:
        return [part.fit(stream) for part, stream in zip(self.sequences, rng.spawn(3), strict=False)]

    def draw(
        self, fitted: list[dict[str, Any]], rows: int, rng: np.random.Generator
    ) -> tuple[dict[str, Array], Array]:
        """Values of all variables, and the number of each record's household."""
        streams = rng.spawn(4)
        sizes = sizes_for(
            self.sizes, rows, streams[0], None if self.weights is None else self.weights[self.first]
        )
        of_homes = self.households.draw(
            fitted[0], {MEMBERS: sizes.astype(np.float64)}, len(sizes), streams[1]
        )
        of_leads = self.leads.draw(fitted[1], of_homes, len(sizes), streams[2])
        home = np.repeat(np.arange(len(sizes)), sizes)
        place = np.arange(len(home)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rest = np.flatnonzero(place > 0)
        values = {name: of_leads[name][home] for name in self.order}
        if rest.size and len(fitted) > 2:
            given = {name: of_homes[name][home[rest]] for name in (*self.common, MEMBERS)}
            given |= {PLACE: place[rest].astype(np.float64)}
            given |= {first_member(name): of_leads[name][home[rest]] for name in self.own}
            of_others = self.others.draw(fitted[2], given, rest.size, streams[3])
            for name in self.own:
                values[name][rest] = of_others[name]
        return values, home

    def facts(self) -> Mapping[str, Any]:
        common = counted(len(self.common), "variable")
        return {"households": f"{common} drawn once for each household, {len(self.own)} for each member"}
