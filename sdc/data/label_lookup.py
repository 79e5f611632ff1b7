"""Finds the label of a generalised candidate that holds a value of the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.question import PART, Question
from sdc.data.roles import VariableType
from sdc.statistics.coarsening.labels import Partition, read_labels

if TYPE_CHECKING:
    from sdc.catalogue.protection import Step
    from sdc.data.roles import Roles
    from sdc.data.table import Table

TEXTS = ("VARCHAR", "ENUM")


@dataclass(frozen=True)
class Containment:
    """A column whose values became labels: ranges read from the labels, or groups that a step declared."""

    column: str
    partition: Partition | None = None
    groups: Mapping[str, str] | None = None

    @property
    def problem(self) -> str | None:
        """Why original values cannot be assigned to labels; counts only."""
        if self.partition is None or self.partition.sound:
            return None
        if self.partition.unreadable:
            return (
                f"labels of {self.column} in the candidate cannot be read as ranges:"
                f" {self.partition.unreadable}"
            )
        return (
            f"labels of {self.column} in the candidate overlap with another, so that a value lies in two:"
            f" {self.partition.overlapping}"
        )

    @property
    def overlapping(self) -> bool:
        """Whether every label can be read and a value lies in several of them."""
        return (
            self.partition is not None and not self.partition.unreadable and bool(self.partition.overlapping)
        )

    def expression(self, table: Table) -> str:
        """The label that holds the table's value, in SQL; the value itself as text where no label does."""
        if self.partition is None:
            cases = " ".join(
                f"WHEN {sql.text(old)} THEN {sql.text(new)}" for old, new in (self.groups or {}).items()
            )
            return f"CASE {table.text(self.column)} {cases} ELSE {table.text(self.column)} END"
        value = sql.name(self.column)
        number = (
            f"epoch(CAST({value} AS TIMESTAMP))" if table.is_date(self.column) else f"CAST({value} AS DOUBLE)"
        )
        return _search(self.partition, number, table.text(self.column), 0, len(self.partition.labels))

    def labels(self, levels: Sequence[str]) -> list[str]:
        """The same for the distinct values of a column, as text."""
        import numpy as np

        if self.partition is None:
            return [(self.groups or {}).get(level, level) for level in levels]
        places = self.partition.places(np.array([as_number(level) for level in levels]))
        return [
            self.partition.labels[place] if place >= 0 else level
            for place, level in zip(places, levels, strict=True)
        ]


def containment(
    column: str, original: Table, candidate: Table, roles: Roles, steps: Sequence[Step]
) -> Containment | None:
    """How the column was generalised, None where original and candidate hold the same kind of values."""
    groups = _grouped(column, steps)
    ranged = roles[column].type in (VariableType.NUMERIC, VariableType.DATE) if column in roles else False
    if ranged and candidate.types[column].startswith(TEXTS) and not original.types[column].startswith(TEXTS):
        asked = Question(f'SELECT DISTINCT CAST({sql.name(column)} AS VARCHAR) AS "x" FROM {PART}')
        labels = {
            label for part in candidate.ask(asked) for label in part.column("x").drop_null().to_pylist()
        }
        partition = read_labels(sorted(labels), dates=original.is_date(column))
        if partition.sound or not groups:
            return Containment(column, partition=partition)
    return Containment(column, groups=groups) if groups else None


def _grouped(column: str, steps: Sequence[Step]) -> dict[str, str]:
    """Old labels to those after the last step."""
    groups: dict[str, str] = {}
    for step in steps:
        renamed = step.labels.get(column, {})
        groups = {old: renamed.get(new, new) for old, new in groups.items()}
        groups.update({old: new for old, new in renamed.items() if old not in groups})
    return groups


def _search(partition: Partition, number: str, otherwise: str, first: int, after: int) -> str:
    """A binary search among the labels first..after, written as nested cases."""
    if after <= first:
        return otherwise
    if after - first > 1:
        middle = (first + after) // 2
        halves = (
            _search(partition, number, otherwise, first, middle),
            _search(partition, number, otherwise, middle, after),
        )
        return (
            f"CASE WHEN {number} < {sql.number(float(partition.low[middle]))} THEN {halves[0]} ELSE"
            f" {halves[1]} END"
        )
    low, high = float(partition.low[first]), float(partition.high[first])
    above = [] if low == float("-inf") else [f"{number} >= {sql.number(low)}"]
    below = [f"{number} IS NOT NULL"] if high == float("inf") else [f"{number} < {sql.number(high)}"]
    return (
        f"CASE WHEN {' AND '.join(above + below)} THEN {sql.text(partition.labels[first])} ELSE"
        f" {otherwise} END"
    )


def as_number(level: str) -> float:
    """A number, or the second of a date, from its text."""
    import numpy as np

    try:
        return float(level)
    except ValueError:
        return float(np.datetime64(level.replace(" ", "T"), "s").astype(np.int64))
