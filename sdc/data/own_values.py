"""SQL that finds values which belong to one person or one household alone."""

from __future__ import annotations

FEW = 3
"""A value that so many records have is no crowd's, however small the file is."""
CROWD = 0.05
"""A value that more than this share of the records has is a common answer (none, zero).

It is no one's, and says nothing of the others.
"""


def counts(value: str, relation: str, home: str = "") -> str:
    """A query: how many values have one holder, how many have two, how many holders there are in all.

    Common answers are skipped. Holders are records; where `home` is the household number, those of one
    household are one.
    """
    held = 'sum("holders") FILTER (WHERE NOT "common")'
    counted = ", ".join(f'count(*) FILTER (WHERE "holders" = {number} AND NOT "common")' for number in (1, 2))
    return f"SELECT {counted}, coalesce({held}, 0)::BIGINT FROM ({_values(value, relation, home)})"


def of_one(value: str, relation: str, home: str = "") -> str:
    """A query for the values that have one holder."""
    return f'SELECT "value" FROM ({_values(value, relation, home)}) WHERE "holders" = 1 AND NOT "common"'


def common(value: str, relation: str) -> str:
    """A query for the common answers."""
    return f'SELECT "value" FROM ({_values(value, relation, "")}) WHERE "common"'


def is_common(records: str) -> str:
    """Whether a value is common; a column of the query counts its records."""
    return f'("{records}" > greatest({FEW}, {CROWD} * sum("{records}") OVER ()))'


def most_uncommon(records: float) -> float:
    """How many of so many records may have a value that is no common answer."""
    return max(FEW, CROWD * records)


def told(column: str, other: str, relation: str, most: float | None = None) -> str:
    """A query that counts how well the values of a column determine another column.

    For the records beyond the first of each value, it counts how many have the most frequent other value
    there, and how many records there are.

    Only the grouping counts, whatever the values are. Values of more than `most` records are skipped.
    """
    read = f'SELECT {column} AS "by", {other} AS "of" FROM {relation}'
    pairs = (
        f'SELECT "by", "of", count(*) AS "records" FROM ({read}) WHERE "by" IS NOT NULL AND "of" IS NOT NULL'
        ' GROUP BY "by", "of"'
    )
    few = "" if most is None else f' HAVING sum("records") <= {most}'
    levels = f'SELECT max("records") AS "right", sum("records") AS "all" FROM ({pairs}) GROUP BY "by"{few}'
    return f'SELECT coalesce(sum("right" - 1), 0), coalesce(sum("all" - 1), 0) FROM ({levels})'


def _values(value: str, relation: str, home: str) -> str:
    # The inner query names its own columns, so that no column of the relation is taken for one of them.
    holders = 'count(DISTINCT "home") + count(*) FILTER (WHERE "home" IS NULL)' if home else "count(*)"
    read = f'SELECT {value} AS "value", {home or "NULL"} AS "home" FROM {relation}'
    grouped = (
        f'SELECT "value", {holders} AS "holders", count(*) AS "records" FROM ({read}) WHERE "value" IS NOT'
        ' NULL GROUP BY "value"'
    )
    return f'SELECT "value", "holders", {is_common("records")} AS "common" FROM ({grouped})'
