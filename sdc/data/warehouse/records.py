"""Stores what was measured and found as rows of the warehouse."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment, Measurement
from sdc.data import sql
from sdc.data.database import transaction
from sdc.run import digest

if TYPE_CHECKING:
    import duckdb

    from sdc.data.database import Database

MEASUREMENTS = {
    "candidate": "VARCHAR",
    "alias": "VARCHAR",
    "measure": "VARCHAR",
    "value": "DOUBLE",
    "parts": "VARCHAR",
    "interval": "VARCHAR",
    "not_assessed": "VARCHAR",
    "options": "VARCHAR",
    "seconds": "DOUBLE",
}
"""The columns of a measurement: those of its record, with the candidate, and its name as `alias`."""
SYNTHESES = ("candidate", "alias", "measured")
"""The columns of what was measured on several syntheses."""
NESTED = ("parts", "interval", "options")
"""What a cell holds as JSON."""
SQL_TYPES = {"bool": "BOOLEAN", "float | None": "DOUBLE", "float": "DOUBLE", "int": "BIGINT"}
FINDINGS = {field.name: SQL_TYPES.get(str(field.type), "VARCHAR") for field in dataclasses.fields(Finding)}


def make_tables(cursor: duckdb.DuckDBPyConnection) -> None:
    for name, columns in (("measurements", MEASUREMENTS), ("findings", FINDINGS)):
        listed = ", ".join(f"{sql.name(column)} {kind}" for column, kind in columns.items())
        cursor.execute(f"CREATE TABLE IF NOT EXISTS {sql.name(name)} ({listed})")


def records_table(alias: str, candidate: str) -> str:
    """Where a measure's values for single records are kept; a dot, for neither name has one."""
    return f"records_{alias}.{candidate}"


def store_assessment(database: Database, assessment: Assessment) -> None:
    """Keep a measurement in place of an earlier one of the same name.

    Values by record go to a table of their own.
    """
    import pyarrow as pa

    record = assessment.as_record()
    row = {**record, "candidate": assessment.candidate, "alias": record["as"]}
    row |= {name: None if row[name] is None else _json(row[name]) for name in NESTED}
    held = assessment.outcome if isinstance(assessment.outcome, Measurement) else None
    if held is not None and held.by_record:
        columns = {name: pa.array(values) for name, values in held.by_record.items()}
        database.write(records_table(assessment.alias, assessment.candidate), pa.table(columns))
    where = {"candidate": assessment.candidate, "alias": assessment.alias}
    _replace(database, "measurements", where, [tuple(row[column] for column in MEASUREMENTS)])
    _store_syntheses(database, assessment, record)


def _store_syntheses(database: Database, assessment: Assessment, record: dict[str, Any]) -> None:
    """What was measured on each of several syntheses, in a table that other runs do not have."""
    if "syntheses" not in record:
        return
    listed = ", ".join(f"{sql.name(column)} VARCHAR" for column in SYNTHESES)
    database.cursor().execute(f"CREATE TABLE IF NOT EXISTS syntheses ({listed})")
    where = {"candidate": assessment.candidate, "alias": assessment.alias}
    told = _json({"synthesis": record["synthesis"], "syntheses": record["syntheses"]})
    _replace(database, "syntheses", where, [(*where.values(), told)])


def _of_syntheses(database: Database) -> dict[tuple[str, str], dict[str, Any]]:
    if not database.has("syntheses"):
        return {}
    rows = database.cursor().execute(f"SELECT {sql.names(SYNTHESES)} FROM syntheses").fetchall()
    return {(candidate, alias): json.loads(told) for candidate, alias, told in rows}


def assessments(database: Database) -> list[Assessment]:
    """All measurements by candidate and name, without what they say about single records."""
    rows = (
        database.cursor()
        .execute(f"SELECT {sql.names(MEASUREMENTS)} FROM measurements ORDER BY candidate, alias")
        .fetchall()
    )
    several = _of_syntheses(database)
    held = [dict(zip(MEASUREMENTS, row, strict=True)) for row in rows]
    return [_assessment(row, several.get((row["candidate"], row["alias"]), {})) for row in held]


def _assessment(row: dict[str, Any], several: dict[str, Any]) -> Assessment:
    nested = {name: json.loads(row[name]) if row[name] is not None else None for name in NESTED}
    return Assessment.from_record({**row, **nested, **several, "as": row["alias"]}, row["candidate"])


def store_findings(database: Database, findings: Sequence[Finding]) -> None:
    """Keep the findings on each candidate in place of its earlier ones."""
    for candidate in dict.fromkeys(finding.candidate for finding in findings):
        rows = [
            tuple(finding.as_record()[column] for column in FINDINGS)
            for finding in findings
            if finding.candidate == candidate
        ]
        _replace(database, "findings", {"candidate": candidate}, rows)


def findings(database: Database) -> list[Finding]:
    """All findings, in the order they were stored."""
    rows = database.cursor().execute(f"SELECT {sql.names(FINDINGS)} FROM findings ORDER BY rowid").fetchall()
    return [Finding.from_record(dict(zip(FINDINGS, row, strict=True))) for row in rows]


def _replace(database: Database, table: str, where: dict[str, str], rows: Sequence[tuple[Any, ...]]) -> None:
    cursor = database.cursor()
    condition = " AND ".join(f"{sql.name(column)} = ?" for column in where)
    places = ", ".join("?" for _ in rows[0])
    with transaction(cursor):
        cursor.execute(f"DELETE FROM {sql.name(table)} WHERE {condition}", list(where.values()))
        cursor.executemany(f"INSERT INTO {sql.name(table)} VALUES ({places})", [list(row) for row in rows])


def _json(value: Any) -> str:
    return json.dumps(digest.plain(value), sort_keys=True, ensure_ascii=False, allow_nan=False)
