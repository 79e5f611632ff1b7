"""Checks `columns`, `where` and `derived` of a source, before any record is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.data.expressions import BadExpression, RecordExpression
from sdc.data.roles import Role, VariableType
from sdc.profile.variables import repeats
from sdc.profile.wording import did_you_mean, ordinal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.errors import Fault
    from sdc.profile.document import Place
    from sdc.profile.plan import MicrodataSource, Source, VariablePlan
    from sdc.profile.reading import Reading

SEEN_AS = {
    VariableType.NUMERIC: "DOUBLE",
    VariableType.DATE: "DATE",
    "boolean": "BOOLEAN",
    "time": "TIME",
    "datetime": "TIMESTAMP",
}
"""The types of variables in an expression; all others are text."""


def seen_as(plan: VariablePlan) -> str:
    return SEEN_AS.get(plan.written) or SEEN_AS.get(plan.type, "VARCHAR")


def expression_faults(reading: Reading) -> Iterator[Fault]:
    """Faults of what is read of the source and of the population."""
    source = reading.profile.source
    yield from _column_faults(reading, source, ("source",))
    yield from _of_source(reading, source, ("source",))
    if source.population is not None:
        yield from _of_source(reading, source.population, ("source", "population"))


def _column_faults(reading: Reading, source: MicrodataSource, place: Place) -> Iterator[Fault]:
    for position in repeats(source.columns):
        yield reading.fault(
            (*place, "columns", position), f"{ordinal(position)} column is there before", "keep one"
        )
    for name, plan in reading.profile.variables.items() if source.columns and reading.names_are_known else ():
        elsewhere = name in source.derived or (plan.per == "household" and source.households is not None)
        if name not in source.columns and not elsewhere:
            yield reading.fault(
                (*place, "columns"),
                f"columns leaves out {name!r}, which is a variable",
                "add it, or delete it there",
            )


def _of_source(reading: Reading, source: Source, place: Place) -> Iterator[Fault]:
    if source.where is not None:
        yield from _faults(reading, source, (*place, "where"), source.where, condition=True)
    for name, text in source.derived.items():
        if name not in reading.profile.variables and reading.names_are_known:
            yield reading.fault(
                (*place, "derived", name),
                f"{name!r} is derived and no variable of the profile",
                "say under variables what it is",
            )
        yield from _faults(reading, source, (*place, "derived", name), text, condition=False)


def _faults(reading: Reading, source: Source, place: Place, text: str, *, condition: bool) -> Iterator[Fault]:
    if not reading.sound(*place) or not reading.sound("variables"):
        return
    variables = {name: plan for name, plan in reading.profile.variables.items() if name not in source.derived}
    known = {name.casefold(): name for name in variables}
    try:
        expression = RecordExpression.of(text)
        for name in expression.names:
            if name.casefold() not in known:
                yield reading.fault(
                    place,
                    f"it reads {name!r}, which is {_what(name, source)}",
                    did_you_mean(name, variables) or "declare it; with the role dropped it stays behind",
                )
        if any(name.casefold() not in known for name in expression.names):
            return
        kind = expression.type({name: seen_as(plan) for name, plan in variables.items()})
    except BadExpression as bad:
        yield reading.fault(place, bad.problem, bad.remedy)
        return
    if condition and kind != "BOOLEAN":
        yield reading.fault(
            place, "this is not true or false for a record", "write a condition, e.g. age >= 18"
        )
    for name in expression.names if not condition else ():
        if variables[known[name.casefold()]].role is Role.DIRECT_IDENTIFIER:
            yield reading.note(
                place,
                f"{place[-1]!r} is derived from {name!r}, a direct identifier",
                "it must not tell who somebody is",
            )


def _what(name: str, source: Source) -> str:
    return "derived too" if name in source.derived else "no variable of the profile"
