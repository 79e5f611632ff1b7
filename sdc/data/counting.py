"""Counts each combination of values: DuckDB codes the rows into integers, and runs of them are counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.classes import Classed, ClassSizes, TargetCounts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from sdc.arrays import Array
    from sdc.data.table import Table
    from sdc.statistics.counts.runs import Runs


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
WORD = 2**62
BATCH = 2**24
MILLIONTHS = 1_000_000
MOST = 9e18


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
        # Nulls are dropped here: in SQL the condition would be pushed down to every row.
        listed = [
            table.arrow(_values(table, column, label)).drop_null()
            for table, label in zip(tables, labels, strict=True)
        ]
        pooled = pa.chunked_array(
            [chunk for each in listed for chunk in each.column("text").chunks], pa.string()
        ).unique()
        texts = pooled.take(pc.array_sort_indices(pooled))
        codes = [
            pc.add(pc.index_in(each.column("text"), value_set=texts).cast(pa.int64()), 1) for each in listed
        ]
        values = tuple(
            each.select(["x"]).append_column("code", code) for each, code in zip(listed, codes, strict=True)
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


@dataclass(frozen=True)
class Tally:
    """Each combination that occurs, in order, with its count in each table.

    The weights are summed over all tables.

    The codes of a combination are packed into as few words as hold them, the first column most significant.
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
        for word, places in zip(self.words, _packing(self.codings, len(self.counts)), strict=True):
            rest = word
            for place in reversed(places):
                rest, codes[:, place] = np.divmod(rest, self.codings[place].size)
        return codes - np.int32(1)

    def last_within(self) -> tuple[Array, Array]:
        """Where each combination of all columns but the last begins (and the end), and the last codes."""
        import numpy as np

        from sdc.statistics.counts.runs import run_starts

        rest, codes = np.divmod(self.words[-1], self.codings[-1].size)
        return np.append(run_starts([*self.words[:-1], rest]), codes.size), codes.astype(np.int32) - np.int32(
            1
        )


def class_sizes(table: Table, keys: Sequence[str]) -> ClassSizes:
    """Sizes of the classes on the keys of a table; a missing key is a value of its own."""
    import numpy as np

    compared = ", ".join(sql.comparable(f'"t".{sql.name(key)}', table.types[key]) for key in keys)
    grouped = f'SELECT count(*) AS "n" FROM {sql.name(table.name)} AS "t" GROUP BY {compared or "()"}'
    rows = table.fetch(f'SELECT "n", count(*) FROM ({grouped}) WHERE "n" > 0 GROUP BY "n" ORDER BY "n"')
    size, classes = (np.array([row[place] for row in rows], dtype=np.int64) for place in (0, 1))
    return ClassSizes(size, classes, size * classes)


def target_counts(counted: Tally, *, wildcard: bool) -> TargetCounts:
    """The last coding within the classes of those before it, in the first table."""
    import numpy as np

    from sdc.statistics.counts.segments import sums
    from sdc.statistics.counts.wildcard import pooled_cells

    starts, target = counted.last_within()
    known = target >= 0
    offsets = np.concatenate([[0], np.cumsum(known)])[starts]
    target, count = target[known].astype(np.int64), counted.counts[0][known]
    records = sums(count, offsets)
    if wildcard:
        offsets, target, count = pooled_cells(counted.codes()[starts[:-1], :-1], offsets, target, count)
    return TargetCounts(offsets, target, counted.levels[-1], count, records)


def tally(tables: Sequence[Table], codings: Sequence[Coding], weight: str | None = None) -> Tally:
    """Count each combination of the coded columns in each table, and sum the weights, to the millionth.

    Sorting packed codes is faster than a group-by where most combinations are rare. Rows come by the batch,
    so that memory is needed for combinations, not for rows.
    """
    import numpy as np

    from sdc.statistics.counts.runs import merge_runs, run_starts, run_sums

    runs = merge_runs(list(_counted(tables, codings, weight)))
    last, side = np.divmod(runs.words[-1], len(tables))
    words = (*runs.words[:-1], last)
    starts = run_starts(words)
    counts = tuple(run_sums(np.where(side == place, runs.counts, 0), starts) for place in range(len(tables)))
    weights = None if runs.weights is None else run_sums(runs.weights, starts) / MILLIONTHS
    return Tally(tuple(codings), tuple(word[starts] for word in words), counts, weights)


