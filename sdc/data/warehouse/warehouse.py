"""Keeps the tables of a run in one DuckDB file in the run's own directory."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sdc.data import sql
from sdc.data.database import Database
from sdc.data.warehouse import candidates, handle, records
from sdc.data.warehouse.handle import DatabaseLimits, NoLimits
from sdc.errors import WarehouseUnusable
from sdc.run import digest, durable
from sdc.run.directory import RunDirectory

if TYPE_CHECKING:
    from types import TracebackType

    from sdc.arrays import Array
    from sdc.catalogue.candidate import Candidate
    from sdc.catalogue.finding import Finding
    from sdc.catalogue.measurement import Assessment
    from sdc.data.long_table import AnyTable
    from sdc.data.roles import Roles
    from sdc.data.table import Table

KEY_VARIABLE = "SDC_WAREHOUSE_KEY"
"""With a value, no database of confidential records lies on a disk in the clear."""


class Warehouse:
    """The tables original, holdout, population, candidate_*, measurements and findings of one run.

    With a key the database and all it spills to disk are encrypted. Candidates are written beside it as the
    plain files that may be published, for their owner's eyes only.
    """

    def __init__(self, directory: RunDirectory, spill: Path, database: Database) -> None:
        self.directory, self.spill, self.database = directory, spill, database
        self._writing = threading.RLock()

    @classmethod
    def create(
        cls,
        run_directory: Path,
        *,
        limits: DatabaseLimits | None = None,
        key: str | None = None,
        readable: Sequence[Path] = (),
    ) -> Warehouse:
        """A new database in a run's directory; `readable` are the only files outside that it may read."""
        file = RunDirectory(run_directory).warehouse
        if file.exists():
            raise WarehouseUnusable(file, "there is one already")
        return cls._attached(run_directory, limits or NoLimits(), key, readable)

    @classmethod
    def open(
        cls,
        run_directory: Path,
        *,
        limits: DatabaseLimits | None = None,
        key: str | None = None,
        readable: Sequence[Path] = (),
    ) -> Warehouse:
        """The database an earlier process left."""
        file = RunDirectory(run_directory).warehouse
        if not file.exists():
            raise WarehouseUnusable(file, "there is none")
        return cls._attached(run_directory, limits or NoLimits(), key, readable)

    @classmethod
    def _attached(
        cls, run_directory: Path, limits: DatabaseLimits, key: str | None, readable: Sequence[Path]
    ) -> Warehouse:
        directory = RunDirectory(run_directory.resolve())
        spill = limits.spill.resolve() / directory.run if limits.spill else directory.spill
        with handle.storing(directory.path):
            directory.path.mkdir(mode=durable.PRIVATE_DIRECTORY, parents=True, exist_ok=True)
            directory.path.chmod(durable.PRIVATE_DIRECTORY)
            connection = handle.attach(directory.warehouse, spill, limits=limits, key=key, readable=readable)
            # Whoever holds the file now may remove what a killed process had spilled.
            shutil.rmtree(spill, ignore_errors=True)
            spill.mkdir(mode=durable.PRIVATE_DIRECTORY, parents=True)
            warehouse = cls(directory, spill, Database(connection, handle.CATALOGUE))
            records.make_tables(warehouse.database.cursor())
        return warehouse

    @contextmanager
    def storing(self) -> Iterator[None]:
        """Turns a full disk or too little memory into a sentence, for all that write tables."""
        with handle.storing(self.directory.path):
            yield

    def store_candidate(
        self,
        name: str,
        table: AnyTable,
        roles: Roles,
        order: Array,
        decimals: Mapping[str, int] | None = None,
        *,
        as_held: Sequence[str] = (),
    ) -> candidates.StoredTable:
        """A candidate as the file that may be published, and as table candidate_<name>, read back from it.

        Record j of the file is record `order[j]` of the table given, whose order the stored one has. Further
        syntheses of a candidate are stored as <name>_2, <name>_3, ... Numbers are rounded to their
        `decimals`. Variables in `as_held` are not in the table and leave as the original holds them.
        """
        with self.storing():
            return candidates.store_candidate(
                self.database, self.directory.stored(name), name, table, roles, order, decimals, as_held
            )

    def read_candidate(self, name: str, order: Array) -> candidates.StoredTable:
        """A candidate whose file another machine wrote, from its place in the run's directory."""
        with self.storing():
            return candidates.read_candidate(self.database, self.directory.stored(name), name, order)

    def store_persons(self, name: str, order: Array) -> str:
        """Stores which person of the original each record of a candidate's file is.

        It is never published.
        """
        with self.storing():
            return candidates.store_persons(self.database, self.directory.persons(name), order)

    def forget_candidate(self, candidate: Candidate, aliases: Sequence[str]) -> None:
        """Drop a candidate's tables and files, and what its measurements said about single records.

        The measurements stay.
        """
        cursor = self.database.cursor()
        by_record = [records.records_table(alias, candidate.name) for alias in aliases]
        for table in [*candidate.tables, *by_record]:
            cursor.execute(f"DROP TABLE IF EXISTS {sql.name(table)}")
        for copy in candidate.copies:
            self.directory.stored(copy).unlink(missing_ok=True)
            self.directory.persons(copy).unlink(missing_ok=True)

    def store_assessment(self, assessment: Assessment) -> None:
        with self._writing, self.storing():
            records.store_assessment(self.database, assessment)

    def assessments(self) -> list[Assessment]:
        return records.assessments(self.database)

    def records(self, alias: str, candidate: str) -> Table | None:
        """What a measurement says about single records, if it says anything."""
        name = records.records_table(alias, candidate)
        return self.database.table(name) if self.database.has(name) else None

    def store_findings(self, findings: Sequence[Finding]) -> None:
        with self._writing, self.storing():
            records.store_findings(self.database, findings)

    def findings(self) -> list[Finding]:
        return records.findings(self.database)

    def settled_digest(self) -> str:
        """The SHA-256 of the database file once all that was written is in it.

        Reading it later changes nothing.
        """
        with self._writing, self.storing():
            self.database.cursor().execute(f"CHECKPOINT {handle.CATALOGUE}")
            return digest.of_file(self.directory.warehouse)

    def close(self) -> None:
        """Close the file, and leave no spilled data behind."""
        self.database.close()
        shutil.rmtree(self.spill, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
