"""Notes on variables that would leave with a value of its own in most records."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from sdc.catalogue.external import maker
from sdc.catalogue.protection import Protection
from sdc.catalogue.registry import Touches
from sdc.catalogue.validity import touched
from sdc.data import own_values, sql
from sdc.data.roles import Role, Roles, VariableType
from sdc.ingest.staging import Staged, StagedColumn
from sdc.spelling import noun
from sdc.statistics.counts.coverage import mostly_own

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import duckdb

    from sdc.profile.plan import Profile, StepPlan

MOST_NAMED = 3
REMEDY = "group it, suppress it, or declare it direct_identifier"
REMEDY_OF_NUMBERS = (
    "round or group an amount, or add noise to it; declare a number of records direct_identifier"
)
DRAWN_OR_COUNTED = (Role.HOUSEHOLD, Role.WEIGHT)
LABELS = (VariableType.CATEGORICAL, VariableType.ORDINAL)


def lone_values(cursor: duckdb.DuckDBPyConnection, staged: Staged, profile: Profile) -> Iterator[str]:
    """A note for each variable that can point at single people and that some candidate leaves as it is.

    More than half of the records, common answers apart, have a value in it that no other record or household
    has, and that a further person would not have either. A label is replaced only by one that is coarser or
    blank: whatever exchanges labels or draws them hands on those there are.
    """
    roles = profile.roles
    home = next((column.value for column in staged.columns if column.plan.role is Role.HOUSEHOLD), "")
    for column in staged.released:
        bare = [
            name
            for name, steps in profile.candidates.items()
            if not any(_replaces(step, column, roles) for step in steps)
        ]
        if not bare or column.plan.role in DRAWN_OR_COUNTED:
            continue
        alone, pairs, present = cursor.execute(
            own_values.counts(sql.folded(column.text, column.type), staged.table, home)
        ).fetchall()[0]
        if mostly_own(alone, pairs, present):
            of_records = f"{alone:,} of {staged.rows:,} records have a value in it that no other has"
            counted = of_records if not home else f"{alone:,} of its values belong to one household alone"
            remedy = REMEDY_OF_NUMBERS if column.plan.type is VariableType.NUMERIC else REMEDY
            yield (
                f"column {column.name!r} leaves with the values it has in {_named(bare)}, and {counted}: it"
                f" can point at single people; {remedy}"
            )


def _replaces(step: StepPlan, column: StagedColumn, roles: Roles) -> bool:
    coarsens = maker(step).protection is Protection.NON_PERTURBATIVE
    return column.name in changed_by(step, roles) and (coarsens or column.plan.type not in LABELS)


def changed_by(step: StepPlan, roles: Roles) -> frozenset[str]:
    """The variables a step may change; of keys it names, those alone, without those it may blank nowhere."""
    method, options = maker(step), step.options
    if method.keeps_values:
        return frozenset()
    if method.touches is not Touches.KEYS or "variables" in method.options.model_fields:
        return touched(method, options, roles)
    # A list of names alone is a group too.
    groups = [group["keys"] if isinstance(group, Mapping) else group for group in options.get("groups", ())]
    whole = options.get("whole", True) or not groups
    keys = (options.get("keys") or roles.quasi_identifiers) if whole else ()
    cap: Any = options.get("cap", 1)
    spared = [name for name, share in cap.items() if share == 0] if isinstance(cap, Mapping) else []
    return frozenset() if cap == 0 else frozenset([*keys, *chain.from_iterable(groups)]) - {*spared}


def _named(candidates: Sequence[str]) -> str:
    if len(candidates) > MOST_NAMED:
        return f"{len(candidates)} candidates"
    return f"{noun(len(candidates), 'candidate')} {' and '.join(map(repr, candidates))}"
