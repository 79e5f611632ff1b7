"""Checks records against the profile: every fault, with the number of records that have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.roles import LEFT_BEHIND, Role, VariableType
from sdc.errors import Fault
from sdc.ingest.staging import EXACT, NEVER, Staged, StagedColumn, wrong_type
from sdc.profile.plan import VariablePlan

if TYPE_CHECKING:
    import duckdb

LONG_TEXT = 200

Checked = tuple[StagedColumn, str, str, str]


def value_faults(cursor: duckdb.DuckDBPyConnection, staged: Staged) -> list[Fault]:
    """Types, domains, ranges, weights and missing values, counted in one pass."""
    checks = [check for column in staged.columns for check in _checks(column)]
    if not checks:
        return []
    counted = ", ".join(f"count(*) FILTER (WHERE {condition})" for _, condition, _, _ in checks)
    counts = cursor.execute(f"SELECT {counted} FROM {staged.table}").fetchall()[0]
    return [
        Fault(place(staged, column), f"{problem} in {records(count)}", remedy)
        for (column, _, problem, remedy), count in zip(checks, counts, strict=True)
        if count
    ]


def _checks(column: StagedColumn) -> Iterator[Checked]:
    plan, value = column.plan, column.value
    if plan.role in LEFT_BEHIND:
        return
    wrong, remedy = wrong_type(plan)
    if column.unreadable != NEVER:
        yield column, column.unreadable, wrong, remedy
    if plan.missing == "forbidden" or plan.role is Role.WEIGHT:
        yield (
            column,
            f"{value} IS NULL AND NOT {column.unreadable}",
            "no value, where there must be one,",
            "fill it in, or leave such records out by source.where"
            if plan.role is Role.WEIGHT
            else "fill it in, or allow it to be missing",
        )
    if plan.type is VariableType.NUMERIC:
        yield from _number_checks(column)
    elif column.type == "VARCHAR":
        yield (
            column,
            f"length({value}) > {LONG_TEXT}",
            f"texts of more than {LONG_TEXT} characters, which may say anything of anyone,",
            "give it the role dropped; source.derived can make a code of it",
        )
    domain = plan.allowed or plan.order
    if domain:
        yield (
            column,
            f"{value} IS NOT NULL AND NOT {_within(column, domain)}",
            "values that are not declared",
            f"see {_declared(plan)}",
        )


def _number_checks(column: StagedColumn) -> Iterator[Checked]:
    plan, value = column.plan, column.value
    yield (
        column,
        f"isnan({value}) OR isinf({value})",
        "numbers that are not finite",
        "add their code to missing_codes",
    )
    exact = f"isfinite({value}) AND abs({value}) >= {sql.number(EXACT)}"
    yield (
        column,
        exact,
        "numbers too large to be held exactly (2^53 or more)",
        "declare a categorical variable, or another unit",
    )
    if plan.written == "integer":
        yield (
            column,
            f"isfinite({value}) AND {value} <> trunc({value})",
            "numbers that are not whole",
            "declare type: numeric, or correct them",
        )
    if plan.at_least is not None:
        yield (
            column,
            f"{value} < {sql.number(plan.at_least)}",
            f"values below at_least ({plan.at_least:g})",
            "correct them, or the range",
        )
    if plan.at_most is not None:
        yield (
            column,
            f"isfinite({value}) AND {value} > {sql.number(plan.at_most)}",
            f"values above at_most ({plan.at_most:g})",
            "correct them, or the range",
        )
    if plan.role is Role.WEIGHT:
        yield column, f"{value} <= 0", "weights that are not above 0", "leave such records out"


def _within(column: StagedColumn, domain: Sequence[str]) -> str:
    if column.plan.type is VariableType.NUMERIC:
        try:
            return f"{column.value} IN ({', '.join(sql.number(float(text)) for text in domain)})"
        except ValueError:
            pass
    return f"{column.text} IN ({', '.join(map(sql.text, domain))})"


def _declared(plan: VariablePlan) -> str:
    return "allowed" if plan.allowed else "order"


def key_faults(cursor: duckdb.DuckDBPyConnection, staged: Staged, key: Sequence[str]) -> list[Fault]:
    """A record key must be there and tell every record from every other."""
    if not key or not all(any(column.name == name for column in staged.columns) for name in key):
        return []
    columns = [staged[name] for name in key]
    absent = " OR ".join(f"{column.value} IS NULL" for column in columns)
    values = ", ".join(column.value for column in columns)
    repeated = (
        f"SELECT count(*) AS n FROM {staged.table} WHERE NOT ({absent}) GROUP BY {values} HAVING count(*) > 1"
    )
    missing = cursor.execute(f"SELECT count(*) FROM {staged.table} WHERE {absent}").fetchall()[0][0]
    sharing = cursor.execute(f"SELECT coalesce(sum(n), 0) FROM ({repeated})").fetchall()[0][0]
    where = f"{staged.path}, record_key {', '.join(map(repr, key))}"
    found = [
        (missing, "no key", "fill it in"),
        (
            int(sharing),
            "a key shared with another record",
            "remove the duplicates, or declare a key that is one",
        ),
    ]
    return [
        Fault(where, f"{problem} in {records(count)}", remedy) for count, problem, remedy in found if count
    ]


def household_faults(cursor: duckdb.DuckDBPyConnection, staged: Staged) -> list[Fault]:
    """What is declared per household must be the same for all its members."""
    household = next((column for column in staged.columns if column.plan.role is Role.HOUSEHOLD), None)
    shared = [
        column for column in staged.columns if column.plan.per == "household" and column is not household
    ]
    if household is None or not shared:
        return []
    differs = [
        f"min({each.value}) IS DISTINCT FROM max({each.value}) OR count({each.value}) NOT IN (0, count(*))"
        for each in shared
    ]
    named = ", ".join(f'({condition}) AS "d{number}"' for number, condition in enumerate(differs))
    grouped = (
        f"SELECT count(*) AS n, {named} FROM {staged.table} WHERE {household.value} IS NOT NULL GROUP BY"
        f" {household.value}"
    )
    counted = ", ".join(f'coalesce(sum(n) FILTER (WHERE "d{number}"), 0)' for number in range(len(shared)))
    counts = cursor.execute(f"SELECT {counted} FROM ({grouped})").fetchall()[0]
    return [
        Fault(
            place(staged, column),
            f"members of a household differ, though it is declared per household, in {records(int(count))}",
            "make them agree",
        )
        for column, count in zip(shared, counts, strict=True)
        if count
    ]


def remarks(cursor: duckdb.DuckDBPyConnection, staged: Staged) -> list[str]:
    """What is allowed, and worth knowing."""
    if staged.rows == 1:
        return ["there is one record only"]
    asked = ", ".join(
        f"count({column.value}), min({column.value}) = max({column.value})" for column in staged.released
    )
    facts = cursor.execute(f"SELECT {asked} FROM {staged.table}").fetchall()[0]
    notes = []
    for column, there, constant in zip(staged.released, facts[::2], facts[1::2], strict=True):
        if there == 0:
            notes.append(f"column {column.name!r} has no value in any record")
        elif constant:
            notes.append(f"column {column.name!r} has one and the same value in all records that have one")
    return notes


def place(staged: Staged, column: StagedColumn) -> str:
    return f"{staged.path}, column {column.name!r}"


def records(count: int) -> str:
    return "1 record" if count == 1 else f"{count} records"
