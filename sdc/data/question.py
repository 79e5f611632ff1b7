"""A question that every part of a table can answer alone; the answers of all parts together answer it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from sdc.data.database import Database
    from sdc.statistics.counts.runs import Runs

PART = '"part"'
"""How a question names the rows it asks."""
COUNT, WEIGHT = "count", "weight"
MOST = 9e18
"""Whole numbers up to here are added exactly."""


@dataclass(frozen=True)
class Question:
    """A query on the rows of `PART`: its answer as it is, or how often each of its rows occurs.

    `given` are further tables the query names. Of rows that are counted, a column `weight` is summed.
    """

    query: str
    counted: bool = False
    given: Mapping[str, pa.Table] = field(default_factory=dict)

    def answer(self, database: Database, rows: str) -> pa.Table:
        """What the rows of this query say."""
        # Written into the query, the rows need no memory of their own.
        query = f"WITH {PART} AS NOT MATERIALIZED ({rows}) {self.query}"
        found = database.arrow(query, self.given)
        return _as_table(_runs(found)) if self.counted else found


def _runs(found: pa.Table) -> Runs:
    from sdc.statistics.counts.runs import count_runs

    arrays = {name: found.column(name).to_numpy() for name in found.column_names}
    weights = arrays.pop(WEIGHT, None)
    if weights is not None:
        require_exact(weights.sum(dtype=float))
    return count_runs(list(arrays.values()), weights=weights)


def require_exact(total: float) -> None:
    if total > MOST:
        message = "the weights add up to more than can be summed exactly"
        raise OverflowError(message)


def _as_table(runs: Runs) -> pa.Table:
    import pyarrow as pa

    columns = {f"w{place}": word for place, word in enumerate(runs.words)} | {COUNT: runs.counts}
    return pa.table(columns if runs.weights is None else {**columns, WEIGHT: runs.weights})


def merged(answers: list[pa.Table]) -> Runs:
    """The runs of all the rows together, from those of each part."""
    from sdc.statistics.counts.runs import Runs, merge_runs

    found = [{name: part.column(name).to_numpy() for name in part.column_names} for part in answers]
    counts = [part.pop(COUNT) for part in found]
    weights = [part.pop(WEIGHT, None) for part in found]
    require_exact(sum(each.sum(dtype=float) for each in weights if each is not None))
    return merge_runs(
        [
            Runs(tuple(part.values()), count, weight)
            for part, count, weight in zip(found, counts, weights, strict=True)
        ]
    )
