"""A candidate of a study: the steps it is planned by, and what was made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.data import sql
from sdc.run import digest

if TYPE_CHECKING:
    from sdc.catalogue.candidate import Candidate
    from sdc.data.warehouse import Warehouse


@dataclass(frozen=True)
class PlannedSteps:
    """The name of a candidate and the steps that make it; without a name it is the original itself."""

    name: str = ""
    steps: tuple[Mapping[str, Any], ...] = ()

    @cached_property
    def key(self) -> str:
        """Tells candidates apart that have one name and other steps."""
        return digest.of_bytes(digest.canonical([self.name, list(self.steps)]))[:12] if self.name else ""


@dataclass(frozen=True)
class MadeCandidate:
    """A candidate that was made, the tables of its syntheses, and the files they would leave as."""

    candidate: Candidate
    tables: tuple[str, ...]
    files: tuple[Path, ...]

    @classmethod
    def set_apart(cls, made: Candidate, warehouse: Warehouse, key: str) -> MadeCandidate:
        """Tables and files under names of their own: another candidate may have the same name."""
        cursor, tables, files = warehouse.database.cursor(), [], []
        for number, (copy, table) in enumerate(zip(made.copies, made.tables, strict=True), start=1):
            apart = f"made_{key}_{number}"
            # Making it may have been cut short once, after its table had this name.
            cursor.execute(f"DROP TABLE IF EXISTS {sql.name(apart)}")
            cursor.execute(f"ALTER TABLE {sql.name(table)} RENAME TO {sql.name(apart)}")
            stored = warehouse.directory.stored(copy)
            files.append(stored.rename(stored.with_name(f"{apart}.parquet")))
            tables.append(apart)
        return cls(made, tuple(tables), tuple(files))

    def drop(self, warehouse: Warehouse) -> None:
        """Remove its tables and files."""
        for table in self.tables:
            warehouse.database.cursor().execute(f"DROP TABLE IF EXISTS {sql.name(table)}")
        for file in self.files:
            file.unlink(missing_ok=True)