def _counted(tables: Sequence[Table], codings: Sequence[Coding], weight: str | None) -> Iterator[Runs]:
    """The runs of each batch of rows, the number of the table as the last digit of the last word."""
    from sdc.statistics.counts.runs import count_runs

    queries = [
        (side, f"{_coded(table, codings, side, len(tables), weight)}{rows}")
        for side, table in enumerate(tables)
        for rows in _batches(table)
    ]
    if len(queries) == len(tables):
        queries = [(0, " UNION ALL ".join(query for _, query in queries))]
    held = {
        _held(place, side): values
        for place, coding in enumerate(codings)
        for side, values in enumerate(coding.values)
    }
    for side, query in queries:
        answer = tables[side].arrow(query, held)
        arrays = {name: answer.column(name).to_numpy() for name in answer.column_names}
        weights = arrays.pop("weight", None)
        if weights is not None and weights.sum(dtype=float) > MOST / len(queries):
            message = "the weights add up to more than can be summed exactly"
            raise OverflowError(message)
        yield count_runs(list(arrays.values()), weights=weights)


def _batches(table: Table) -> list[str]:
    """Conditions that cut a table into batches of rows.

    There is one batch where a column hides the numbers of the rows.
    """
    if table.rows <= BATCH or "rowid" in map(str.lower, table.columns):
        return [""]
    last = int(table.fetch(f"SELECT max(rowid) FROM {sql.name(table.name)}")[0][0])
    return [
        f' WHERE "t".rowid >= {start} AND "t".rowid < {start + BATCH}' for start in range(0, last + 1, BATCH)
    ]


def _coded(table: Table, codings: Sequence[Coding], side: int, sides: int, weight: str | None) -> str:
    """The rows of a table with their codes packed."""
    chosen = []
    for places in _packing(codings, sides):
        packed = "CAST(0 AS BIGINT)"
        for place in places:
            packed = f"({packed}) * {codings[place].size} + {codings[place].code(place, side)}"
        chosen.append(packed)
    chosen[-1] = f"({chosen[-1]}) * {sides} + {side}"
    listed = [f'{word} AS "w{number}"' for number, word in enumerate(chosen)]
    if weight:
        listed.append(
            f'CAST(round(coalesce(CAST("t".{sql.name(weight)} AS DOUBLE), 0) * {MILLIONTHS}) AS BIGINT) AS'
            ' "weight"'
        )
    joins = "".join(
        f' LEFT JOIN {_held(place, side)} AS "d{place}" ON {_joined_on(table, coding.column)} ='
        f' "d{place}"."x"'
        for place, coding in enumerate(codings)
        if isinstance(coding.column, str)
    )
    return f'SELECT {", ".join(listed)} FROM {sql.name(table.name)} AS "t"{joins}'


def _packing(codings: Sequence[Coding], sides: int) -> list[list[int]]:
    """Which columns share a word, so that no word overflows."""
    words: list[list[int]] = [[]]
    size = sides
    for place, coding in enumerate(codings):
        size *= coding.size
        if size > WORD and words[-1]:
            words.append([])
            size = sides * coding.size
        words[-1].append(place)
    return words


def _values(table: Table, column: str, label: str) -> str:
    """Every value of a column beside the text it counts as."""
    distinct = f"SELECT DISTINCT {sql.name(column)} FROM {sql.name(table.name)}"
    return (
        f'SELECT DISTINCT {_joined_on(table, column)} AS "x", CAST({label} AS VARCHAR) AS "text" FROM'
        f' ({distinct}) AS "t"'
    )


def _joined_on(table: Table, column: str) -> str:
    """A column as rows are joined with their codes.

    It is the column itself where Arrow holds its type without loss, else its text.
    """
    quoted, held = f'"t".{sql.name(column)}', table.types[column]
    return quoted if held in JOINED_AS_HELD else sql.as_text(quoted, held)


def _held(place: int, side: int) -> str:
    return f"values_{place}_{side}"
