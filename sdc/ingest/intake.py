"""Reads a profile's source into the warehouse: all of it as declared, or nothing and every fault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.database import transaction
from sdc.data.roles import LEFT_BEHIND, Role, VariableType
from sdc.data.warehouse.candidates import PERSONS
from sdc.errors import BadData, Fault
from sdc.ingest import checks
from sdc.ingest.files import Fingerprint, located, source_fingerprint
from sdc.ingest.holdout import held_out
from sdc.ingest.linking import linked, of_both_files
from sdc.ingest.lone_values import lone_values
from sdc.ingest.persons import keep_persons
from sdc.ingest.readers.declared import what_files_declare
from sdc.ingest.readers.header import column_faults
from sdc.ingest.readers.opened import OpenedSource
from sdc.ingest.readers.opening import opened_source
from sdc.ingest.shaping import shaped, with_columns_asked_for
from sdc.ingest.source_parts import PartReading
from sdc.ingest.staging import Staged, StagedColumn, stage
from sdc.profile.plan import MicrodataSource, Profile, Source, VariablePlan
from sdc.run import digest
from sdc.run.randomness import ORDERING, PLACING, Randomness
from sdc.spelling import counted

if TYPE_CHECKING:
    import duckdb

    from sdc.data.warehouse import Warehouse
    from sdc.run.secret import Secret

POPULATION_ROLES = (Role.QUASI_IDENTIFIER, Role.HOUSEHOLD, Role.WEIGHT)


@dataclass(frozen=True)
class Ingested:
    """What was read.

    How many records went where, from which bytes, and what is worth knowing though it stops nothing.
    """

    rows: int
    holdout_rows: int
    population_rows: int
    sha256: str
    bytes: int
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()
    population_sha256: str | None = None
    left_out_rows: int = 0

    @property
    def in_words(self) -> str:
        """How many records methods see, and how many they do not."""
        return (
            counted(self.rows, "record")
            + (f", {self.holdout_rows:,} more held out" if self.holdout_rows else "")
            + (f", {self.left_out_rows:,} left out by where" if self.left_out_rows else "")
        )


def ingest(
    profile: Profile,
    base: Path,
    warehouse: Warehouse,
    secret: Secret,
    elsewhere: PartReading | None = None,
) -> Ingested:
    """The tables original, holdout and population; BadData with every fault, and none of them.

    Paths are relative to `base`. Direct identifiers and dropped columns stay behind. Numbers whose values are
    all whole become BIGINT, else DOUBLE; numbers of 2^53 and beyond are refused. Of the population only keys,
    household and weight are read. With `elsewhere` other machines read the parts of a folder; the tables are
    the same.
    """
    with warehouse.storing():
        intake = _Intake(profile, warehouse.database.cursor(), warehouse.spill, secret, elsewhere)
        try:
            records = intake.read(profile.source, base, "staged_original")
            population = profile.source.population
            register = intake.read(population, base, "staged_population") if population else None
            return intake.store(records, register)
        finally:
            intake.discard()


class _Intake:
    """Faults gather here until everything was looked at."""

    def __init__(
        self,
        profile: Profile,
        cursor: duckdb.DuckDBPyConnection,
        scratch: Path,
        secret: Secret,
        elsewhere: PartReading | None,
    ) -> None:
        self.profile, self.cursor, self.scratch, self.secret = profile, cursor, scratch, secret
        self.elsewhere = elsewhere
        self.faults: list[Fault] = []
        self.notes: list[str] = []

    def read(self, source: Source, base: Path, table: str) -> tuple[Fingerprint, Staged] | None:
        """A source staged and checked; None where it cannot be read at all."""
        path = located(base, source.path)
        try:
            fingerprint = source_fingerprint(source, base, "paths are relative to the profile")
            with opened_records(self.profile, source, base, self.cursor, self.scratch) as opened:
                fingerprint = fingerprint.completed(opened)
                self.faults += what_files_declare(self.profile.variables, source, opened, path)
                wanted = self._wanted(opened, path, is_population=source is self.profile.source.population)
                staged = (
                    stage(self.cursor, opened, source, path, wanted, table, fingerprint.parts, self.elsewhere)
                    if wanted
                    else None
                )
            fingerprint.confirm()
        except BadData as bad:
            self.faults += bad.faults
            return None
        if staged is None:
            return None
        if staged.left_out:
            self.notes.append(
                f"where selects {staged.rows:,} of {counted(staged.rows + staged.left_out, 'record')}"
            )
        if staged.rows == 0:
            self.faults.append(
                Fault(str(path), "where selects no record" if staged.left_out else "there are no records")
            )
        self.faults += checks.value_faults(self.cursor, staged)
        if source is self.profile.source:
            self.faults += checks.key_faults(self.cursor, staged, self.profile.source.record_key)
            self.faults += checks.household_faults(self.cursor, staged)
            self.notes += checks.remarks(self.cursor, staged)
            self.notes += lone_values(self.cursor, staged, self.profile)
        return fingerprint, staged

    def _wanted(
        self, opened: OpenedSource, path: Path, *, is_population: bool
    ) -> list[tuple[str, VariablePlan]]:
        variables = self.profile.variables
        if is_population:
            return self._of_population(opened, path)
        faults, second = column_faults(variables, list(opened.columns), path), self.profile.source.households
        self.faults += [of_both_files(each, path, second.path) for each in faults] if second else faults
        kept = [
            name
            for name in variables
            if variables[name].role not in LEFT_BEHIND or name in self.profile.source.record_key
        ]
        return [(name, variables[name]) for name in kept if name in opened.columns]

    def _of_population(self, opened: OpenedSource, path: Path) -> list[tuple[str, VariablePlan]]:
        variables = self.profile.variables
        wanted = [
            (name, plan)
            for name, plan in variables.items()
            if plan.role in POPULATION_ROLES and name in opened.columns
        ]
        keys = [name for name, plan in variables.items() if plan.role is Role.QUASI_IDENTIFIER]
        absent = [name for name in keys if name not in opened.columns]
        if len(absent) == len(keys):
            self.faults.append(
                Fault(
                    str(path),
                    "the population has none of the quasi-identifiers",
                    "name its columns as the profile does",
                )
            )
        else:
            self.notes += [f"the population has no column {name!r}" for name in absent]
        return wanted

    def store(
        self, records: tuple[Fingerprint, Staged] | None, register: tuple[Fingerprint, Staged] | None
    ) -> Ingested:
        if self.faults or records is None:
            raise BadData(self.faults)
        fingerprint, staged = records
        randomness = Randomness.of_release(self.secret, self.profile, fingerprint.sha256)
        condition = held_out(
            self.cursor, staged, self.profile.source.holdout_share, randomness, self.profile.source.record_key
        )
        kept = f"NOT ({condition})" if condition else "TRUE"
        with transaction(self.cursor):
            for table in ("original", "holdout", "population", PERSONS):
                self.cursor.execute(f"DROP TABLE IF EXISTS {table}")
            holdout = self._keep("holdout", staged, condition) if condition else 0
            rows = self._keep("original", staged, kept)
            keep_persons(
                self.cursor,
                staged,
                kept,
                self.secret,
                self.profile.source.record_key,
                self._origin(fingerprint),
            )
            population = self._keep("population", register[1], "TRUE") if register else 0
        return Ingested(
            rows,
            holdout,
            population,
            fingerprint.sha256,
            fingerprint.bytes,
            tuple(column.name for column in staged.released),
            tuple(self.notes),
            register[0].sha256 if register else None,
            staged.left_out,
        )

    def _origin(self, fingerprint: Fingerprint) -> str:
        """The bytes of the source and how they were read: equal origins have equal records in equal order."""
        source = digest.plain(self.profile.source)
        told = {key: source[key] for key in ORDERING} | {key: source[key] for key in PLACING if source[key]}
        return digest.of_bytes(digest.canonical([fingerprint.sha256, told]))

    def _keep(self, table: str, staged: Staged, condition: str) -> int:
        kinds = final_types(self.cursor, staged)
        listed = ", ".join(
            f"CAST({column.value} AS {kinds[column.name]}) AS {sql.name(column.name)}"
            for column in staged.released
        )
        rows: int = self.cursor.execute(
            f"CREATE TABLE {table} AS SELECT {listed} FROM {staged.table} WHERE {condition}"
        ).fetchall()[0][0]
        return rows

    def discard(self) -> None:
        for table in ("staged_original", "staged_population"):
            self.cursor.execute(f"DROP TABLE IF EXISTS temp.{table}")


@contextmanager
def opened_records(
    profile: Profile, source: Source, base: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """The records of the source that the profile asks for, with the columns it derives.

    Each person has the columns of its household where a second file has them.
    """
    path = located(base, source.path)
    with ExitStack() as stack:
        opened = stack.enter_context(opened_source(source, path, cursor, scratch))
        opened = with_columns_asked_for(opened, source, path)
        if isinstance(source, MicrodataSource) and source.households is not None:
            second = located(base, source.households.path)
            beside = partial(opened_source, source.households, second, cursor, scratch)
            opened = stack.enter_context(linked(opened, source, path, beside, second, cursor))
        yield stack.enter_context(shaped(opened, source, profile.variables, path, cursor))


def final_types(cursor: duckdb.DuckDBPyConnection, staged: Staged) -> dict[str, str]:
    """Whole numbers where all are whole, in all of the source: a holdout has the types of the original."""
    numbers: list[StagedColumn] = [
        column for column in staged.released if column.plan.type is VariableType.NUMERIC
    ]
    asked = ", ".join(
        f"coalesce(bool_and({column.value} = trunc({column.value})), FALSE)" for column in numbers
    )
    whole = cursor.execute(f"SELECT {asked} FROM {staged.table}").fetchall()[0] if numbers else ()
    kinds = {column.name: column.type for column in staged.released}
    return kinds | {
        column.name: "BIGINT" if is_whole else "DOUBLE"
        for column, is_whole in zip(numbers, whole, strict=True)
    }
