"""Checks that a measure can have the part that a criterion asks for."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import NOT_COMPARED, Measurement
from sdc.catalogue.units import Part
from sdc.data.roles import Role
from sdc.profile.wording import did_you_mean

if TYPE_CHECKING:
    from sdc.catalogue.registry import Measure
    from sdc.errors import Fault
    from sdc.profile.document import Place
    from sdc.profile.reading import Reading

VARIABLE = "VARIABLE"
INDICATOR = "INDICATOR"
"""An indicator, its variable and perhaps a domain, as in mean.income.region.North."""


def part_faults(reading: Reading, measure: Measure, part: str | None, place: Place) -> Iterator[Fault]:
    """A part, named at `place`, that the measure has for no table this profile can make."""
    if part is None or not reading.names_are_known or not reading.sound(*place):
        return
    released = [
        name for name, plan in reading.profile.variables.items() if plan.role is not Role.DIRECT_IDENTIFIER
    ]
    if not can_have(measure, part, released):
        known = [
            name.replace(VARIABLE, each, 1)
            for name in (declared.name for declared in measure.parts)
            for each in (released if name.count(VARIABLE) == 1 else [VARIABLE])
        ]
        remedy = did_you_mean(part, dict.fromkeys(known)) or f"`sdc catalogue {measure.name}` names its parts"
        yield reading.fault(place, f"{measure.name} has no part {part!r}", remedy)


def can_have(measure: Measure, part: str, variables: Collection[str]) -> bool:
    """Whether this is one of the names the measure declares, with the variables there are."""
    return any(
        re.fullmatch(_pattern(declared.name, variables), part, re.DOTALL) for declared in measure.parts
    )


def judged_number(measure: Measure, part: str | None) -> Part:
    """What is declared about the number a criterion judges: the value, or a part.

    Nothing is known about a part that is not declared.
    """
    if part is None:
        return Part(measure.name, measure.better, measure.bounds, measure.unit)
    named = (
        declared for declared in measure.parts if re.fullmatch(_pattern(declared.name, None), part, re.DOTALL)
    )
    return next(named, Part(part))


def is_about_all(measure: Measure, outcome: Measurement, part: str | None) -> bool:
    """Whether the value, or the part, is about every variable it should be about.

    A part that names a variable is about that variable, and the count of those not compared about all.
    """
    return not outcome.not_compared or part == NOT_COMPARED or names_variable(measure, part)


def names_variable(measure: Measure, part: str | None) -> bool:
    """Is it a part of one variable, or of a few that its name has?"""
    return part is not None and any(
        word in judged_number(measure, part).name for word in (VARIABLE, INDICATOR)
    )


def compared_number(measure: Measure, outcome: Measurement, part: str | None) -> float | None:
    """The value, or a part, to compare candidates by; None unless it is about every variable."""
    if not is_about_all(measure, outcome, part):
        return None
    return outcome.estimate if part is None else outcome.parts.get(part)


def _pattern(declared: str, variables: Collection[str] | None) -> str:
    """Which names a declared one stands for; without a list, anything may be a variable."""
    one = ".+" if variables is None else f"(?:{'|'.join(map(re.escape, variables)) or '(?!)'})"
    stands_for = {
        "VARIABLES": rf"{one}(?:\+{one})*",
        VARIABLE: one,
        INDICATOR: rf".+?\.{one}(?:\..+)?",
        "NUMBER": r"\d+",
        "TEXT": ".+",
    }
    return re.sub("|".join(stands_for), lambda word: stands_for[word[0]], re.escape(declared))
