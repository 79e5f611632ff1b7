"""Checks that every step has what its method cannot do without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from sdc.catalogue.external import makers
from sdc.catalogue.needs import DeclaredCategories, OfEachNumber
from sdc.catalogue.registry import Method
from sdc.catalogue.validity import touched
from sdc.data.roles import Role, VariableType
from sdc.profile.criteria import NEEDED, met_needs
from sdc.profile.options import marks_of, named_columns
from sdc.profile.plan import Access
from sdc.profile.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sdc.errors import Fault
    from sdc.profile.document import Place
    from sdc.profile.plan import StepPlan
    from sdc.profile.reading import Reading


Mark = TypeVar("Mark")


def need_faults(reading: Reading) -> Iterator[Fault]:
    """Steps that would be refused whatever the data are.

    A role that no variable has, or numbers that an option must name and does not.
    """
    if not reading.sound("variables"):
        return
    for name in reading.understood:
        steps = reading.profile.candidates[name]
        for position, step in enumerate(steps):
            method, place = makers()[step.method], ("candidates", name, position)
            told = method.options.model_validate(step.options).model_dump()
            yield from _role_faults(reading, method, told, place)
            changed = changed_by(reading, steps[:position])
            yield from _number_faults(reading, method, told, place, changed)
            yield from _category_faults(reading, method, told, place, changed)


def extra_faults(reading: Reading) -> Iterator[Fault]:
    """Methods whose packages are not installed here."""
    for name in reading.understood:
        for position, step in enumerate(reading.profile.candidates[name]):
            extra = makers()[step.method].extra
            if extra is not None and extra.missing:
                yield reading.fault(
                    ("candidates", name, position),
                    f"{step.method} cannot run here: {extra.lack}",
                    extra.remedy,
                )


def _role_faults(reading: Reading, method: Method, told: Mapping[str, Any], place: Place) -> Iterator[Fault]:
    met = met_needs(reading.profile)
    for need in sorted(method.needs):
        if not met[need] and method.needs[need](told):
            what, remedy = NEEDED[need]
            yield reading.fault(place, f"{method.name} needs {what}, and the profile has none", remedy)


def _number_faults(
    reading: Reading, method: Method, told: Mapping[str, Any], place: Place, changed: frozenset[str]
) -> Iterator[Fault]:
    """Numbers that an option leaves out; after an earlier step changed one, it may no longer be a number."""
    for option, mark in _marked(method, OfEachNumber):
        if mark.given and told[mark.given] is None:
            continue
        numbers = [
            name
            for name, plan in reading.profile.variables.items()
            if plan.type in (VariableType.NUMERIC, VariableType.DATE)
            and plan.role not in (Role.DIRECT_IDENTIFIER, Role.HOUSEHOLD)
        ]
        if left_out := [name for name in numbers if name not in told[option] and name not in changed]:
            problem = (
                f"{method.name} must be told {option} of {listed(map(repr, left_out), 'and')}: {mark.because}"
            )
            yield reading.fault(
                place,
                problem,
                f"write with: {{{option}: {{{left_out[0]}: ...}}}}, or recode them in a step before",
            )


def _category_faults(
    reading: Reading, method: Method, told: Mapping[str, Any], place: Place, changed: frozenset[str]
) -> Iterator[Fault]:
    """Categories that would be taken from the data; so are those that an earlier step made."""
    for option, mark in _marked(method, DeclaredCategories):
        if told[option] is None or reading.profile.access is not Access.OPEN:
            continue
        kept = {
            name: plan
            for name, plan in reading.profile.variables.items()
            if plan.role not in (Role.DIRECT_IDENTIFIER, Role.HOUSEHOLD)
        }
        named = [
            name
            for name, plan in kept.items()
            if plan.type in (VariableType.CATEGORICAL, VariableType.ORDINAL)
        ]
        if bare := [
            name for name in named if name not in changed and not (kept[name].allowed or kept[name].order)
        ]:
            problem = (
                f"{method.name} does not know the categories of {listed(map(repr, bare), 'and')}:"
                f" {mark.because}"
            )
            yield reading.fault(place, problem, f"write {bare[0]}: {{..., allowed: [...]}} under variables:")
        if made := [name for name in kept if name in changed]:
            problem = (
                f"{method.name} would read off the data which categories a step before gave to"
                f" {listed(map(repr, made), 'and')}: {mark.because}"
            )
            yield reading.fault(
                place, problem, f"leave that step out; {method.name} puts numbers into bands by its own edges"
            )


def _marked(method: Method, kind: type[Mark]) -> Iterator[tuple[str, Mark]]:
    for option, hint in method.hints.items():
        yield from ((option, mark) for mark in marks_of(hint, kind))


def changed_by(reading: Reading, steps: Sequence[StepPlan]) -> frozenset[str]:
    """All that the steps touch or name."""
    roles = reading.profile.roles
    changed = [touched(makers()[step.method], step.options, roles) for step in steps]
    named = [{name for _, name, _ in named_columns(makers()[step.method], step.options)} for step in steps]
    return frozenset().union(*changed, *named)
