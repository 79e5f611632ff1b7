"""Checks that every criterion can be judged and says what it is meant to say."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from sdc.catalogue.finding import Otherwise
from sdc.catalogue.registry import Family, Measure, Need, measures
from sdc.catalogue.units import Better, Part, Unit
from sdc.catalogue.validity import BUDGET_MEASURE
from sdc.profile.options import option_faults
from sdc.profile.parts import judged_number, part_faults
from sdc.profile.plan import Access, Criterion, Profile
from sdc.profile.wording import PLACEHOLDER, SIMPLE_NAME, SIMPLE_NAME_IN_WORDS, did_you_mean, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sdc.data.roles import Roles
    from sdc.errors import Fault
    from sdc.profile.document import Place
    from sdc.profile.reading import Reading

NEEDED = {
    Need.QUASI_IDENTIFIERS: ("a quasi-identifier", "give at least one variable the role quasi_identifier"),
    Need.SENSITIVE: ("a sensitive variable", "give at least one variable the role sensitive"),
    Need.NUMERIC: ("a numeric variable", "write type: numeric where values are numbers"),
    Need.WEIGHT: ("a weight", "give one variable the role weight"),
    Need.HOUSEHOLD: ("households", "give one variable the role household"),
    Need.HOUSEHOLD_LEVEL: (
        "a variable of households",
        "write per: household where it is the same for all members, or name variables",
    ),
    Need.POPULATION: ("a population file", "add population: {path: ...} under source"),
    Need.HOLDOUT: ("records held out", "add holdout_share: 0.1 under source"),
}


def criterion_faults(reading: Reading) -> Iterator[Fault]:
    """Faults of each criterion by itself, and of aliases between them."""
    aliases: dict[str, list[tuple[Place, Criterion]]] = {}
    for place, criterion in reading.criteria():
        before = aliases.setdefault(criterion.alias, [])
        if before and not _judges_another_part(place, criterion, before):
            problem = (
                f"{criterion.alias!r} is the name of a criterion already, on line"
                f" {reading.document.line(before[0][0])}"
            )
            yield reading.fault(place, problem, "name this one with as:, or judge another part of that one")
        before.append((place, criterion))
        yield from _naming_faults(reading, place, criterion)
        yield from _range_faults(reading, place, criterion)
        yield from _coverage_faults(reading, place, criterion)
        if criterion.measure not in measures():
            remedy = did_you_mean(
                criterion.measure, [name for name, entry in measures().items() if entry.family == place[0]]
            )
            yield reading.fault(
                (*place, "measure"),
                f"no measure is called {criterion.measure!r}",
                remedy or "see `sdc catalogue`",
            )
            continue
        yield from _measure_faults(reading, place, criterion, measures()[criterion.measure])


def _judges_another_part(
    place: Place, criterion: Criterion, before: Sequence[tuple[Place, Criterion]]
) -> bool:
    """Whether a criterion judges a further part of a measurement that is taken already.

    It is the same measurement where measure and options are the same, in the same section.
    """
    return all(
        place[0] == other[0]
        and criterion.part != held.part
        and criterion.is_judged
        and (criterion.measure, criterion.options) == (held.measure, held.options)
        for other, held in before
    )


def _naming_faults(reading: Reading, place: Place, criterion: Criterion) -> Iterator[Fault]:
    if criterion.name and not re.match(SIMPLE_NAME, criterion.name):
        yield reading.fault(
            (*place, "as"), f"as cannot be {criterion.name!r}", f"write {SIMPLE_NAME_IN_WORDS}"
        )
    if criterion.name != criterion.measure and criterion.name in measures():
        yield reading.fault(
            (*place, "as"),
            f"as cannot be {criterion.name!r}: that is another measure",
            "choose a name of its own",
        )
    if (
        criterion.is_judged
        and reading.profile.access is Access.OPEN
        and reading.sound("access")
        and _says_nothing(reading, place, criterion)
    ):
        problem = f"{criterion.alias} is judged in an open release and does not say by which rule"
        yield reading.fault(place, problem, 'add because: "the rule, standard or decision behind the limit"')
    if criterion.because.strip() == PLACEHOLDER:
        problem = (
            f"because of {criterion.alias} is still the draft's, and goes into the public report as it is"
        )
        yield reading.note(
            (*place, "because"), problem, "write the rule, standard or decision behind the limit"
        )


def _says_nothing(reading: Reading, place: Place, criterion: Criterion) -> bool:
    return reading.sound(*place, "because") and not criterion.because.strip()


def _range_faults(reading: Reading, place: Place, criterion: Criterion) -> Iterator[Fault]:
    if (
        criterion.at_least is not None
        and criterion.at_most is not None
        and criterion.at_least > criterion.at_most
    ):
        yield reading.fault(
            (*place, "at_least"),
            f"at_least is above at_most: {criterion.alias} could never hold",
            "exchange them, or correct one",
        )
    if not criterion.is_judged and "otherwise" in criterion.model_fields_set and reading.sound(*place):
        problem = f"{criterion.alias} has otherwise: and no range, so nothing is judged"
        yield reading.fault((*place, "otherwise"), problem, "add at_least or at_most, or delete otherwise")


def _coverage_faults(reading: Reading, place: Place, criterion: Criterion) -> Iterator[Fault]:
    known = reading.profile.candidates
    for position, name in enumerate(criterion.candidates):
        if name not in known and ("candidates",) not in reading.broken:
            yield reading.fault(
                (*place, "for", position),
                f"for: names {name!r}, which is no candidate",
                did_you_mean(name, known),
            )


def _measure_faults(
    reading: Reading, place: Place, criterion: Criterion, measure: Measure
) -> Iterator[Fault]:
    if measure.family != place[0]:
        yield reading.fault(
            place,
            f"{measure.name} is a measure of {measure.family.value}",
            f"move it under {measure.family.value}:",
        )
    yield from option_faults(reading, measure, criterion.options, (*place, "with"))
    yield from part_faults(reading, measure, criterion.part, (*place, "part"))
    for need in sorted(unmet_needs(measure, reading)):
        what, remedy = NEEDED[need]
        if criterion.is_judged:
            yield reading.fault(place, f"{measure.name} needs {what}, and the profile has none", remedy)
        else:
            yield reading.note(
                place,
                f"{criterion.alias} will not be assessed: it needs {what}, and the profile has none",
                remedy,
            )
    if reading.sound(*place):
        yield from _pointless_range(reading, place, criterion, measure)


def unmet_needs(measure: Measure, reading: Reading) -> set[Need]:
    """What a measure needs and the profile lacks; alignment is a matter of the steps."""
    met = met_needs(reading.profile)
    of_source = {Need.POPULATION, Need.HOLDOUT}
    return {
        need
        for need in measure.needs
        if need is not Need.ALIGNED
        and not met[need]
        and reading.sound("source" if need in of_source else "variables")
    }


def met_needs(profile: Profile) -> dict[Need, bool]:
    """Which needs a profile meets; alignment is a matter of the steps."""
    roles = profile.roles
    return {
        Need.QUASI_IDENTIFIERS: bool(roles.quasi_identifiers),
        Need.SENSITIVE: bool(roles.sensitive),
        Need.NUMERIC: bool(roles.numeric),
        Need.WEIGHT: roles.weight is not None,
        Need.HOUSEHOLD: roles.household is not None,
        Need.HOUSEHOLD_LEVEL: any(variable.household_level for variable in roles),
        Need.POPULATION: profile.source.population is not None,
        Need.HOLDOUT: profile.source.holdout_share > 0,
    }


def _pointless_range(
    reading: Reading, place: Place, criterion: Criterion, measure: Measure
) -> Iterator[Fault]:
    number = judged_number(measure, criterion.part)
    low, high = number.bounds
    if (criterion.at_least is not None and criterion.at_least > high) or (
        criterion.at_most is not None and criterion.at_most < low
    ):
        yield reading.fault(
            place, f"this can never hold: {number.name} lies {_between(low, high)}", "correct the limit"
        )
    elif criterion.is_judged and cannot_fail(criterion, number):
        yield reading.fault(
            place,
            f"this can never fail: {number.name} lies {_between(low, high)}",
            "correct the limit, or delete it",
        )
    elif criterion.is_judged and number.better is not None and not limits_the_harm(criterion, measure):
        yield from _harmless_range(reading, place, criterion, measure, number)
    else:
        yield from _wrong_scale(reading, place, criterion, number)


def _harmless_range(
    reading: Reading, place: Place, criterion: Criterion, measure: Measure, number: Part
) -> Iterator[Fault]:
    """A range on the side where the number is good, or so wide that nobody calls it protection."""
    good = "at_least" if number.better is Better.HIGHER else "at_most"
    if getattr(criterion, good) is not None:
        problem = f"the limit of {criterion.alias} lies beyond what anybody calls protection"
        yield reading.note(place, problem, f"a limit that protects lies {_between(*measure.protects_within)}")
        return
    problem = (
        f"{criterion.alias} is better when {number.better}, and this range does not stop it from being bad"
    )
    yield reading.note(place, problem, f"a limit that protects is {good}, {_between(*number.bounds)}")


def _wrong_scale(reading: Reading, place: Place, criterion: Criterion, number: Part) -> Iterator[Fault]:
    """A limit that reads as if it were written on another scale than the number is measured on."""
    for key in ("at_least", "at_most"):
        limit = getattr(criterion, key)
        if limit and (meant := _meant(abs(limit), number.unit)):
            problem = (
                f"{key} of {criterion.alias} is {limit:g}, and its unit is {number.unit.value}: {meant[0]}"
            )
            yield reading.note((*place, key), problem, meant[1])


def _meant(limit: float, unit: Unit) -> tuple[str, str] | None:
    """What a limit says on the scale of its number, and what may be meant.

    It is None where nothing is strange about it.
    """
    if unit.whole == 100 and limit < 1:
        return f"that is {limit / 100:g} of all", f"write {100 * limit:g} if {limit:g} of all is meant"
    if unit.whole == 1000 and limit <= 100:
        return (
            f"that is {limit / 1000:g} of all",
            f"write {1000 * limit:g} or {10 * limit:g} if a share or per cent was meant",
        )
    if unit.whole == 1 and limit > 1:
        return f"that is {100 * limit:g} per cent", f"write {limit / 100:g} if {limit:g} per cent is meant"
    if unit.counts and limit != int(limit):
        return "whole ones are counted", f"write {math.ceil(limit)}"
    return None


def cannot_fail(criterion: Criterion, number: Part) -> bool:
    """Whether every value the number can have meets the range."""
    low, high = number.bounds
    return (criterion.at_least is None or criterion.at_least <= low) and (
        criterion.at_most is None or criterion.at_most >= high
    )


def _between(low: float, high: float) -> str:
    ends = [
        f"at or above {low:g}" if math.isfinite(low) else "",
        f"at or below {high:g}" if math.isfinite(high) else "",
    ]
    return listed(filter(None, ends), "and") or "anywhere"


def limits_the_harm(criterion: Criterion, measure: Measure) -> bool:
    """Whether the range bounds the number from the side where it is bad, within what protects.

    Facts without a direction have no such side.
    """
    number = judged_number(measure, criterion.part)
    limit = criterion.at_least if number.better is Better.HIGHER else criterion.at_most
    if number.better is None or limit is None or cannot_fail(criterion, number):
        return False
    low, high = number.bounds
    protects = criterion.part is not None or measure.protects_within[0] <= limit <= measure.protects_within[1]
    return protects and (limit > low if number.better is Better.HIGHER else limit < high)


def promises(criterion: Criterion) -> bool:
    """Whether a release would be stopped or referred when the risk is too high."""
    measure = measures().get(criterion.measure)
    return (
        measure is not None
        and measure.family is Family.RISK
        and criterion.is_judged
        and criterion.otherwise is not Otherwise.NOTE
        and limits_the_harm(criterion, measure)
    )


def keys_covered(criterion: Criterion, roles: Roles) -> frozenset[str]:
    """The keys a criterion is about: those it names, else all.

    A budget spent on some variables says nothing about a record's other values.
    """
    keys = frozenset(roles.quasi_identifiers)
    named = [
        frozenset(criterion.options[option])
        for option in ("keys", "variables")
        if criterion.options.get(option)
    ]
    return keys.intersection(*named) if not is_of_some_values(criterion, roles) else frozenset()


def is_of_some_values(criterion: Criterion, roles: Roles) -> bool:
    """Whether it is a privacy budget that leaves out a key or a sensitive variable."""
    named = criterion.options.get("variables") if criterion.measure == BUDGET_MEASURE else None
    return bool(named) and not {*roles.quasi_identifiers, *roles.sensitive} <= {*(named or ())}
