"""VariableSummary statistics of the published table, as far as they are facts about a crowd.

Smallest and largest values are left out: they are those of single records, and descriptions of data often
reach more people than the data.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sdc.data import sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sdc.data.table import Table
    from sdc.publish.parts import BundlePart

LEAST = 10
"""No statistic is about fewer records than this, and no category is counted that fewer have."""


@dataclass(frozen=True)
class VariableSummary:
    """Of one variable: how many records have a value, its mean and deviation, counts of its categories."""

    valid: int
    invalid: int
    mean: float | None = None
    deviation: float | None = None
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def in_words(self) -> str:
        """All its numbers but counts, as a search for leaks reads them."""
        return " ".join(f"{value:.6g}" for value in (self.mean, self.deviation) if value is not None)


def summaries(
    table: Table, categories: Mapping[str, Iterable[str]], part: BundlePart
) -> dict[str, VariableSummary]:
    """One for each column of a part of the table; `categories` are those the description lists."""
    return {name: _summary(table, name, tuple(categories.get(name, ())), part) for name in part.columns}


def _summary(table: Table, column: str, categories: tuple[str, ...], part: BundlePart) -> VariableSummary:
    name, source = sql.name(column), part.selected(part.source)
    ((valid,),) = table.fetch(f"SELECT count({name}) FROM {source}")
    invalid = part.rows - valid
    if valid < LEAST:
        # So few values, or so few gaps, would be those of single persons.
        return VariableSummary(valid, invalid)
    if categories:
        found = dict(
            table.fetch(
                f"SELECT CAST({name} AS VARCHAR), count(*) FROM {source} WHERE {name} IS NOT NULL GROUP BY 1"
            )
        )
        small = min(found.values(), default=0) < LEAST
        counts = {} if small else {level: found[level] for level in categories}
        return VariableSummary(valid, invalid, counts=counts)
    if not table.is_numeric(column):
        return VariableSummary(valid, invalid)
    ((mean, deviation),) = table.fetch(
        f"SELECT avg(CAST({name} AS DOUBLE)), stddev_samp(CAST({name} AS DOUBLE)) FROM {source}"
    )
    return VariableSummary(valid, invalid, _rounded(mean), _rounded(deviation))


def _rounded(value: float | None) -> float | None:
    """Six digits: what parallel sums add differently at another time is below them."""
    return None if value is None else float(f"{value:.6g}")
