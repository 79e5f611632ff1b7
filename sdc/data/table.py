"""A table held by DuckDB, as the library reads it: counts stay in the database, columns come out coded."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from sdc.data import sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pandas as pd
    import pyarrow as pa

    from sdc.arrays import Array
    from sdc.data.database import Database
    from sdc.data.question import Question
    from sdc.data.roles import Roles

NUMERIC_TYPES = (
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL",
)
WHOLE_TYPES = NUMERIC_TYPES[:9]
BATCH = 2**24
"""So many rows answer a question at a time."""
ROWS_AT_ONCE = 2**20
"""So many rows of a column are read at a time."""


class Table:
    """A table by its name; its rows have the order in which they were written."""

    in_parts = False
    """Whether other machines hold it and count for this one."""

    def __init__(self, database: Database, name: str) -> None:
        self.database = database
        self.name = name

    @cached_property
    def types(self) -> dict[str, str]:
        """DuckDB's type of each column, in order."""
        described = self.database.cursor().execute(f"DESCRIBE {sql.name(self.name)}").fetchall()
        return {row[0]: row[1] for row in described}

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.types)

    def is_numeric(self, column: str) -> bool:
        return self.types[column].startswith(NUMERIC_TYPES)

    def is_date(self, column: str) -> bool:
        return self.types[column].startswith(("DATE", "TIMESTAMP"))

    def text(self, column: str) -> str:
        """A column as comparable text, in SQL."""
        return sql.as_text(sql.name(column), self.types[column])

    @cached_property
    def rows(self) -> int:
        return int(self.fetch(f"SELECT count(*) FROM {sql.name(self.name)}")[0][0])

    def fetch(self, query: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Rows of a query, for small answers."""
        rows: list[tuple[Any, ...]] = self.database.cursor().execute(query, list(parameters)).fetchall()
        return rows

    def arrow(self, query: str, given: Mapping[str, pa.Table] | None = None) -> pa.Table:
        """The answer of a query as Arrow, for large ones; `given` are further tables the query may name."""
        return self.database.arrow(query, given or {})

    def ask(self, question: Question) -> Iterator[pa.Table]:
        """The answer of each batch of rows, so that memory is needed for answers, not for rows."""
        for rows in self.batches(BATCH):
            yield question.answer(self.database, rows)

    def batches(self, size: int) -> list[str]:
        """Queries of so many rows each, in order; of all where a column hides the numbers of the rows."""
        every = f"SELECT * FROM {sql.name(self.name)}"
        if self.rows <= size or "rowid" in map(str.lower, self.columns):
            return [every]
        last = int(self.fetch(f"SELECT max(rowid) FROM {sql.name(self.name)}")[0][0])
        return [
            f"{every} WHERE rowid >= {start} AND rowid < {start + size}" for start in range(0, last + 1, size)
        ]

    def is_same(self, other: Table) -> bool:
        """Whether it is the same table of the same database."""
        return other is self or (self.database is other.database and self.name == other.name)

    def numbers(self, column: str) -> Array:
        """A column as float64 in row order, NaN where missing."""
        import numpy as np

        numbers, begin = np.empty(self.rows), 0
        for part in self.parts(f"CAST({sql.name(column)} AS DOUBLE)"):
            held = part.fill_null(np.nan) if part.null_count else part
            numbers[begin : begin + len(part)] = held.to_numpy(zero_copy_only=False)
            begin += len(part)
        return numbers

    def codes(self, column: str) -> tuple[Array, list[str]]:
        """A column as int32 codes in row order, -1 where missing, and their texts in byte order."""
        is_whole = self.types[column] in WHOLE_TYPES[:4]
        return encode(self.parts(f"CAST({sql.name(column)} AS BIGINT)" if is_whole else self.text(column)))

    def parts(self, value: str) -> Iterator[pa.Array]:
        """What an expression of SQL is in each row, in order, a part of the rows at a time."""
        query = f'SELECT {value} AS "x" FROM {sql.name(self.name)}'
        for rows in self.database.cursor().sql(query).to_arrow_reader(ROWS_AT_ONCE):
            yield rows.column(0)

    def column(self, value: str) -> pa.ChunkedArray:
        """What an expression of SQL is in each row, in order."""
        return self.arrow(f'SELECT {value} AS "x" FROM {sql.name(self.name)}').column("x")

    def frame(self, columns: Iterable[str], roles: Roles) -> pd.DataFrame:
        """Columns as pandas in row order: float64, datetime64, or categorical (ordered if ordinal).

        A column declared numeric or date that holds text here (a recoded one) comes as categorical.
        """
        import pandas as pd

        from sdc.data.roles import VariableType

        made: dict[str, Any] = {}
        for column in columns:
            kind = roles[column].type if column in roles else VariableType.CATEGORICAL
            if kind is VariableType.NUMERIC and self.is_numeric(column):
                made[column] = self.numbers(column)
            elif kind is VariableType.DATE and self.types[column].startswith(("DATE", "TIMESTAMP")):
                made[column] = self.column(f"CAST({sql.name(column)} AS TIMESTAMP)").to_pandas()
            else:
                codes, levels = self.codes(column)
                order = roles[column].order if column in roles else ()
                if kind is VariableType.ORDINAL and set(levels) <= set(order):
                    ordered = pd.CategoricalDtype(list(order), ordered=True)
                    made[column] = pd.Series(pd.Categorical.from_codes(codes, categories=levels)).astype(
                        ordered
                    )
                else:
                    made[column] = pd.Categorical.from_codes(codes, categories=levels)
        return pd.DataFrame(made, index=pd.RangeIndex(self.rows))


def in_normal_form(rows: pa.Table) -> pa.Table:
    """The same with its texts in Unicode's normal form NFC: what reads the same is the same."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, field in enumerate(rows.schema):
        column = rows.column(place)
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            texts = column.cast(kind)
            normal = pc.utf8_normalize(texts, form="NFC")
            rows = rows if normal.equals(texts) else rows.set_column(place, field.name, normal)
    return rows


def encode(parts: Iterable[pa.Array]) -> tuple[Array, list[str]]:
    """The values of a column, in parts, as int32 codes in byte order of their texts, -1 where missing."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    held = [part.dictionary_encode() for part in parts]
    if not held:
        return np.empty(0, dtype=np.int32), []
    encoded = pa.chunked_array(held).unify_dictionaries()
    del held
    texts = encoded.chunk(0).dictionary.cast(pa.string())
    order = pc.array_sort_indices(texts)
    ranks = np.empty(len(order) + 1, dtype=np.int32)
    ranks[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
    ranks[-1] = -1
    codes, begin = np.empty(len(encoded), dtype=np.int32), 0
    for chunk in encoded.chunks:
        places = chunk.indices.fill_null(len(order)).to_numpy(zero_copy_only=False)
        codes[begin : begin + len(chunk)] = ranks[places]
        begin += len(chunk)
    return codes, texts.take(order).to_pylist()
