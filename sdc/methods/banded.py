"""A table with its numbers in bands: every variable a code, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from sdc.errors import BadOption, CannotProtect
from sdc.methods import columns
from sdc.methods.restrictions import readable
from sdc.statistics.synthesis.coded import decimals
from sdc.statistics.synthesis.donors import Donors
from sdc.statistics.synthesis.expression import Expression

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array
    from sdc.data.roles import Roles


WHY_PUBLIC = "with epsilon the bands of numbers must be named, since those of the data would disclose them"

WHY_DECLARED = (
    "with epsilon the categories must be declared, since those of the data would disclose who has a rare one"
)


def declared(table: pd.DataFrame, roles: Roles) -> pd.DataFrame:
    """The table with the categories the profile declares, also those no record has.

    A column stays as it is where the profile declares none, or where a step made others.
    """
    levels = {
        name: roles[name].levels
        for name in table.columns
        if name in roles and columns.is_category(table[name])
    }
    known = {
        name: declared
        for name, declared in levels.items()
        if declared and set(table[name].cat.categories) <= set(declared)
    }
    return table.assign(**{name: table[name].cat.set_categories(list(held)) for name, held in known.items()})


@dataclass(frozen=True)
class Banded:
    """Codes of all variables, missing the last of each; numbers by edges [a, b), the last band closed.

    `public` edges are all that is known about a number: values are drawn evenly within them, and for `whole`
    numbers among the whole ones. Otherwise a record gets a value observed in its band.
    """

    method: str
    table: pd.DataFrame
    names: tuple[str, ...]
    edges: Mapping[str, Sequence[float]]
    bins: int
    public: bool
    whole: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        columns.known(self.method, self.table, self.edges, "edges")
        for name in self.names:
            if not columns.is_category(self.table[name]) and self.public and name not in self.edges:
                raise BadOption(self.method, "edges", f"{name} holds numbers: {WHY_PUBLIC}")
        for name, given in self.edges.items():
            if len(given) < 2 or any(low >= high for low, high in pairwise(given)):
                raise BadOption(self.method, "edges", f"{name} needs two edges or more in ascending order")
        columns.known(self.method, self.table, self.whole, "whole")
        for name in self.whole if self.public else ():
            if any((low > high).any() for low, high in [self._whole_ends(name)]):
                raise BadOption(self.method, "whole", f"a band of {name} holds no whole number")

    @cached_property
    def borders(self) -> dict[str, Array]:
        """Edges of each number: those given, else quantiles of equal shares."""
        made = {}
        for name in self.names:
            if columns.is_category(self.table[name]):
                continue
            values = columns.as_numbers(self.table[name])
            known = values[~np.isnan(values)]
            given = self.edges.get(name)
            made[name] = (
                np.asarray(given, dtype=np.float64)
                if given is not None
                else (
                    np.unique(np.quantile(known, np.linspace(0, 1, self.bins + 1)))
                    if known.size
                    else np.zeros(1)
                )
            )
        return made

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Levels of each variable, missing included."""
        sizes = [
            (
                len(self.table[name].cat.categories)
                if columns.is_category(self.table[name])
                else max(len(self.borders[name]) - 1, 1)
            )
            for name in self.names
        ]
        return tuple(size + 1 for size in sizes)

    @property
    def cells(self) -> int:
        return prod(self.shape)

    @cached_property
    def codes(self) -> Array:
        made = np.empty((len(self.table), len(self.names)), dtype=np.int64)
        for place, name in enumerate(self.names):
            values = columns.as_numbers(self.table[name])
            if name in self.borders:
                last = self.shape[place] - 2
                values = np.where(
                    np.isnan(values),
                    np.nan,
                    np.clip(np.searchsorted(self.borders[name], values, side="right") - 1, 0, last),
                )
            made[:, place] = np.where(np.isnan(values), self.shape[place] - 1, values)
        return made

    def check(self, most: int) -> None:
        if self.cells > most:
            problem = (
                f"the table of {len(self.names)} variables has {self.cells} cells, and {most} is the limit:"
                " use wider bands or fewer categories"
            )
            raise CannotProtect(self.method, problem)

    def possible(self, zeros: Sequence[str], complete: Sequence[str]) -> Array | None:
        """Cells that nothing forbids: no structural zero, and no missing value where none can be.

        In a structural zero a number is the lower edge of its band.

        A variable is `complete` where it is declared so or, unless its bands are all that may be known, none
        is missing.
        """
        columns.known(self.method, self.table, complete, "complete")
        whole = [
            name in complete or (not self.public and not self.table[name].isna().any()) for name in self.names
        ]
        if not zeros and not any(whole):
            return None
        grid = np.unravel_index(np.arange(self.cells), self.shape)
        forbidden = np.zeros(self.cells, dtype=bool)
        for code, size, never in zip(grid, self.shape, whole, strict=True):
            forbidden |= never & (code == size - 1)
        values = {
            name: self._representative(name, code, place)
            for place, (name, code) in enumerate(zip(self.names, grid, strict=True))
        }
        for text in zeros:
            condition = Expression.of(text)
            columns.known(self.method, self.table, condition.names, "zeros")
            forbidden |= np.broadcast_to(
                condition.holds({name: values[name] for name in condition.names}), self.cells
            )
        if forbidden.all():
            raise BadOption(self.method, "zeros", "they forbid every cell")
        return ~forbidden.reshape(self.shape)

    def _representative(self, name: str, code: Array, place: int) -> Array:
        missing = code == self.shape[place] - 1
        if name in self.borders:
            return np.where(
                missing, np.nan, self.borders[name][np.minimum(code, len(self.borders[name]) - 1)]
            )
        return readable(self.table[name], np.where(missing, np.nan, code))

    def values(self, codes: Array, rng: np.random.Generator) -> dict[str, Array]:
        """Codes drawn, as values of the variables."""
        made = {}
        for place, (name, stream) in enumerate(zip(self.names, rng.spawn(len(self.names)), strict=True)):
            missing = codes[:, place] == self.shape[place] - 1
            value = (
                codes[:, place].astype(np.float64)
                if name not in self.borders
                else self._number(name, place, codes[:, place], stream)
            )
            made[name] = np.where(missing, np.nan, value)
        return made

    def _whole_ends(self, name: str) -> tuple[Array, Array]:
        """The least and the largest whole number of each band [a, b), the last closed."""
        borders = self.borders[name]
        last = np.ceil(borders[1:]) - 1
        last[-1] = np.floor(borders[-1])
        return np.ceil(borders[:-1]), last

    def _number(self, name: str, place: int, code: Array, rng: np.random.Generator) -> Array:
        observed = columns.as_numbers(self.table[name])
        borders = self.borders[name]
        if self.public:
            if name in self.whole:
                first, last = (ends[np.minimum(code, len(borders) - 2)] for ends in self._whole_ends(name))
                return np.asarray(first + np.floor(rng.random(len(code)) * (last - first + 1)))
            low = borders[np.minimum(code, len(borders) - 2)]
            high = borders[np.minimum(code + 1, len(borders) - 1)]
            return np.asarray(low + rng.random(len(code)) * (high - low))
        own = self.codes[:, place]
        known = np.flatnonzero(~np.isnan(observed))
        if not known.size:
            return np.full(len(code), np.nan)
        drawn = observed[known][Donors.of(own[known]).drawn(code, rng)]
        places = decimals(observed[known])
        return drawn if places is None else np.round(drawn, places)
