"""Counts in the database whether a candidate's table is what the profile declares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.finding import Concerns, Otherwise
from sdc.data import sql
from sdc.data.roles import Role, VariableType
from sdc.gate.comparison_facts import comparison_limits
from sdc.gate.decision import Limit
from sdc.gate.declared import Kind, accepts, kind_of, labels_after, was_coarsened
from sdc.gate.formulas import formula_cells, formulas_left

if TYPE_CHECKING:
    from sdc.catalogue.protection import Step
    from sdc.data.table import Table
    from sdc.profile import Profile, VariablePlan

ORIGINAL = "original"


@dataclass(frozen=True)
class CountedCondition:
    """What is counted in SQL: records, or households, for which a condition holds."""

    condition: str
    of_households: bool = False


@dataclass(frozen=True)
class Rule:
    """A limit on a count, and how the count is made on a table; None where it cannot be made."""

    limit: Limit
    count: Callable[[Table], int | CountedCondition | None]


def table_limits(profile: Profile, steps: Sequence[Step]) -> tuple[Limit, ...]:
    """The limits on the facts, in their order: what the table is by itself, and beside the original."""
    return (*(rule.limit for rule in _rules(profile, steps, None)), *comparison_limits(profile))


def table_facts(
    profile: Profile, candidate: Table, steps: Sequence[Step], *, rows: int | None = None
) -> dict[str, int | None]:
    """Counts of what the profile forbids in a candidate's table, by name; None where a count cannot be made.

    `rows` is how many records the table may have: what a step was asked for (its option `rows`), else as many
    as the table `original` beside it has.
    """
    declared = rows if rows is not None else _declared_rows(candidate, steps)
    asked = {rule.limit.column: rule.count(candidate) for rule in _rules(profile, steps, declared)}
    by_record = {
        name: ask.condition
        for name, ask in asked.items()
        if isinstance(ask, CountedCondition) and not ask.of_households
    }
    by_household = {
        name: ask.condition
        for name, ask in asked.items()
        if isinstance(ask, CountedCondition) and ask.of_households
    }
    counted = {
        **_count_records(candidate, by_record),
        **_count_households(candidate, profile.roles.household, by_household),
    }
    return {name: counted[name] if isinstance(ask, CountedCondition) else ask for name, ask in asked.items()}


def _count_records(table: Table, conditions: dict[str, str]) -> dict[str, int]:
    if not conditions:
        return {}
    counts = ", ".join(f"count(*) FILTER (WHERE {condition})" for condition in conditions.values())
    return dict(zip(conditions, table.fetch(f"SELECT {counts} FROM {sql.name(table.name)}")[0], strict=True))


def _count_households(table: Table, household: str | None, conditions: dict[str, str]) -> dict[str, int]:
    if not conditions or household is None:
        return {}
    home = sql.name(household)
    held = ", ".join(f'{condition} AS "c{place}"' for place, condition in enumerate(conditions.values()))
    counts = ", ".join(f'count(*) FILTER (WHERE "c{place}")' for place in range(len(conditions)))
    homes = f"SELECT {held} FROM {sql.name(table.name)} WHERE {home} IS NOT NULL GROUP BY {home}"
    return dict(zip(conditions, table.fetch(f"SELECT {counts} FROM ({homes})")[0], strict=True))


def _declared_rows(candidate: Table, steps: Sequence[Step]) -> int | None:
    asked = [step.options["rows"] for step in steps if isinstance(step.options.get("rows"), int)]
    if asked:
        return int(asked[-1])
    database = candidate.database
    return database.table(ORIGINAL).rows if database.has(ORIGINAL) else None


def _rules(profile: Profile, steps: Sequence[Step], rows: int | None) -> Iterator[Rule]:
    yield from _rows(steps, rows)
    yield from _columns(profile)
    for name in profile.roles.released:
        yield from _values(name, profile.variables[name], steps)
        yield from _formulas(name, profile)
    home = profile.roles.household
    for name in profile.roles.released:
        if home is not None and profile.variables[name].per == "household" and name != home:
            yield from _within_households(name, home, suppressed=was_coarsened(name, steps))


def _rows(steps: Sequence[Step], rows: int | None) -> Iterator[Rule]:
    yield Rule(_limit("row_count", "the candidate has no records", at_least=1), lambda table: table.rows)
    yield _none(
        "rows_beyond_declared",
        "{n} record(s) more than declared",
        lambda table: None if rows is None else max(0, table.rows - rows),
    )
    if all(step.aligned for step in steps):
        yield _none(
            "rows_lost",
            "{n} record(s) fewer than declared",
            lambda table: None if rows is None else max(0, rows - table.rows),
        )


def _columns(profile: Profile) -> Iterator[Rule]:
    declared, identifiers, dropped = (
        set(profile.roles.released),
        profile.roles.direct_identifiers,
        profile.roles.dropped,
    )
    hidden = {name.casefold() for name in (*identifiers, *dropped)}

    def undeclared(table: Table) -> int:
        return sum(column not in declared and column.casefold() not in hidden for column in table.columns)

    yield _none(
        "columns_missing", "{n} declared column(s) missing", lambda table: len(declared - set(table.columns))
    )
    yield _none("columns_undeclared", "{n} column(s) that the profile does not declare", undeclared)
    for name in identifiers:
        yield _absent(f"direct_identifier.{name}", f"the direct identifier {name} is in the table", name)
    for name in dropped:
        yield _absent(f"dropped.{name}", f"the dropped column {name} is in the table", name)


def _absent(fact: str, fault: str, name: str) -> Rule:
    """A limit on columns that must be absent, in upper or lower case, as the database compares names."""
    return _none(
        fact,
        fault,
        lambda table: sum(column.casefold() == name.casefold() for column in table.columns),
        of=name,
    )


def _values(name: str, plan: VariablePlan, steps: Sequence[Step]) -> Iterator[Rule]:
    column, coarsened, labels = sql.name(name), was_coarsened(name, steps), labels_after(name, plan, steps)
    numeric = plan.type is VariableType.NUMERIC
    ranged = plan.at_least is not None or plan.at_most is not None or bool(plan.allowed)

    def of_wrong_type(table: Table) -> int:
        return int(not accepts(plan.type, table.types[name], coarsened=coarsened))

    yield _none(
        f"type.{name}",
        f"{name} is not of its declared type, {plan.type.value}",
        _present(of_wrong_type, name),
        of=name,
    )
    if numeric or labels is not None:
        fault = f"{{n}} value(s) of {name} outside what is declared"
        yield _none(
            f"outside_domain.{name}",
            fault,
            _present(lambda table: _outside(table, name, plan, labels), name),
            of=name,
        )
    if numeric and ranged and coarsened and labels is None:
        fault = f"{name} was recoded to labels, on which its declared range could not be checked"
        yield _none(
            f"unchecked.{name}",
            fault,
            _present(lambda table: int(not table.is_numeric(name)), name),
            of=name,
            otherwise=Otherwise.NOTE,
        )
    if plan.missing == "forbidden":
        fault = f"{{n}} value(s) of {name} missing, which the profile forbids"
        yield _none(
            f"missing.{name}", fault, _present(lambda _: CountedCondition(f"{column} IS NULL"), name), of=name
        )
    if plan.role is Role.WEIGHT:
        fault = "{n} weight(s) missing, not finite or not above zero"
        yield _none(
            "weights_not_positive", fault, _present(lambda table: _not_positive(table, name), name), of=name
        )


def _formulas(name: str, profile: Profile) -> Iterator[Rule]:
    if formulas_left(profile, name):
        escapes = profile.publish.formulas == "escape"

        def formulas(table: Table) -> int | CountedCondition:
            asked = formula_cells(table, name, escapes=escapes)
            return asked if isinstance(asked, int) else CountedCondition(asked)

        fault = (
            f"{{n}} cell(s) of {name} that a spreadsheet would run as a formula; publish: {{formulas:"
            " escape} would escape them"
        )
        yield _none(f"formulas.{name}", fault, _present(formulas, name), of=name, otherwise=Otherwise.REFER)


def _within_households(name: str, home: str, *, suppressed: bool) -> Iterator[Rule]:
    """A value of the whole household must be the same for its members.

    If it is missing for one member and known for another because of a method, the other reveals the hidden
    value.
    """
    column = sql.name(name)
    conflict = CountedCondition(f"min({column}) IS DISTINCT FROM max({column})", of_households=True)
    gap = CountedCondition(f"count({column}) > 0 AND count({column}) < count(*)", of_households=True)
    yield _none(
        f"household_conflicts.{name}",
        f"{name} differs within {{n}} household(s)",
        _present(lambda _: conflict, name, home),
        of=name,
    )
    remedy = "; by_household of local_suppression blanks it for all members" if suppressed else ""
    fault = f"{name} is missing for some members of {{n}} household(s) and known for others{remedy}"
    yield _none(
        f"household_gaps.{name}",
        fault,
        _present(lambda _: gap, name, home),
        of=name,
        otherwise=Otherwise.REFER if suppressed else Otherwise.NOTE,
    )


def _outside(
    table: Table, name: str, plan: VariablePlan, labels: frozenset[str] | None
) -> int | CountedCondition:
    """The number of values that are neither missing nor declared.

    A number that became a label is looked up among those that its step recorded.
    """
    column = sql.name(name)
    if plan.type is VariableType.NUMERIC and table.is_numeric(name):
        number = f"CAST({column} AS DOUBLE)"
        tests = [f"NOT isfinite({number})"]
        tests += [f"{number} < {plan.at_least!r}"] if plan.at_least is not None else []
        tests += [f"{number} > {plan.at_most!r}"] if plan.at_most is not None else []
        tests += (
            [f"{number} NOT IN ({', '.join(repr(float(value)) for value in plan.allowed)})"]
            if plan.allowed
            else []
        )
        return CountedCondition(f"{column} IS NOT NULL AND ({' OR '.join(tests)})")
    if labels is None:
        return 0
    return CountedCondition(
        f"{column} IS NOT NULL AND CAST({column} AS VARCHAR) NOT IN"
        f" ({', '.join(sql.text(label) for label in sorted(labels))})"
    )


def _not_positive(table: Table, name: str) -> CountedCondition | None:
    if kind_of(table.types[name]) is not Kind.NUMBER:
        return None
    number = f"CAST({sql.name(name)} AS DOUBLE)"
    return CountedCondition(f"{number} IS NULL OR NOT isfinite({number}) OR {number} <= 0")


def _present(
    count: Callable[[Table], int | CountedCondition | None], *names: str
) -> Callable[[Table], int | CountedCondition | None]:
    """The count, or none for a column that does not exist."""
    return lambda table: count(table) if set(names) <= set(table.columns) else None


def _limit(
    fact: str,
    fault: str,
    *,
    at_least: float,
    at_most: float | None = None,
    otherwise: Otherwise = Otherwise.WITHHOLD,
    of: str = "",
) -> Limit:
    name = f"table.{fact}"
    return Limit(
        name,
        name,
        Concerns.TABLE,
        at_least,
        at_most,
        otherwise,
        "declared in the profile",
        f"variables.{of}" if of else "variables",
        fault,
    )


def _none(
    fact: str,
    fault: str,
    count: Callable[[Table], int | CountedCondition | None],
    *,
    of: str = "",
    otherwise: Otherwise = Otherwise.WITHHOLD,
) -> Rule:
    """A count that must be zero."""
    return Rule(_limit(fact, fault, at_least=0, at_most=0, otherwise=otherwise, of=of), count)
