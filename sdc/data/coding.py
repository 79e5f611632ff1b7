"""The values of a column as whole numbers: what each number stands for, and its SQL."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.classes import Classed
from sdc.data.question import PART, Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from sdc.data.database import Database
    from sdc.data.table import Table


JOINED_AS_HELD = (
    "VARCHAR",
    "BOOLEAN",
    "DATE",
    "DOUBLE",
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
)


@dataclass(frozen=True)
class Coding:
    """A column, or its classes, as whole numbers from 1 on, 0 where missing.

    `texts` are what the numbers stand for, in byte order. `values` has for each table the values it holds
    beside their codes; a classed column needs none.
    """

    column: str | Classed
    listed: pa.Array
    values: tuple[pa.Table, ...] = ()

    @property
    def size(self) -> int:
        return len(self.listed) + 1

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(self.listed.to_pylist())

    @classmethod
    def of(cls, column: str | Classed, tables: Sequence[Table], labels: Sequence[str]) -> Coding:
        """The values of a column, numbered together for both tables.

        `labels` is, for each table, the SQL of the text that a value counts as.

        Values that count as the same text have the same code, whatever their types.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        if isinstance(column, Classed):
            beyond = 0 if column.limits is None else len(tables)
            return cls(column, pa.array([f"{place:05d}" for place in range(len(column.edges) + 1 + beyond)]))
        answers = [
            [*table.ask(_values(table, column, label))] for table, label in zip(tables, labels, strict=True)
        ]
        # Nulls are dropped here: in SQL the condition would be pushed down to every row.
        listed = [pa.concat_tables(parts).drop_null() for parts in answers]
        pooled = pa.chunked_array(
            [chunk for each in listed for chunk in each.column("text").chunks], pa.string()
        ).unique()
        texts = pooled.take(pc.array_sort_indices(pooled))
        codes = [
            pc.add(pc.index_in(each.column("text"), value_set=texts).cast(pa.int64()), 1) for each in listed
        ]
        coded = [
            each.select(["x"]).append_column("code", code) for each, code in zip(listed, codes, strict=True)
        ]
        values = tuple(
            _once(each, table.database) if len(parts) > 1 else each
            for each, table, parts in zip(coded, tables, answers, strict=True)
        )
        return cls(column, texts, values)

    def code(self, place: int, side: int) -> str:
        """The code in SQL of the column at this place, in the table of this number.

        A value in no class is like no value of another table.
        """
        if isinstance(self.column, str):
            return f'coalesce("d{place}"."code", 0)'
        number = f'CAST("t".{sql.name(self.column.name)} AS DOUBLE)'
        below = " ".join(
            f"WHEN {number} < {sql.number(edge)} THEN {rank}"
            for rank, edge in enumerate(self.column.edges, start=1)
        )
        last = len(self.column.edges) + 1
        limits = self.column.limits
        beyond = (
            f"WHEN {number} < {sql.number(limits[0])} OR {number} > {sql.number(limits[1])} THEN"
            f" {last + 1 + side} "
            if limits
            else ""
        )
        return f"CASE WHEN {number} IS NULL OR isnan({number}) THEN 0 {beyond}{below} ELSE {last} END"


def _values(table: Table, column: str, label: str) -> Question:
    """Every value of a column beside the text it counts as."""
    distinct = f"SELECT DISTINCT {sql.name(column)} FROM {PART}"
    return Question(
        f'SELECT DISTINCT {joined_on(table, column)} AS "x", CAST({label} AS VARCHAR) AS "text" FROM'
        f' ({distinct}) AS "t"'
    )


def _once(values: pa.Table, database: Database) -> pa.Table:
    """Each value once, though several parts of a table hold it."""
    return database.arrow('SELECT "x", min("code") AS "code" FROM held GROUP BY "x"', {"held": values})


def joined_on(table: Table, column: str) -> str:
    """A column as rows are joined with their codes.

    It is the column itself where Arrow holds its type without loss, else its text.
    """
    quoted, held = f'"t".{sql.name(column)}', table.types[column]
    return quoted if held in JOINED_AS_HELD else sql.as_text(quoted, held)
