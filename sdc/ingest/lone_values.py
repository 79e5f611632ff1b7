"""Which variables would leave as they are, with a value of its own in most records?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc.catalogue import Touches
from sdc.external import maker
from sdc.ingest.staging import Column, Staged
from sdc.roles import Role, Roles, VariableType
from sdc.spelling import noun
from sdc.validity import touched

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

    from sdc.profile.plan import Profile, StepPlan

TINY = 20
MOST_NAMED = 3
REMEDY = "group it, suppress it, or declare it direct_identifier"
REMEDY_OF_NUMBERS = "round or group an amount, or add noise to it; declare a number of records direct_identifier"
DRAWN_OR_COUNTED = (Role.HOUSEHOLD, Role.WEIGHT)


def mostly_alone(alone: int, rows: int) -> bool:
    """Do more than half of the records have a value no other has? In tiny files that says nothing."""
    return rows > TINY and 2 * alone > rows


def lone_values(cursor: duckdb.DuckDBPyConnection, staged: Staged, profile: Profile) -> Iterator[str]:
    """A note for each text, day or code that no step of some candidate changes and that can point at single people.

    Of texts and days more than half of the records have a value no other has; of declared numbers, which amounts are too,
    all values are whole and each record has its own.
    """
    if not profile.candidates:
        return
    changed = {name: frozenset[str]().union(*(_changed(step, profile.roles) for step in steps)) for name, steps in profile.candidates.items()}
    for column in staged.released:
        bare = [name for name, variables in changed.items() if column.name not in variables]
        if not bare or column.plan.role in DRAWN_OR_COUNTED:
            continue
        alone = _alone(cursor, staged, column)
        if mostly_alone(alone, staged.rows) and (column.plan.type is not VariableType.NUMERIC or alone == staged.rows):
            counted = f"{alone:,} of {staged.rows:,} records have a value in it that no other has"
            remedy = REMEDY_OF_NUMBERS if column.plan.type is VariableType.NUMERIC else REMEDY
            yield f"column {column.name!r} leaves as it is in {_named(bare)}, and {counted}: it can point at single people; {remedy}"


def _changed(step: StepPlan, roles: Roles) -> frozenset[str]:
    """The variables a step changes; of keys it names, those alone."""
    method, options = maker(step), step.options
    if method.keeps_values:
        return frozenset()
    if method.touches is not Touches.KEYS or "variables" in method.options.model_fields:
        return touched(method, options, roles)
    groups: list[Any] = options.get("groups", [])
    return frozenset([*(options.get("keys") or roles.quasi_identifiers), *(name for group in groups for name in group["keys"])])


def _alone(cursor: duckdb.DuckDBPyConnection, staged: Staged, column: Column) -> int:
    """Records whose value no other has; of numbers only whole ones count."""
    whole = f" AND {column.value} = trunc({column.value})" if column.plan.type is VariableType.NUMERIC else ""
    once = f"SELECT 1 FROM {staged.table} WHERE {column.value} IS NOT NULL{whole} GROUP BY {column.value} HAVING count(*) = 1"
    count: int = cursor.execute(f"SELECT count(*) FROM ({once})").fetchall()[0][0]
    return count


def _named(candidates: Sequence[str]) -> str:
    if len(candidates) > MOST_NAMED:
        return f"{len(candidates)} candidates"
    return f"{noun(len(candidates), 'candidate')} {' and '.join(map(repr, candidates))}"
