"""One column of a table that is too long for memory, read some records at a time."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from sdc.data import sql
from sdc.data.roles import VariableType
from sdc.data.table import ROWS_AT_ONCE, Table

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from sdc.arrays import Array
    from sdc.data.database import Database
    from sdc.data.roles import Roles

PART = ROWS_AT_ONCE
"""So many records are read at a time."""


def spans(begin: int, end: int) -> list[tuple[int, int]]:
    """The first record of each part, and the one behind its last."""
    return [(first, min(first + PART, end)) for first in range(begin, end, PART)]


class LongColumn:
    """A column that the database holds, as an expression of SQL on one of its tables.

    `kept` are the places of the records it still has, in ascending order; all of them where it is None.
    """

    kept: Array | None = None

    def __init__(self, database: Database, table: str, value: str) -> None:
        self.database, self.table, self.value = database, table, value

    @cached_property
    def kind(self) -> pd.Series:
        """The column without its records: its type and categories."""
        raise NotImplementedError

    @property
    def labels(self) -> pa.Array:
        """The texts of its categories, in order."""
        import pyarrow as pa

        return pa.array(map(str, self.kind.cat.categories), pa.string())

    def let_go(self) -> None:
        """Forget the texts of the categories where they can be found again."""

    @property
    def is_category(self) -> bool:
        import pandas as pd

        return isinstance(self.kind.dtype, pd.CategoricalDtype)

    def codes(self, first: int, last: int) -> Array:
        """The place of each record's category, -1 where it is missing."""
        raise NotImplementedError

    def numbers(self, first: int, last: int) -> Array:
        """Numbers or moments of the records, NaN or NaT where missing."""
        held = self.stored(first, last)
        if self.kind.dtype.kind == "M":
            return np.asarray(held.to_pandas())
        filled = held.fill_null(np.nan) if held.null_count else held
        numbers: Array = filled.to_numpy(zero_copy_only=False)
        return numbers

    def values(self, first: int, last: int) -> Any:
        """The records from `first` to before `last`, as a column of a frame."""
        import pandas as pd

        if not self.is_category:
            return joined(self.numbers, first, last)
        return pd.Categorical.from_codes(joined(self.codes, first, last), dtype=self.kind.dtype)

    def stored(self, first: int, last: int) -> pa.Array:
        """The records in the form in which the database keeps them; no more than a part is read at a time."""
        import pyarrow as pa

        if self.kept is None:
            return self._fetched(first, last)
        places = self.kept[first:last]
        found = [self._fetched(0, 0)]
        for begin, end in spans(int(places[0]), int(places[-1]) + 1) if len(places) else ():
            mine = places[slice(*np.searchsorted(places, [begin, end]))]
            if len(mine):
                found.append(self._fetched(int(mine[0]), int(mine[-1]) + 1).take(mine - mine[0]))
        return pa.concat_arrays(found)

    def comparable(self, first: int, last: int) -> pa.Array:
        """Values that are equal where the column's are, in the same order; null where missing."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.is_category:
            codes = self.codes(first, last)
            return pa.array(codes, mask=codes < 0)
        held = self.stored(first, last)
        return pc.if_else(pc.is_nan(held), None, held) if self.kind.dtype.kind == "f" else held

    def choosing(self, kept: Array) -> Self:
        """The same with those records only that have these places in the database."""
        fewer = copy(self)
        fewer.kept = kept
        return fewer

    def _fetched(self, first: int, last: int) -> pa.Array:
        rows = f"{sql.name(self.table)} WHERE rowid >= {first} AND rowid < {last}"
        held = self.database.arrow(f'SELECT {self.value} AS "x" FROM {rows}', {}).column("x")
        return held.combine_chunks()


class OriginalColumn(LongColumn):
    """A column as the original holds it; categories are texts."""

    def __init__(self, original: Table, name: str, roles: Roles) -> None:
        self.order = roles[name].order if roles[name].type is VariableType.ORDINAL else ()
        self.is_number = roles[name].type is VariableType.NUMERIC and original.is_numeric(name)
        self.is_date = roles[name].type is VariableType.DATE and original.is_date(name)
        self._found: list[pa.Array] = []
        column = sql.name(name)
        held = f"CAST({column} AS TIMESTAMP)" if self.is_date else original.text(name)
        super().__init__(
            original.database, original.name, f"CAST({column} AS DOUBLE)" if self.is_number else held
        )

    @property
    def labels(self) -> pa.Array:
        """All categories of the original, in byte order or in the order that is declared for them.

        They are looked for once, also for columns with fewer records that were made of this one.
        """
        if not self._found:
            self._found.append(self._all_labels())
        return self._found[0]

    def let_go(self) -> None:
        self._found.clear()

    def _all_labels(self) -> pa.Array:
        import pyarrow as pa
        import pyarrow.compute as pc

        query = f'SELECT DISTINCT {self.value} AS "x" FROM {sql.name(self.table)}'
        found = self.database.arrow(query, {}).column("x").combine_chunks().drop_null().cast(pa.string())
        if self.order and len(found) <= len(self.order) and set(found.to_pylist()) <= set(self.order):
            return pa.array(self.order, pa.string())
        return found.take(pc.array_sort_indices(found))

    @cached_property
    def kind(self) -> pd.Series:
        import pandas as pd

        if self.is_number:
            return pd.Series(dtype=np.float64)
        if self.is_date:
            return pd.Series(dtype="datetime64[us]")
        levels = self.labels.to_pylist()
        return pd.Series(pd.Categorical([], levels, ordered=bool(levels) and levels == list(self.order)))

    @property
    def is_category(self) -> bool:
        return not self.is_number and not self.is_date

    def comparable(self, first: int, last: int) -> pa.Array:
        # Texts have the order of their bytes: no list of all of them is needed.
        is_text = self.is_category and not self.order
        return self.stored(first, last) if is_text else super().comparable(first, last)

    def codes(self, first: int, last: int) -> Array:
        import pyarrow.compute as pc

        coded = self.stored(first, last).dictionary_encode()
        place = pc.index_in(coded.dictionary, value_set=self.labels).to_numpy(zero_copy_only=False)
        indices = coded.indices.fill_null(len(place)).to_numpy(zero_copy_only=False)
        codes: Array = np.append(place, -1).astype(np.int32)[indices]
        return codes


class MadeColumn(LongColumn):
    """A column that a step made: numbers, moments, or codes of categories, -1 where missing."""

    def __init__(self, database: Database, table: str, kind: pd.Series) -> None:
        super().__init__(database, table, '"x"')
        self.kind = kind

    def codes(self, first: int, last: int) -> Array:
        codes: Array = self.stored(first, last).to_numpy(zero_copy_only=False)
        return codes


class NumberedColumn(LongColumn):
    """Random numbers from 1 on in the place of a column's values."""

    def numbers(self, first: int, last: int) -> Array:
        """The numbers of the records, 0 where missing."""
        numbers: Array = self.stored(first, last).fill_null(0).to_numpy(zero_copy_only=False)
        return numbers


def joined(read: Callable[[int, int], Array], first: int, last: int) -> Array:
    """Records of a column as one array, read in parts: texts of all of them are never held together."""
    every = np.empty(last - first, dtype=read(0, 0).dtype)
    for begin, end in spans(first, last):
        every[begin - first : end - first] = read(begin, end)
    return every


def as_stored(values: Any) -> pa.Array:
    """Values of a frame's column in the form in which the database keeps them."""
    import pandas as pd
    import pyarrow as pa

    if isinstance(values.dtype, pd.CategoricalDtype):
        return pa.array(getattr(values, "cat", values).codes)
    if values.dtype.kind == "M":
        return pa.array(pd.Series(values).array, pa.timestamp("us"), from_pandas=True)
    return pa.array(np.asarray(values))
