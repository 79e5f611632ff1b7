"""What no synthetic record may break: values fixed under a condition, relations, combinations that occur."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from pydantic import BaseModel, ConfigDict

from sdc.catalogue.options import Column
from sdc.errors import BadOption
from sdc.methods import columns
from sdc.statistics.synthesis.expression import Expression, Formula

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array


class WhenThen(BaseModel):
    """Where `when` holds, each variable of `then` has the value given (null: missing)."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    when: Formula
    then: dict[Column, str | float | None]


def readable(column: pd.Series, values: Array) -> Array:
    """Numbers of `columns.as_numbers` as formulas read them: numbers, or texts with None for missing."""
    if not columns.is_category(column):
        return values
    texts = np.array([*column.cat.categories.astype(str), None], dtype=object)
    return np.asarray(texts[np.where(np.isnan(values), -1, values).astype(np.int64)])


def coded_value(method: str, option: str, column: pd.Series, value: str | float | None) -> float:
    """A value of a profile as `columns.as_numbers` would have it."""
    if value is None:
        return np.nan
    if not columns.is_category(column):
        if columns.is_number(column) and not isinstance(value, str):
            return float(value)
        raise BadOption(method, option, f"the value for {column.name} must be a number")
    labels = [str(label) for label in column.cat.categories]
    if str(value) not in labels:
        raise BadOption(method, option, f"the value for {column.name} is none of its categories")
    return float(labels.index(str(value)))


@dataclass(frozen=True)
class Restrictions:
    """Rules, constraints and combinations over the columns of a table."""

    table: pd.DataFrame
    rules: Sequence[WhenThen] = ()
    constraints: Sequence[str] = ()
    combinations: Sequence[Sequence[str]] = ()
    method: str = field(default="sequential")

    def __post_init__(self) -> None:
        for option, names in self._named:
            columns.known(self.method, self.table, names, option)

    @property
    def _named(self) -> list[tuple[str, list[str]]]:
        conditions = [
            ("rules", list(dict.fromkeys([*Expression.of(rule.when).names, *rule.then])))
            for rule in self.rules
        ]
        relations = [("constraints", list(Expression.of(text).names)) for text in self.constraints]
        return [*conditions, *relations, *(("combinations", list(names)) for names in self.combinations)]

    @cached_property
    def _parsed(self) -> list[Expression]:
        return [Expression.of(text) for text in self.constraints]

    def check_order(self, order: Sequence[str], known: Sequence[str] = ()) -> None:
        """The variables of a rule's condition must be drawn before those it fixes."""
        place = {name: number for number, name in enumerate([*known, *order])}
        for option, names in self._named:
            if never := [name for name in names if name not in place]:
                raise BadOption(
                    self.method, option, f"{', '.join(never)} is not drawn, so nothing can be asked of it"
                )
        for rule in self.rules:
            for name in rule.then:
                late = [
                    other
                    for other in Expression.of(rule.when).names
                    if place.get(other, -1) > place.get(name, len(place))
                ]
                if late:
                    raise BadOption(
                        self.method,
                        "rules",
                        f"{name} is fixed by {', '.join(late)}, which must come before it in visit",
                    )

    def fixed(self, name: str, values: Mapping[str, Array], rows: int) -> tuple[Array, Array]:
        """Which records have their value of a variable by a rule, and that value; the last rule counts."""
        held, value = np.zeros(rows, dtype=bool), np.full(rows, np.nan)
        for rule in self.rules:
            if name in rule.then:
                when = np.broadcast_to(Expression.of(rule.when).holds(self._texts(values)), rows)
                held |= when
                value[when] = coded_value(self.method, "rules", self.table[name], rule.then[name])
        return held, value

    def _texts(self, values: Mapping[str, Array]) -> dict[str, Array]:
        wanted = {name for _, names in self._named for name in names}
        return {name: readable(self.table[name], held) for name, held in values.items() if name in wanted}

    def concerning(self, name: str, known: Sequence[str]) -> bool:
        """Whether this variable has a relation with ones already drawn (and with none not yet drawn)."""
        drawn = {*known, name}
        return any(
            name in names and drawn.issuperset(names) for option, names in self._named if option != "rules"
        )

    def broken(self, name: str, values: Mapping[str, Array], rows: int) -> Array:
        """Records that break a relation of the variable just drawn.

        A record with a missing value breaks none.
        """
        texts, wrong = self._texts(values), np.zeros(rows, dtype=bool)
        for relation in self._parsed:
            if name in relation.names and all(other in texts for other in relation.names):
                wrong |= ~(np.broadcast_to(relation.holds(texts), rows) | relation.missing(texts))
        for names, allowed in self._allowed.items():
            if name in names and all(other in values for other in names):
                wrong |= ~_among(np.column_stack([values[other] for other in names]), allowed)
        return wrong

    @cached_property
    def _allowed(self) -> dict[tuple[str, ...], Array]:
        return {
            tuple(names): np.column_stack([columns.as_numbers(self.table[name]) for name in names])
            for names in self.combinations
        }


def _among(rows: Array, allowed: Array) -> Array:
    """Which rows occur among the allowed ones; missing equals missing."""
    both = np.concatenate([allowed, rows])
    numbers = np.column_stack(
        [np.unique(column, return_inverse=True, equal_nan=True)[1] for column in both.T]
    )
    joint = np.unique(numbers, axis=0, return_inverse=True)[1].reshape(-1)
    found: Array = np.isin(joint[len(allowed) :], joint[: len(allowed)])
    return found
