"""A table held by DuckDB, as the library reads it: counts stay in the database, columns come out coded."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from sdc.data import sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd
    import pyarrow as pa

    from sdc.arrays import Array
    from sdc.data.database import Database
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


class Table:
    """A table by its name; its rows have the order in which they were written."""

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
        cursor = self.database.cursor()
        try:
            for name, rows in (given or {}).items():
                cursor.register(name, rows)
            return cursor.sql(query).to_arrow_table()
        finally:
            for name in given or {}:
                cursor.unregister(name)

    def numbers(self, column: str) -> Array:
        """A column as float64 in row order, NaN where missing."""
        import numpy as np

        query = f'SELECT CAST({sql.name(column)} AS DOUBLE) AS "x" FROM {sql.name(self.name)}'
        return np.ma.filled(self.database.cursor().execute(query).fetchnumpy()["x"], np.nan)

    def codes(self, column: str) -> tuple[Array, list[str]]:
        """A column as int32 codes in row order, -1 where missing, and their texts in byte order."""
        if self.types[column] in WHOLE_TYPES[:4]:
            return encode_whole(
                self.arrow(
                    f'SELECT CAST({sql.name(column)} AS BIGINT) AS "x" FROM {sql.name(self.name)}'
                ).column("x")
            )
        answer = self.arrow(f'SELECT {self.text(column)} AS "x" FROM {sql.name(self.name)}')
        return encode(answer.column("x"))

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
                answer = self.arrow(
                    f'SELECT CAST({sql.name(column)} AS TIMESTAMP) AS "x" FROM {sql.name(self.name)}'
                )
                made[column] = answer.column("x").to_pandas()
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


def encode_whole(column: pa.ChunkedArray) -> tuple[Array, list[str]]:
    """Whole numbers of an Arrow column as int32 codes in byte order of their texts, -1 where missing."""
    import numpy as np
    import pandas as pd

    missing = column.is_null().to_numpy() if column.null_count else None
    place, distinct = pd.factorize(column.fill_null(0).to_numpy() if column.null_count else column.to_numpy())
    texts = [str(value) for value in distinct.tolist()]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    ranks = np.empty(len(order), dtype=np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    if missing is None:
        return ranks[place], [texts[at] for at in order]
    codes = np.where(missing, np.int32(-1), ranks[place])
    # The number that stood in for missing ones may be no value of the column.
    return _gapless(codes, [texts[at] for at in order])


def _gapless(codes: Array, texts: list[str]) -> tuple[Array, list[str]]:
    import numpy as np

    held = np.bincount(codes[codes >= 0], minlength=len(texts)) > 0
    places = np.append(np.cumsum(held, dtype=np.int32) - np.int32(1), np.int32(-1))
    return places[codes], [text for text, kept in zip(texts, held.tolist(), strict=True) if kept]


def encode(column: pa.ChunkedArray) -> tuple[Array, list[str]]:
    """Texts of an Arrow column as int32 codes in byte order, -1 where missing."""
    import numpy as np
    import pyarrow.compute as pc

    encoded = column.combine_chunks().dictionary_encode()
    if hasattr(encoded, "combine_chunks"):
        encoded = encoded.combine_chunks()
    order = pc.array_sort_indices(encoded.dictionary)
    ranks = np.empty(len(order) + 1, dtype=np.int32)
    ranks[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
    ranks[-1] = -1
    positions = encoded.indices.fill_null(len(order)).to_numpy(zero_copy_only=False)
    return ranks[positions], encoded.dictionary.take(order).to_pylist()
