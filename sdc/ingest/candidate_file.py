"""A candidate made elsewhere, beside the original it was made from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.roles import LEFT_BEHIND, Role, VariableType
from sdc.data.table import Table
from sdc.errors import BadData, Fault
from sdc.ingest.files import Fingerprint
from sdc.ingest.intake import final_types
from sdc.ingest.readers.header import undeclared
from sdc.ingest.readers.opening import opened_source
from sdc.ingest.staging import Staged, stage
from sdc.profile.plan import Profile, Source, VariablePlan

if TYPE_CHECKING:
    import duckdb

    from sdc.data.warehouse import Warehouse

IN_WORDS = {Role.DIRECT_IDENTIFIER: "direct identifier", Role.DROPPED: "dropped column"}


def ingest_candidate(profile: Profile, path: Path, warehouse: Warehouse, name: str) -> Table:
    """The table candidate_<name>, rows in the order of the file.

    CSV is read as the profile's source is; the columns are variables of the profile, not necessarily all. A
    number or date that does not read as one everywhere was recoded and is kept as text.
    """
    source = Source(
        path=path,
        **profile.source.model_dump(include={"encoding", "separator", "quote", "decimal", "missing_codes"}),
    )
    Fingerprint.of(path)
    cursor = warehouse.database.cursor()
    with warehouse.storing():
        staged = _staged(cursor, profile, source, warehouse)
        recoded = _recoded(cursor, staged)
        if recoded:
            staged = _staged(cursor, profile, source, warehouse, as_text=recoded)
        kinds = final_types(cursor, staged)
        listed = ", ".join(
            f"CAST({column.value} AS {kinds[column.name]}) AS {sql.name(column.name)}"
            for column in staged.columns
        )
        cursor.execute(
            f"CREATE OR REPLACE TABLE {sql.name(f'candidate_{name}')} AS SELECT {listed} FROM {staged.table}"
        )
        cursor.execute("DROP TABLE temp.staged_candidate")
    if staged.rows == 0:
        raise BadData([Fault(str(path), "there are no records")])
    return warehouse.database.table(f"candidate_{name}")


def _staged(
    cursor: duckdb.DuckDBPyConnection,
    profile: Profile,
    source: Source,
    warehouse: Warehouse,
    as_text: Collection[str] = (),
) -> Staged:
    """The columns that are variables of the profile.

    The file is opened anew each time: what comes in chunks can be read once.
    """
    with opened_source(source, source.path, cursor, warehouse.spill) as opened:
        faults = _column_faults(profile.variables, list(opened.columns), source.path)
        if faults:
            raise BadData(faults)
        wanted = [
            (name, _text(plan) if name in as_text else plan)
            for name, plan in profile.variables.items()
            if name in opened.columns
        ]
        return stage(cursor, opened, source, source.path, wanted, "staged_candidate")


def _column_faults(variables: Mapping[str, VariablePlan], found: list[str], path: Path) -> list[Fault]:
    faults = undeclared(variables, found, path, "leave them out, or declare them")
    for name in found:
        if name in variables and variables[name].role in LEFT_BEHIND:
            problem = f"a candidate must not have a {IN_WORDS[variables[name].role]}"
            faults.append(Fault(f"{path}, column {name!r}", problem, "leave it out"))
    return faults


def _recoded(cursor: duckdb.DuckDBPyConnection, staged: Staged) -> set[str]:
    asked = ", ".join(f"count_if({column.unreadable})" for column in staged.columns)
    counts = cursor.execute(f"SELECT {asked} FROM {staged.table}").fetchall()[0]
    return {column.name for column, count in zip(staged.columns, counts, strict=True) if count}


def _text(plan: VariablePlan) -> VariablePlan:
    return plan.model_copy(update={"type": VariableType.CATEGORICAL})
