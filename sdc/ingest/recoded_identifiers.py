"""Finds released columns whose values stand for those of an identifier, however they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc.data import own_values
from sdc.statistics.counts.coverage import TINY

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

    from sdc.arrays import Array
    from sdc.ingest.staging import Staged, StagedColumn


NEARLY = 0.9
FURTHER = 0.02
"""A column can tell an identifier where so many records have a value that another has before them."""
SAME_ORDER = 0.999
ENOUGH = 200_000
"""Records enough to see whether one column tells another."""


def recoded_values(
    cursor: duckdb.DuckDBPyConnection,
    staged: Staged,
    identifier: StagedColumn,
    column: StagedColumn,
    counts: Mapping[str, tuple[Array, Array]],
) -> Array | None:
    """The values of a column that stand for those of the identifier; none where they do not."""
    held = counts[column.name]
    # What half of the records have of an identifier is no identity.
    identifies = 2 * int(counts[identifier.name][1].max()) < staged.rows
    if (identifies and _tells(cursor, staged, identifier, column, held)) or _keeps_order(
        cursor, staged, identifier, column, held[0].size
    ):
        told: Array = held[0][_uncommon(held)]
        return told
    return None


def _uncommon(counts: tuple[Array, Array]) -> Array:
    """Which values of a column are no common answers."""
    of_each = counts[1]
    uncommon: Array = of_each <= own_values.most_uncommon(of_each.sum())
    return uncommon


def _tells(
    cursor: duckdb.DuckDBPyConnection,
    staged: Staged,
    identifier: StagedColumn,
    column: StagedColumn,
    counts: tuple[Array, Array],
) -> bool:
    """Does a value of the column tell the identifier, however it is written.

    Of two records that share it, is one the other's?

    Counted are the records beyond the first of each value, common answers apart, whose identifier is the most
    frequent one of their value. Where hardly any two records share a value this says nothing. A share of the
    values will do in a large file.
    """
    of_each = counts[1][_uncommon(counts)]
    further = int((of_each - 1).sum())
    if further <= max(TINY, FURTHER * staged.rows) or of_each.size <= TINY:
        return False
    one, other = identifier.value, column.value
    part = max(1, staged.rows // ENOUGH)
    some = f"(SELECT * FROM {staged.table} WHERE hash({other}) % {part} = 0)"
    right, beyond = first_row(
        cursor, own_values.told(other, one, some, own_values.most_uncommon(float(counts[1].sum())))
    )
    return bool(beyond > TINY and right > NEARLY * beyond)


def _keeps_order(
    cursor: duckdb.DuckDBPyConnection,
    staged: Staged,
    identifier: StagedColumn,
    column: StagedColumn,
    values: int,
) -> bool:
    """Do two columns of numbers, of which nearly every record has its own, rise or fall together?"""
    one, other = (f"TRY_CAST({each.value} AS DOUBLE)" for each in (identifier, column))
    if not staged.rows >= values > NEARLY * staged.rows > TINY:
        return False
    ranks = (
        f'SELECT rank() OVER (ORDER BY {one}) AS "a", rank() OVER (ORDER BY {other}) AS "b" FROM'
        f" {staged.table} WHERE {one} + {other} IS NOT NULL"
    )
    records, related = first_row(cursor, f'SELECT count(*), coalesce(corr("a", "b"), 0) FROM ({ranks})')
    return bool(2 * records > staged.rows and abs(related) > SAME_ORDER)


def first_row(cursor: duckdb.DuckDBPyConnection, query: str) -> tuple[Any, ...]:
    row: tuple[Any, ...] = cursor.execute(query).fetchall()[0]
    return row
