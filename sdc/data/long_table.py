"""A table too long for memory: its columns are read, changed and kept a part of the records at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from sdc.data import sql
from sdc.data.long_column import LongColumn, MadeColumn, NumberedColumn, OriginalColumn, as_stored, spans
from sdc.data.table import Table

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa

    from sdc.arrays import Array
    from sdc.data.database import Database
    from sdc.data.roles import Roles

LONG = 2**22
"""A table with more records is not loaded where it can be worked on in parts."""
Storing = Callable[[], AbstractContextManager[None]]
Change = Callable[["pd.DataFrame"], Mapping[str, Any]]
"""The new values of some columns, from the columns of a part of the records."""


class Scratch:
    """Tables of the database that are needed only while a candidate is made.

    They are written within `storing`, which says what a full disk is.
    """

    def __init__(self, database: Database, name: str, storing: Storing) -> None:
        self.database, self._name, self.storing = database, name, storing
        self._tables: list[str] = []
        self._begun: set[str] = set()

    def new(self) -> str:
        """The name of a further table."""
        self._tables.append(f"making_{self._name}_{len(self._tables) + 1}")
        return self._tables[-1]

    def append(self, table: str, rows: pa.Table) -> None:
        """Puts rows behind those that were put there before; the first ones make the table anew."""
        cursor = self.database.cursor()
        cursor.register("further", rows)
        try:
            if table in self._begun:
                self.write(f"INSERT INTO {sql.name(table)} SELECT * FROM further")
            else:
                self.write(f"CREATE OR REPLACE TABLE {sql.name(table)} AS SELECT * FROM further")
                self._begun.add(table)
        finally:
            cursor.unregister("further")

    def write(self, query: str) -> None:
        with self.storing():
            self.database.cursor().execute(query)

    def drop(self) -> None:
        """Removes what can be removed: a making that failed is told, and not what follows from it."""
        import duckdb

        for table in self._tables:
            with suppress(duckdb.Error):
                self.database.cursor().execute(f"DROP TABLE IF EXISTS {sql.name(table)}")


class LongTable:
    """Columns of equal length, none of them in memory: as the original holds them, or as steps made them."""

    def __init__(self, scratch: Scratch, held: Mapping[str, LongColumn], rows: int) -> None:
        self.scratch, self.held, self.rows = scratch, dict(held), rows

    @classmethod
    @contextmanager
    def of(
        cls,
        original: Table,
        names: Iterable[str],
        roles: Roles,
        candidate: str,
        storing: Storing = nullcontext,
    ) -> Iterator[Self]:
        """Columns of the original; what is made of them is gone afterwards."""
        scratch = Scratch(original.database, candidate, storing)
        try:
            yield cls(scratch, {name: OriginalColumn(original, name, roles) for name in names}, original.rows)
        finally:
            scratch.drop()

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.held)

    def __len__(self) -> int:
        return self.rows

    def kind(self, name: str) -> pd.Series:
        """A column without its records: its type and categories."""
        return self.held[name].kind

    def spans(self) -> list[tuple[int, int]]:
        """The first record of each part, and the one behind its last."""
        return spans(0, self.rows)

    def parts(self, names: Sequence[str]) -> Iterator[pd.DataFrame]:
        """Some columns, a part of the records at a time, in order."""
        for first, last in self.spans():
            yield self._frame(names, first, last)

    def frame(self, names: Sequence[str]) -> pd.DataFrame:
        """Some columns of all records, in memory."""
        return self._frame(names, 0, self.rows)

    def rewritten(self, earlier: LongTable) -> list[str]:
        """The columns that are no longer those of an earlier state of this table."""
        return [name for name, held in self.held.items() if held is not earlier.held[name]]

    def _frame(self, names: Sequence[str], first: int, last: int) -> pd.DataFrame:
        import pandas as pd

        made = {name: self.held[name].values(first, last) for name in names}
        return pd.DataFrame(made, index=pd.RangeIndex(last - first))

    def changed(self, names: Sequence[str], change: Change, *, whole: bool = False) -> LongTable:
        """The same with some columns changed, from values of the columns named.

        The change sees the parts in order; all records at once where it needs the `whole` column.
        """
        made: dict[str, MadeColumn] = {}
        for part in [self.frame(names)] if whole else self.parts(names):
            for name, values in change(part).items():
                if name not in made:
                    made[name] = self._begun(values)
                self.scratch.append(made[name].table, _one_column(values))
        return self._with(made)

    def assigned(self, frame: pd.DataFrame) -> LongTable:
        """The same with the columns of a frame."""
        made = {}
        for name in frame.columns:
            made[str(name)] = self._begun(frame[name])
            for first, last in self.spans():
                self.scratch.append(made[str(name)].table, _one_column(frame[name].iloc[first:last]))
        return self._with(made)

    def chosen(self, records: Array) -> LongTable:
        """The records whose places are given, in ascending order."""
        # Columns that were chosen from together share the places of their records.
        composed: dict[int, Array] = {}
        for held in self.held.values():
            if id(held.kept) not in composed:
                composed[id(held.kept)] = records if held.kept is None else held.kept[records]
        fewer = {name: held.choosing(composed[id(held.kept)]) for name, held in self.held.items()}
        return LongTable(self.scratch, fewer, len(records))

    def numbered_anew(self, name: str, rng: np.random.Generator) -> LongTable:
        """The same with new random numbers from 1 on for the values of a column, in the order of the values.

        Equal values get equal numbers; a missing one stays missing. The database finds and joins the values.
        """
        import pyarrow as pa

        database, write = self.scratch.database, self.scratch.write
        values, known, numbers, made = (self.scratch.new() for _ in range(4))
        for first, last in self.spans():
            self.scratch.append(values, pa.table({"x": self.held[name].comparable(first, last)}))
        write(
            f'CREATE OR REPLACE TABLE {sql.name(known)} AS SELECT DISTINCT "x" FROM {sql.name(values)}'
            ' WHERE "x" IS NOT NULL ORDER BY 1'
        )
        count = database.table(known).rows
        self.scratch.append(numbers, pa.table({"number": pa.array(rng.permutation(count) + 1)}))
        write(
            f'CREATE OR REPLACE TABLE {sql.name(made)} AS SELECT "n"."number" AS "x" FROM'
            f' (SELECT "x", rowid AS "place" FROM {sql.name(values)}) AS "s"'
            f' LEFT JOIN (SELECT "k"."x", "m"."number" FROM {sql.name(known)} AS "k"'
            f' POSITIONAL JOIN {sql.name(numbers)} AS "m") AS "n" ON "s"."x" = "n"."x" ORDER BY "s"."place"'
        )
        return self._with({name: NumberedColumn(database, made, '"x"')})

    def _begun(self, values: Any) -> MadeColumn:
        import pandas as pd

        return MadeColumn(self.scratch.database, self.scratch.new(), pd.Series(values[:0]))

    def _with(self, made: Mapping[str, LongColumn]) -> LongTable:
        for name, held in made.items():
            if self.scratch.database.table(held.table).rows != self.rows:
                message = f"{name} was not made for as many records as there are"
                raise RuntimeError(message)
        return LongTable(self.scratch, {**self.held, **made}, self.rows)


AnyTable: TypeAlias = "pd.DataFrame | LongTable"


def _one_column(values: Any) -> pa.Table:
    import pyarrow as pa

    return pa.table({"x": as_stored(values)})


def can_be_long(table: Table) -> bool:
    """Whether a table has too many records to load, and its records can be reached by their numbers."""
    if table.rows <= LONG or "rowid" in map(str.lower, table.columns):
        return False
    ((last,),) = table.fetch(f"SELECT max(rowid) FROM {sql.name(table.name)}")
    return bool(last == table.rows - 1)
