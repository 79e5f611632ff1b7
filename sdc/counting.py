"""How often does each combination of values occur? Counted in DuckDB, on codes packed into whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc import sql
from sdc.classes import Classed, ClassSizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pyarrow as pa

    from sdc.table import Table

    Array = np.ndarray[Any, Any]

JOINED_AS_HELD = ("VARCHAR", "BOOLEAN", "DATE", "DOUBLE", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
WORD = 2**62


@dataclass(frozen=True)
class Coding:
    """A column, or its classes, as whole numbers from 1 on, 0 where missing; `texts` are what they stand for, in byte order.

    `values` has for each table the values it holds beside their codes; a classed column needs none.
    """

    column: str | Classed
    texts: tuple[str, ...]
    values: tuple[pa.Table, ...] = ()

    @classmethod
    def of(cls, column: str | Classed, tables: Sequence[Table], labels: Sequence[str]) -> Coding:
        """The values of a column numbered together: `labels` says in SQL, for each table, as which text they count.

        Values that count as the same text have the same code, whatever their types.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        if isinstance(column, Classed):
            return cls(column, tuple(f"{place:05d}" for place in range(len(column.edges) + 1)))
        listed = [table.arrow(_values(table, column, label)) for table, label in zip(tables, labels, strict=True)]
        pooled = pa.chunked_array([chunk for each in listed for chunk in each.column("text").chunks], pa.string()).unique()
        texts = pooled.take(pc.array_sort_indices(pooled))
        codes = (pc.add(pc.index_in(each.column("text"), value_set=texts).cast(pa.int64()), 1) for each in listed)
        return cls(
            column, tuple(texts.to_pylist()), tuple(each.select(["x"]).append_column("code", code) for each, code in zip(listed, codes, strict=True))
        )

    def code(self, place: int) -> str:
        """The code in SQL, where the column is at this place."""
        if isinstance(self.column, str):
            return f'coalesce("d{place}"."code", 0)'
        number = f'CAST("t".{sql.name(self.column.name)} AS DOUBLE)'
        below = " ".join(f"WHEN {number} < {sql.number(edge)} THEN {rank}" for rank, edge in enumerate(self.column.edges, start=1))
        return f"CASE WHEN {number} IS NULL OR isnan({number}) THEN 0 {below} ELSE {len(self.column.edges) + 1} END"


@dataclass(frozen=True)
class Tally:
    """Counts of each combination that occurs, in the order of the codings: one array of counts for each table.

    The codes of a combination are packed into as few 62-bit words as hold them, the first column most significant.
    """

    codings: tuple[Coding, ...]
    words: tuple[Array, ...]
    counts: tuple[Array, ...]
    weights: Array | None = None

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        return tuple(coding.texts for coding in self.codings)

    def codes(self) -> Array:
        """A row for each combination, a column for each coding; -1 where missing."""
        import numpy as np

        codes = np.empty((self.counts[0].size, len(self.codings)), dtype=np.int32)
        for word, places in zip(self.words, _packing(self.codings), strict=True):
            rest = word
            for place in reversed(places):
                rest, codes[:, place] = np.divmod(rest, len(self.codings[place].texts) + 1)
        return codes - np.int32(1)

    def last_within(self) -> tuple[Array, Array]:
        """Where each combination of all columns but the last begins (and the end), and the codes of the last."""
        import numpy as np

        rest, codes = np.divmod(self.words[-1], len(self.codings[-1].texts) + 1)
        changes = np.zeros(max(codes.size - 1, 0), dtype=bool)
        for word in (*self.words[:-1], rest):
            changes |= word[1:] != word[:-1]
        starts = np.concatenate([[0], np.flatnonzero(changes) + 1, [codes.size]]) if codes.size else np.zeros(1)
        return starts.astype(np.int64), codes.astype(np.int32) - np.int32(1)


