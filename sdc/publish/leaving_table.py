"""The judged table as a writer sees it: its columns with labels, and its records in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sdc.data import sql
from sdc.data.roles import VariableType
from sdc.errors import CannotPublish

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import duckdb
    import pyarrow as pa

    from sdc.publish.bundle_plan import BundlePlan
    from sdc.publish.dictionary import VariableEntry
    from sdc.publish.splitting import StoredPart

WHOLE_CODE = "0|-?[1-9][0-9]{0,14}"
"""A code that is the same whether it is held as a text or as a float64."""
LARGEST_WHOLE = 10**15


class ColumnKind(StrEnum):
    """What a column is in a file that has few types."""

    WHOLE = "whole"
    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    TRUTH = "truth"


@dataclass(frozen=True)
class LeavingColumn:
    """One column: `words` are those for the codes that the published file has."""

    name: str
    kind: ColumnKind
    held: str
    label: str = ""
    level: str = "nominal"
    words: dict[str, str] = field(default_factory=dict)
    decimals: int | None = None
    longest: int = 0

    @property
    def value(self) -> str:
        """The value in SQL, as a file with few types has it."""
        name = sql.name(self.name)
        if self.kind is ColumnKind.TEXT:
            return f"CAST({name} AS VARCHAR)"
        if self.kind is ColumnKind.DATE:
            return name
        if self.kind is ColumnKind.WHOLE and self.held.startswith(("VARCHAR", "ENUM")):
            return f"CAST(CAST({name} AS VARCHAR) AS BIGINT)"
        return (
            f"CAST({name} AS {'BIGINT' if self.kind in (ColumnKind.WHOLE, ColumnKind.TRUTH) else 'DOUBLE'})"
        )

    def restored(self, held: str) -> str:
        """A value read back from a file as one of the judged table, in SQL; NULL where it cannot be one."""
        name = sql.name(self.name)
        if self.held.startswith(("VARCHAR", "ENUM")):
            number = held.startswith(("DOUBLE", "FLOAT"))
            whole = f"CAST(CASE WHEN {name} = trunc({name}) THEN TRY_CAST({name} AS BIGINT) END AS VARCHAR)"
            return whole if number else f"nullif(CAST({name} AS VARCHAR), '')"
        if self.held == "BOOLEAN":
            return f"CASE {name} WHEN 1 THEN true WHEN 0 THEN false END"
        if held == "VARCHAR":
            return f"TRY_CAST(nullif({name}, '') AS {self.held})"
        if self.kind is ColumnKind.WHOLE:
            return f"CASE WHEN {name} = trunc({name}) THEN TRY_CAST({name} AS {self.held}) END"
        return f"TRY_CAST({name} AS {self.held})"

    @property
    def judged(self) -> str:
        """The judged value in SQL, as far as a file of few types can tell: no text is a missing text."""
        name = sql.name(self.name)
        return f"nullif(CAST({name} AS VARCHAR), '')" if self.held.startswith(("VARCHAR", "ENUM")) else name


@dataclass(frozen=True)
class LeavingTable:
    """The judged table or a part of it, by the file it is stored in. `reader` sees nothing else."""

    plan: BundlePlan
    reader: duckdb.DuckDBPyConnection
    entries: Sequence[VariableEntry]
    stored: StoredPart

    @property
    def relation(self) -> str:
        return self.stored.relation

    @property
    def rows(self) -> int:
        return self.stored.part.rows

    @property
    def name(self) -> str:
        return self.stored.part.name or self.plan.profile.name

    @cached_property
    def columns(self) -> tuple[LeavingColumn, ...]:
        return tuple(map(self._column, self.entries))

    def _column(self, entry: VariableEntry) -> LeavingColumn:
        held, plan = self.plan.types[entry.name], self.plan.variables[entry.name]
        kind, longest = self._kind(entry.name, held)
        level = {VariableType.NUMERIC: "scale", VariableType.DATE: "scale", VariableType.ORDINAL: "ordinal"}
        decimals = 0 if kind is ColumnKind.WHOLE else plan.decimals
        said = level.get(self.plan.type_of(entry.name), "nominal")
        return LeavingColumn(entry.name, kind, held, entry.label, said, entry.values, decimals, longest)

    def _kind(self, column: str, held: str) -> tuple[ColumnKind, int]:
        """What a column is, and the bytes of its longest text."""
        if held.startswith(("DOUBLE", "FLOAT")):
            return ColumnKind.NUMBER, 0
        if held in ("DATE", "BOOLEAN"):
            return (ColumnKind.DATE if held == "DATE" else ColumnKind.TRUTH), 0
        value = f"CAST({sql.name(column)} AS VARCHAR)"
        whole, longest = self._one(
            f"SELECT bool_and(regexp_full_match({value}, '{WHOLE_CODE}')), max(strlen({value}))"
            f" FROM {self.relation}"
        )
        is_whole = bool(whole) and not held.startswith("TIMESTAMP")
        if is_whole or (whole is None and not held.startswith(("VARCHAR", "ENUM", "TIMESTAMP"))):
            return ColumnKind.WHOLE, 0
        return ColumnKind.TEXT, int(longest or 0)

    def _one(self, query: str) -> tuple[Any, ...]:
        return self.reader.execute(query).fetchone() or (None, None)

    def arrow(self) -> pa.Table:
        """All records, each column as its kind says: int64, float64, text or date."""
        chosen = ", ".join(f"{column.value} AS {sql.name(column.name)}" for column in self.columns)
        return self.reader.sql(f"SELECT {chosen} FROM {self.relation}").to_arrow_table()

    def fail(self, place: Path, problem: str) -> CannotPublish:
        return CannotPublish(place.parent.parent, f"{place.name} {problem}")


def cut(text: str, most: int | None) -> str:
    """A label as far as a format has room for it, in bytes of UTF-8."""
    if most is None or len(text.encode()) <= most:
        return text
    return text.encode()[:most].decode(errors="ignore").rstrip()
