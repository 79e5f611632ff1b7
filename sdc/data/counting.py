"""Counts each combination of values: DuckDB codes the rows into integers, and runs of them are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.classes import ClassSizes, TargetCounts
from sdc.data.coding import Coding, joined_on
from sdc.data.question import PART, WEIGHT, Question, merged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sdc.arrays import Array
    from sdc.data.table import Table


WORD = 2**62
MILLIONTHS = 1_000_000


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

    Sorting packed codes is faster than a group-by where most combinations are rare. Every part of a table
    counts for itself, so that memory is needed for combinations, not for rows.
    """
    import numpy as np

    from sdc.statistics.counts.runs import run_starts, run_sums

    runs = merged(
        [
            answer
            for side, table in enumerate(tables)
            for answer in table.ask(_combinations(table, codings, side, len(tables), weight))
        ]
    )
    last, side = np.divmod(runs.words[-1], len(tables))
    words = (*runs.words[:-1], last)
    starts = run_starts(words)
    counts = tuple(run_sums(np.where(side == place, runs.counts, 0), starts) for place in range(len(tables)))
    weights = None if runs.weights is None else run_sums(runs.weights, starts) / MILLIONTHS
    return Tally(tuple(codings), tuple(word[starts] for word in words), counts, weights)


def tally_of_codes(columns: Mapping[str, tuple[Array, Sequence[str]]]) -> Tally:
    """The same for columns of one table that are coded already: -1 where missing, on texts in byte order."""
    import numpy as np
    import pyarrow as pa

    from sdc.statistics.counts.runs import count_runs

    codings = tuple(Coding(name, pa.array(texts, pa.string())) for name, (_, texts) in columns.items())
    codes = [held for held, _ in columns.values()]
    words = []
    for places in _packing(codings, 1):
        word = np.zeros(codes[0].size, dtype=np.int64)
        for place in places:
            word = word * codings[place].size + codes[place] + 1
        words.append(word)
    runs = count_runs(words)
    return Tally(codings, runs.words, (runs.counts,))


def _combinations(
    table: Table, codings: Sequence[Coding], side: int, sides: int, weight: str | None
) -> Question:
    """How often each combination of codes occurs; codes are packed, the number of the table is the last."""
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
            f" {sql.name(WEIGHT)}"
        )
    given, joins = {}, ""
    for place, coding in enumerate(codings):
        if isinstance(coding.column, str):
            given[f"values_{place}"] = coding.values[side]
            joins += (
                f' LEFT JOIN "values_{place}" AS "d{place}" ON {joined_on(table, coding.column)} ='
                f' "d{place}"."x"'
            )
    return Question(f'SELECT {", ".join(listed)} FROM {PART} AS "t"{joins}', counted=True, given=given)


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
