"""Counts in the database whether a candidate's table is what the profile declares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sdc.catalogue.finding import Otherwise
from sdc.catalogue.protection import Protection
from sdc.data import sql
from sdc.data.roles import Role, VariableType
from sdc.gate.comparison_facts import comparison_limits
from sdc.gate.declared import Kind, accepts, kind_of, labels_after, was_coarsened
from sdc.gate.formulas import formula_cells, formulas_left
from sdc.gate.household_facts import household_rules
from sdc.gate.table_rules import CountedCondition, Rule, limit, none_of, present

if TYPE_CHECKING:
    from sdc.catalogue.protection import Step
    from sdc.data.table import Table
    from sdc.gate.decision import Limit
    from sdc.profile import Profile, VariablePlan

ORIGINAL = "original"


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
    yield from household_rules(profile, steps)


def _rows(steps: Sequence[Step], rows: int | None) -> Iterator[Rule]:
    yield Rule(limit("row_count", "the candidate has no records", at_least=1), lambda table: table.rows)
    yield none_of(
        "rows_beyond_declared",
        "{n} record(s) more than declared",
        lambda table: None if rows is None else max(0, table.rows - rows),
    )
    if all(step.aligned for step in steps):
        yield none_of(
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

    yield none_of(
        "columns_missing", "{n} declared column(s) missing", lambda table: len(declared - set(table.columns))
    )
    yield none_of("columns_undeclared", "{n} column(s) that the profile does not declare", undeclared)
    for name in identifiers:
        yield _absent(f"direct_identifier.{name}", f"the direct identifier {name} is in the table", name)
    for name in dropped:
        yield _absent(f"dropped.{name}", f"the dropped column {name} is in the table", name)


def _absent(fact: str, fault: str, name: str) -> Rule:
    """A limit on columns that must be absent, in upper or lower case, as the database compares names."""
    return none_of(
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

    yield none_of(
        f"type.{name}",
        f"{name} is not of its declared type, {plan.type.value}",
        present(of_wrong_type, name),
        of=name,
    )
    if numeric or labels is not None:
        way_back = _way_back(name, plan, steps) if labels is None else ""
        fault = f"{{n}} value(s) of {name} outside what is declared{way_back}"
        yield none_of(
            f"outside_domain.{name}",
            fault,
            present(lambda table: _outside(table, name, plan, labels), name),
            of=name,
        )
    if numeric and ranged and coarsened and labels is None:
        fault = f"{name} was recoded to labels, on which its declared range could not be checked"
        yield none_of(
            f"unchecked.{name}",
            fault,
            present(lambda table: int(not table.is_numeric(name)), name),
            of=name,
            otherwise=Otherwise.NOTE,
        )
    if plan.missing == "forbidden":
        fault = f"{{n}} value(s) of {name} missing, which the profile forbids"
        yield none_of(
            f"missing.{name}", fault, present(lambda _: CountedCondition(f"{column} IS NULL"), name), of=name
        )
    if plan.role is Role.WEIGHT:
        fault = "{n} weight(s) missing, not finite or not above zero"
        yield none_of(
            "weights_not_positive", fault, present(lambda table: _not_positive(table, name), name), of=name
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
        yield none_of(f"formulas.{name}", fault, present(formulas, name), of=name, otherwise=Otherwise.REFER)


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


def _way_back(name: str, plan: VariablePlan, steps: Sequence[Step]) -> str:
    """What brings numbers back that noise or a model moved beyond their limits."""
    limits = {"bottom": plan.at_least, "top": plan.at_most}
    ends = ", ".join(f"{end}: {limit:.15g}" for end, limit in limits.items() if limit is not None)
    moved = any(step.reached(name) and step.protection is not Protection.NON_PERTURBATIVE for step in steps)
    if not ends or not moved:
        return ""
    return f"; a last step top_bottom_code with {name}: {{{ends}}} would bring them to the limits"


def _not_positive(table: Table, name: str) -> CountedCondition | None:
    if kind_of(table.types[name]) is not Kind.NUMBER:
        return None
    number = f"CAST({sql.name(name)} AS DOUBLE)"
    return CountedCondition(f"{number} IS NULL OR NOT isfinite({number}) OR {number} <= 0")
