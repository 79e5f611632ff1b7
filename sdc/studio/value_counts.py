"""Counts the values of a variable in the original, as the methods see them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sdc.data import sql
from sdc.data.roles import VariableType
from sdc.errors import redacted
from sdc.statistics.coarsening.recoding import CannotRecode, Coarser, Domain, Recode
from sdc.study.drawn_sample import ORIGINAL

if TYPE_CHECKING:
    from sdc.arrays import Array
    from sdc.profile.plan import Profile
    from sdc.study.workplace import Workplace


@dataclass(frozen=True)
class ValueCounts:
    """The distinct values of a variable in order, how many records have each, and how many have none."""

    variable: str
    domain: Domain
    counts: Array
    missing: int

    @classmethod
    def of(cls, place: Workplace, profile: Profile, variable: str) -> ValueCounts:
        table = place.warehouse.database.table(ORIGINAL)
        column = sql.name(variable)
        kind = profile.variables[variable].type
        of_numbers = kind is VariableType.NUMERIC and table.is_numeric(variable)
        of_days = kind is VariableType.DATE and table.is_date(variable)
        read = f"CAST({column} AS DOUBLE)" if of_numbers else column if of_days else table.text(variable)
        with redacted("counting a variable"):
            rows = table.fetch(f"SELECT {read}, count(*) FROM {sql.name(ORIGINAL)} GROUP BY 1 ORDER BY 1")
        held = [(value, count) for value, count in rows if value is not None]
        order = profile.variables[variable].order if kind is VariableType.ORDINAL else ()
        if not of_numbers and not of_days:
            place_of = {level: place for place, level in enumerate(order)}
            held.sort(key=lambda pair: (place_of.get(pair[0], len(order)), pair[0].encode()))
        ordered = of_numbers or of_days or bool(order)
        values = _values([value for value, _ in held], numbers=of_numbers, days=of_days)
        missing = sum(count for value, count in rows if value is None)
        return cls(variable, Domain(values, ordered), np.array([count for _, count in held]), missing)

    @property
    def records(self) -> int:
        return int(self.counts.sum()) + self.missing

    @property
    def texts(self) -> list[str]:
        return self.domain.texts

    def recoded(self, option: dict[str, Any]) -> tuple[Coarser, list[int]]:
        """The new labels, and how many records each would have; CannotRecode in words where it cannot be."""
        from pydantic import ValidationError

        try:
            coarser = Recode.model_validate(option).coarser(self.domain)
        except ValidationError as wrong:
            problem = str(wrong.errors()[0]["msg"]).removeprefix("Value error, ")
            raise CannotRecode(problem) from None
        counts = np.bincount(coarser.codes, weights=self.counts, minlength=len(coarser.labels))
        return coarser, [int(count) for count in counts]


def _values(held: list[Any], *, numbers: bool, days: bool) -> Array:
    if numbers:
        return np.array(held, dtype=np.float64)
    return np.array(held, dtype="datetime64[D]" if days else object)
