"""Finds variables that say how many members a household has: who counts the records knows it anyway."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from sdc.data import sql

if TYPE_CHECKING:
    import pyarrow as pa

    from sdc.data.table import Table

CROWD = 3
"""The k of a draft."""
NEARLY_ALL = 0.99
"""The share of records for which it must be so: a file may end within a household."""


def members(persons: Table, household: str) -> pa.Table:
    """How many records each household has."""
    return persons.arrow(
        f'SELECT {persons.text(household)} AS "home", count(*) AS "members" FROM {sql.name(persons.name)}'
        f" WHERE {sql.name(household)} IS NOT NULL GROUP BY 1"
    )


def sizes_of_households(
    table: Table, household: str, columns: Collection[str], counted: pa.Table, least: int
) -> frozenset[str]:
    """Columns that hold the number of members where they hold anything.

    None where some number of members is that of fewer than `least` records: they must be hidden somehow.
    """
    by_size = 'SELECT "members", sum("members") AS "n" FROM "counted" GROUP BY "members"'
    query = f'SELECT min("n") AS "n", max("members") AS "most" FROM ({by_size})'
    smallest, most = table.arrow(query, {"counted": counted}).to_pylist()[0].values()
    if not columns or (most or 0) < 2 or smallest < least:
        return frozenset()
    right = ", ".join(
        f'avg(CAST(TRY_CAST("t".{sql.name(column)} AS DOUBLE) IS NOT DISTINCT FROM "c"."members" AS INTEGER))'
        f' FILTER (WHERE "t".{sql.name(column)} IS NOT NULL) AS "s{place}"'
        for place, column in enumerate(columns)
    )
    text = table.text(household)
    shares = table.arrow(
        f'SELECT {right} FROM (SELECT *, {text} AS "number of home" FROM {sql.name(table.name)}) AS "t"'
        ' JOIN "counted" AS "c" ON "t"."number of home" = "c"."home"',
        {"counted": counted},
    ).to_pylist()[0]
    return frozenset(
        column
        for column, share in zip(columns, shares.values(), strict=True)
        if share is not None and share >= NEARLY_ALL
    )