def class_sizes(table: Table, keys: Sequence[str]) -> ClassSizes:
    """Sizes of the classes on the keys of a table; a missing key is a value of its own."""
    import numpy as np

    compared = ", ".join(sql.comparable(f'"t".{sql.name(key)}', table.types[key]) for key in keys)
    grouped = f'SELECT count(*) AS "n" FROM {sql.name(table.name)} AS "t" GROUP BY {compared or "()"}'
    rows = table.fetch(f'SELECT "n", count(*) FROM ({grouped}) WHERE "n" > 0 GROUP BY "n" ORDER BY "n"')
    size, classes = (np.array([row[place] for row in rows], dtype=np.int64) for place in (0, 1))
    return ClassSizes(size, classes, size * classes)


def tally(tables: Sequence[Table], codings: Sequence[Coding], weight: str | None = None) -> Tally:
    """Count each combination of the coded columns in each of the tables, and sum the weights over all of them."""
    import numpy as np

    words = [f"w{place}" for place in range(len(_packing(codings)))]
    sides = [f"n{place}" for place in range(len(tables))]
    rows = " UNION ALL ".join(_coded(table, codings, side, weight) for side, table in enumerate(tables))
    counted = [f'count(*) FILTER (WHERE "side" = {place}) AS {sql.name(side)}' for place, side in enumerate(sides)]
    # A decimal sum does not depend on the order in which threads add.
    summed = ['CAST(sum(CAST("weight" AS DECIMAL(18, 6))) AS DOUBLE) AS "weight"'] if weight else []
    listed = ", ".join([*(sql.name(word) for word in words), *counted, *summed])
    held = {_held(place, side): values for place, coding in enumerate(codings) for side, values in enumerate(coding.values)}
    answer = tables[0].arrow(f"SELECT {listed} FROM ({rows}) GROUP BY {sql.names(words)}", held)
    arrays = {name: answer.column(name).to_numpy() for name in answer.column_names}
    order = np.lexsort([arrays[word] for word in reversed(words)]) if len(words) > 1 else np.argsort(arrays["w0"])
    ordered = {name: array[order] for name, array in arrays.items()}
    return Tally(tuple(codings), tuple(ordered[word] for word in words), tuple(ordered[side] for side in sides), ordered.get("weight"))


def _coded(table: Table, codings: Sequence[Coding], side: int, weight: str | None) -> str:
    """The rows of a table with their codes packed."""
    chosen = [f'{side} AS "side"', *([f'"t".{sql.name(weight)} AS "weight"'] if weight else [])]
    for number, places in enumerate(_packing(codings)):
        packed = "CAST(0 AS BIGINT)"
        for place in places:
            packed = f"({packed}) * {len(codings[place].texts) + 1} + {codings[place].code(place)}"
        chosen.append(f'{packed} AS "w{number}"')
    joins = "".join(
        f' LEFT JOIN {_held(place, side)} AS "d{place}" ON {_joined_on(table, coding.column)} = "d{place}"."x"'
        for place, coding in enumerate(codings)
        if isinstance(coding.column, str)
    )
    return f'SELECT {", ".join(chosen)} FROM {sql.name(table.name)} AS "t"{joins}'


def _packing(codings: Sequence[Coding]) -> list[list[int]]:
    """Which columns share a word, so that no word overflows."""
    words: list[list[int]] = [[]]
    size = 1
    for place, coding in enumerate(codings):
        size *= len(coding.texts) + 1
        if size > WORD and words[-1]:
            words.append([])
            size = len(coding.texts) + 1
        words[-1].append(place)
    return words


def _values(table: Table, column: str, label: str) -> str:
    """Every value of a column beside the text it counts as."""
    distinct = f"SELECT DISTINCT {sql.name(column)} FROM {sql.name(table.name)}"
    labelled = f'SELECT DISTINCT {_joined_on(table, column)} AS "x", CAST({label} AS VARCHAR) AS "text" FROM ({distinct}) AS "t"'
    return f'SELECT "x", "text" FROM ({labelled}) WHERE "x" IS NOT NULL AND "text" IS NOT NULL'


def _joined_on(table: Table, column: str) -> str:
    """A column as rows are joined with their codes: itself where Arrow holds its type without loss, else its text."""
    quoted, held = f'"t".{sql.name(column)}', table.types[column]
    return quoted if held in JOINED_AS_HELD else sql.as_text(quoted, held)


def _held(place: int, side: int) -> str:
    return f"values_{place}_{side}"
