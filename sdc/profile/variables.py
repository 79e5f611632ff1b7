"""Checks that the declarations of the variables agree with each other."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from sdc.data.roles import LEFT_BEHIND, Role, VariableType
from sdc.profile.wording import ordinal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sdc.errors import Fault
    from sdc.profile.document import Place
    from sdc.profile.plan import VariablePlan
    from sdc.profile.reading import Reading

ONE_ONLY = (Role.WEIGHT, Role.HOUSEHOLD, Role.STRATUM)


def variable_faults(reading: Reading) -> Iterator[Fault]:
    """Faults within and between the declared variables."""
    variables = reading.profile.variables
    if not variables and reading.sound("variables"):
        yield reading.fault(
            ("variables",),
            "no variable is declared",
            "write a line for every column of the data, or let `sdc draft DATA` do it",
        )
    yield from _only_one_each(reading)
    yield from _same_but_for_case(reading)
    for name, plan in variables.items():
        if reading.sound("variables", name):
            yield from _contradictions(reading, name, plan)
    if variables and reading.sound("variables") and not reading.profile.roles.released:
        problem = "every variable is dropped or a direct identifier: nothing would be released"
        yield reading.fault(("variables",), problem, "give the others another role")


def _only_one_each(reading: Reading) -> Iterator[Fault]:
    for role in ONE_ONLY:
        first, *others = [name for name, plan in reading.profile.variables.items() if plan.role is role] or [
            ""
        ]
        for name in others:
            yield reading.fault(
                ("variables", name),
                f"{name!r} is a second {role.value}, {first!r} is one already",
                "keep the role for one of them",
            )


def _same_but_for_case(reading: Reading) -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for name in reading.profile.variables:
        other = seen.setdefault(re.sub("[A-Z]", lambda found: found[0].lower(), name), name)
        if other != name:
            yield reading.fault(
                ("variables", name),
                f"{name!r} and {other!r} differ only in capital letters",
                "rename one of the columns",
            )


def _contradictions(reading: Reading, name: str, plan: VariablePlan) -> Iterator[Fault]:
    place: Place = ("variables", name)
    kind = plan.type.value
    if plan.written == "text" and plan.role not in LEFT_BEHIND:
        yield reading.fault(
            place,
            f"{name!r} is text, which may say anything of anyone, and would be released",
            "give it the role dropped; source.derived can make a code of it",
        )
    if plan.type is VariableType.ORDINAL and not plan.order:
        yield reading.fault(
            place,
            f"{name!r} is ordinal and has no order",
            "add order: with its values from lowest to highest",
        )
    if plan.order and plan.type is not VariableType.ORDINAL:
        yield reading.fault(
            (*place, "order"), f"{name!r} is {kind} and has an order", "write type: ordinal, or delete order"
        )
    for limit in ("at_least", "at_most"):
        if getattr(plan, limit) is not None and plan.type is not VariableType.NUMERIC:
            remedy = "write type: numeric if its values are numbers, else list the values with allowed:"
            yield reading.fault(
                (*place, limit), f"{name!r} is {kind} and has {limit}, a limit for numbers", remedy
            )
    if plan.decimals is not None and plan.type is not VariableType.NUMERIC:
        yield reading.fault(
            (*place, "decimals"), f"{name!r} is {kind} and has decimals", "write type: numeric, or delete it"
        )
    if plan.at_least is not None and plan.at_most is not None and plan.at_least > plan.at_most:
        yield reading.fault(
            (*place, "at_least"),
            f"at_least of {name!r} is above its at_most: no value could pass",
            "exchange them, or correct one",
        )
    if plan.role is Role.WEIGHT and plan.type is not VariableType.NUMERIC:
        yield reading.fault(
            (*place, "type"), f"{name!r} is the weight and {kind}", "write type: numeric, or delete the type"
        )
    if plan.per == "household" and reading.profile.roles.household is None and reading.sound("variables"):
        yield reading.fault(
            (*place, "per"),
            f"{name!r} is the same within a household, and no variable has the role household",
            "give one that role",
        )
    yield from _value_lists(reading, place, plan)
    yield from _value_labels(reading, name, plan)


def _value_labels(reading: Reading, name: str, plan: VariablePlan) -> Iterator[Fault]:
    """Faults of words for categories: each category that can occur has words of its own.

    Otherwise two bars could have the same name.
    """
    place: Place = ("variables", name, "values")
    if plan.values and plan.type in (VariableType.NUMERIC, VariableType.DATE):
        yield reading.fault(
            place,
            f"{name!r} is {plan.type.value} and has values:, words for categories",
            "write type: categorical, or delete it",
        )
        return
    declared = next((key for key in ("order", "allowed") if getattr(plan, key)), "")
    words = list(plan.values.values())
    for position, (code, said) in enumerate(plan.values.items()):
        where, which = (*place, code), f"{ordinal(position)} value of values"
        if code in plan.missing_codes:
            yield reading.fault(
                where, f"{which} is a missing code", "what is missing has no words: delete it"
            )
        elif declared and code not in getattr(plan, declared):
            yield reading.fault(where, f"{which} is not in {declared}", "add it there, or delete it")
        if not said.strip():
            yield reading.fault(where, f"{which} has no words", "write them, or delete it")
        elif said in words[:position]:
            yield reading.fault(where, f"{which} has the words of another", "no two may read alike")
        elif said != code and said in (plan.values.keys() | {*plan.order, *plan.allowed}):
            yield reading.fault(where, f"{which} reads like the code of another", "no two may read alike")


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _value_lists(reading: Reading, place: Place, plan: VariablePlan) -> Iterator[Fault]:
    """Faults in lists of values, named by position: people who may not see the values may read a fault."""
    for key in ("order", "allowed", "missing_codes"):
        for position in repeats(getattr(plan, key)):
            yield reading.fault(
                (*place, key, position), f"{ordinal(position)} value of {key} is there before", "keep one"
            )
    for position, value in enumerate(plan.allowed):
        if plan.type is VariableType.NUMERIC and not _is_number(value):
            yield reading.fault(
                (*place, "allowed", position),
                f"{ordinal(position)} value of allowed is no number, and the variable is numeric",
                "correct one",
            )
    for one, other in (("order", "allowed"), ("allowed", "order")):
        for position, value in enumerate(getattr(plan, one)) if plan.order and plan.allowed else ():
            if value not in getattr(plan, other):
                yield reading.fault(
                    (*place, one, position),
                    f"{ordinal(position)} value of {one} is not in {other}",
                    "keep only order: it says what is allowed",
                )
    for key in ("order", "allowed"):
        for position, value in enumerate(getattr(plan, key)):
            if value in plan.missing_codes:
                yield reading.fault(
                    (*place, key, position),
                    f"{ordinal(position)} value of {key} is a missing code too",
                    "it can be one of the two",
                )


def repeats(values: Sequence[str]) -> list[int]:
    return [position for position, value in enumerate(values) if value in values[:position]]
