"""A table in parts that other machines hold: they count, and what is needed comes here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sdc.data.question import PART, Question
from sdc.data.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

    from sdc.data.database import Database


class SpreadTable(Table):
    """A table whose parts answer questions where they are.

    Whoever names it in a query of its own needs all of it here: then it is brought.
    """

    in_parts = True

    def __init__(
        self,
        database: Database,
        name: str,
        types: dict[str, str],
        rows: int,
        asked: Callable[[Question], Iterator[pa.Table]],
        brought: Callable[[], object],
    ) -> None:
        self._asked, self._brought, self._name = asked, brought, name
        super().__init__(database, name)
        self.types, self.rows = types, rows

    @property
    def name(self) -> str:
        """Its name in the database, where all of it is now."""
        self._brought()
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    def is_same(self, other: Table) -> bool:
        return other is self

    def ask(self, question: Question) -> Iterator[pa.Table]:
        return self._asked(question)

    def column(self, value: str) -> pa.ChunkedArray:
        """In the order of the rows, since parts answer in order; the other columns stay where they are."""
        import pyarrow as pa

        return pa.concat_tables(self.ask(_each_row(value))).column("x")

    def parts(self, value: str) -> Iterator[pa.Array]:
        for answer in self.ask(_each_row(value)):
            yield from answer.column("x").chunks


def _each_row(value: str) -> Question:
    return Question(f'SELECT {value} AS "x" FROM {PART}')
