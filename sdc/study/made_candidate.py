"""A candidate that a study made: its tables in the database and the files they would leave as."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql

if TYPE_CHECKING:
    from sdc.catalogue.candidate import Candidate
    from sdc.data.warehouse import Warehouse


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
