"""Classes, combinations, cells and crosstabs, counted in DuckDB by expressions over the columns of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc import sql
from sdc.classes import Cells, ClassSizes, Combinations, Crosstab, PairedSizes
from sdc.table import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import pyarrow as pa

    from sdc.table import Table

    Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Expression:
    """A value of a record, in SQL, and the type DuckDB holds it in."""

    sql: str
    held: str = "VARCHAR"


@dataclass(frozen=True)
class Counted:
    """A table, and the expressions its records are counted by."""

    table: Table
    expressions: tuple[Expression, ...]


def class_sizes(table: Table, keys: Sequence[str]) -> ClassSizes:
    import numpy as np

    grouped = f'SELECT count(*) AS "n" FROM {sql.name(table.name)} GROUP BY {sql.names(keys) or "()"}'
    rows = table.fetch(f'SELECT "n", count(*) FROM ({grouped}) WHERE "n" > 0 GROUP BY "n" ORDER BY "n"')
    size, classes = (np.array([row[place] for row in rows], dtype=np.int64) for place in (0, 1))
    return ClassSizes(size, classes, size * classes)


def paired_sizes(first: Counted, second: Counted) -> PairedSizes:
    """Sizes of the same classes in two tables; a missing value is a value of its own."""
    import numpy as np

    rows = first.table.fetch(f"""
        WITH cells AS ({_both(first, second)})
        SELECT CAST("o" AS BIGINT) AS "o", CAST("c" AS BIGINT) AS "c", count(*) AS "n" FROM cells GROUP BY ALL ORDER BY "o", "c" """)
    return PairedSizes(*(np.array([row[place] for row in rows], dtype=np.int64) for place in range(3)))


def combinations(counted: Counted, keys: tuple[str, ...], weight: str | None) -> Combinations:
    """Combinations that occur in a table, with records and (where a weight is named) sums of weights."""
    # A decimal sum does not depend on the order in which threads add.
    summed = f', CAST(sum(CAST({sql.name(weight)} AS DECIMAL(18, 6))) AS DOUBLE) AS "w"' if weight else ""
    named = ", ".join(f'{expression.sql} AS "k{place}"' for place, expression in enumerate(counted.expressions))
    source = f'SELECT {named}, count(*) AS "n"{summed} FROM {sql.name(counted.table.name)} GROUP BY ALL'
    answer = counted.table.arrow(f"SELECT {_texts(counted.expressions)}, * EXCLUDE ({_names(len(keys))}) FROM ({source})")
    codes, levels, order = _coded(answer, len(keys))
    count, weights = answer.column("n").to_numpy()[order], answer.column("w").to_numpy()[order] if weight else None
    return Combinations(keys, codes, levels, count, weights)


def cells(first: Counted, second: Counted, columns: tuple[str, ...]) -> Cells:
    """Cells that occur in either table, with both counts; a missing value is a cell of its own (code -1)."""
    answer = first.table.arrow(f"""
        WITH cells AS ({_both(first, second)})
        SELECT {_texts(first.expressions)}, CAST("o" AS BIGINT) AS "o", CAST("c" AS BIGINT) AS "c" FROM cells""")
    codes, levels, order = _coded(answer, len(columns))
    return Cells(columns, codes, levels, *(answer.column(side).to_numpy()[order] for side in ("o", "c")))


def crosstab(first: Counted, second: Counted) -> Crosstab:
    """The last expression within the classes of those before it, in both tables."""
    import numpy as np
    import pyarrow as pa

    last = len(first.expressions) - 1
    target = sql.as_text(f'"k{last}"', first.expressions[last].held)
    answer = first.table.arrow(f"""
        WITH cells AS ({_both(first, second)})
        SELECT list({{'t': {target}, 'o': CAST("o" AS BIGINT), 'c': CAST("c" AS BIGINT)}}) AS "class" FROM cells GROUP BY {_names(last) or "()"}""")
    classes = answer.column("class").combine_chunks()
    if len(classes) == 0 or not classes[0].is_valid:
        return Crosstab(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), (), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    offsets = np.asarray(classes.offsets.to_numpy(), dtype=np.int64)
    fields = classes.values.slice(offsets[0], offsets[-1] - offsets[0])
    codes, levels = encode(pa.chunked_array([fields.field("t")]))
    counts = (fields.field(side).to_numpy(zero_copy_only=False) for side in ("o", "c"))
    return Crosstab(offsets - offsets[0], codes, tuple(levels), *counts)


def _both(first: Counted, second: Counted) -> str:
    """Cells of two tables side by side: k0, k1, ... and the counts o of the first and c of the second."""
    keys = _names(len(first.expressions))
    halves = []
    for counted, ours in ((first, 'count(*) AS "o", 0 AS "c"'), (second, '0 AS "o", count(*) AS "c"')):
        named = ", ".join(f'{expression.sql} AS "k{place}"' for place, expression in enumerate(counted.expressions))
        halves.append(f"SELECT {named}, {ours} FROM {sql.name(counted.table.name)} GROUP BY ALL")
    return f'SELECT {keys}, sum("o") AS "o", sum("c") AS "c" FROM ({" UNION ALL ".join(halves)}) GROUP BY {keys}'


def _names(number: int) -> str:
    return ", ".join(f'"k{place}"' for place in range(number))


def _texts(expressions: Sequence[Expression]) -> str:
    names = [f'"k{place}"' for place in range(len(expressions))]
    return ", ".join(f"{sql.as_text(name, expression.held)} AS {name}" for name, expression in zip(names, expressions, strict=True))


def _coded(answer: pa.Table, number: int) -> tuple[Array, tuple[tuple[str, ...], ...], Array]:
    """The columns k0, k1, ... as codes in lexicographic order, their levels, and that order."""
    import numpy as np

    coded = [encode(answer.column(f"k{place}")) for place in range(number)]
    codes = np.column_stack([column for column, _ in coded])
    order = np.lexsort(codes.T[::-1])
    return codes[order], tuple(tuple(levels) for _, levels in coded), order
