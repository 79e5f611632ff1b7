"""Checks the options of steps and criteria, and that the variables they name exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel

from sdc.catalogue.options import ColumnName
from sdc.catalogue.registry import CatalogueEntry
from sdc.data.roles import LEFT_BEHIND, Role, VariableType
from sdc.profile.plan import Criterion, StepPlan
from sdc.profile.shape import fits, keys_at, misfits
from sdc.profile.wording import did_you_mean, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic.fields import FieldInfo

    from sdc.errors import Fault
    from sdc.profile.document import Place
    from sdc.profile.reading import Reading

Mark = TypeVar("Mark")


def option_faults(
    reading: Reading, entry: CatalogueEntry, options: Mapping[str, Any], place: Place
) -> Iterator[Fault]:
    """Faults of `with`, which stands at `place`."""
    given = dict(options)
    for where, fault in misfits(entry.options, given, place, reading.document).items():
        option = where[-1] if len(where) == len(place) + 1 else None
        if option is None or (option in given and not _is_unknown(entry, option)):
            yield fault
        elif option in given:
            yield _unknown_option(reading, entry, where)
        else:
            yield reading.fault(
                place, f"{entry.name} must be told {option}", f"write with: {{{option}: ...}}"
            )
    if entry.takes_variables and not given:
        yield reading.fault(place, f"{entry.name} is told of no variable", "write with: {variable: ...}")
    if reading.names_are_known:
        for where, name, mark in named_columns(entry, given):
            yield from _column_faults(reading, name, (*place, *where))
            if mark.unless is None or _valued(entry, given, mark.unless[0]) != mark.unless[1]:
                yield from _type_faults(reading, entry, name, mark.types, (*place, *where))


def _is_unknown(entry: CatalogueEntry, option: str | int) -> bool:
    return not entry.takes_variables and option not in entry.options.model_fields


def _unknown_option(reading: Reading, entry: CatalogueEntry, place: Place) -> Fault:
    option = str(place[-1])
    owner = StepPlan if place[0] == "candidates" else Criterion
    known = list(entry.options.model_fields)
    if option in keys_at(owner, ()):
        remedy = f"{option} stands beside with:, not in it"
    else:
        remedy = did_you_mean(option, known) if known else "it has no options"
    return reading.fault(place, f"{entry.name} has no option {option!r}", remedy)


def _column_faults(reading: Reading, name: str, place: Place) -> Iterator[Fault]:
    variables = reading.profile.variables
    if name not in variables:
        yield reading.fault(place, f"no variable is called {name!r}", did_you_mean(name, variables))
    elif reading.sound("variables", name) and variables[name].role in LEFT_BEHIND:
        what = "a direct identifier" if variables[name].role is Role.DIRECT_IDENTIFIER else "dropped"
        yield reading.fault(
            place,
            f"{name!r} is {what}: it stays behind at ingest and no step or measure sees it",
            "leave it out",
        )


def _valued(entry: CatalogueEntry, given: Mapping[str, Any], option: str) -> Any:
    """An option's value, its default where it is not given."""
    return given.get(option, entry.options.model_fields[option].default)


def _type_faults(
    reading: Reading, entry: CatalogueEntry, name: str, types: tuple[VariableType, ...], place: Place
) -> Iterator[Fault]:
    plan = reading.profile.variables.get(name)
    if (
        plan is None
        or not reading.sound("variables", name)
        or not types
        or plan.type in types
        or plan.role in LEFT_BEHIND
    ):
        return
    problem = f"{name!r} is {plan.type.value}, and {entry.name} can do this only to {listed(types)} variables"
    yield reading.fault(
        place, problem, f"leave it out, or declare it {listed(types)} if that is what its values are"
    )


def named_columns(entry: CatalogueEntry, given: Mapping[str, Any]) -> Iterator[tuple[Place, str, ColumnName]]:
    """Every variable named in options, with its place in them and what it must be."""
    each = _said_of_each(entry, given) if entry.takes_variables else {}
    for option, value in given.items():
        if option in entry.options.model_fields:
            yield from _columns_in(entry.hints[option], value, (option,))
        elif entry.takes_variables:
            yield (option,), option, each.get(option, ColumnName())


def marks_of(annotation: Any, kind: type[Mark]) -> list[Mark]:
    """The marks of one kind that stand beside a type."""
    return [mark for mark in getattr(annotation, "__metadata__", ()) if isinstance(mark, kind)]


def with_marks(field: FieldInfo) -> Any:
    """A field's type with its marks, which pydantic keeps apart."""
    return Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation


def _said_of_each(entry: CatalogueEntry, given: Mapping[str, Any]) -> dict[str, ColumnName]:
    """Of the variables `with` maps to values: what the method says of all, or the value itself."""
    annotation = next(
        hint for name, hint in entry.hints.items() if name not in entry.options.model_fields and name != "rng"
    )
    marks = marks_of(annotation, ColumnName)
    if marks or not fits(entry.options, dict(given)):
        return dict.fromkeys(given, marks[0]) if marks else {}
    held = entry.options.model_validate(dict(given)).model_extra or {}
    return {name: ColumnName(getattr(value, "types", ())) for name, value in held.items()}


def _columns_in(annotation: Any, value: Any, place: Place) -> Iterator[tuple[Place, str, ColumnName]]:
    if get_origin(annotation) is Annotated:
        marks = marks_of(annotation, ColumnName)
        if marks and isinstance(value, str):
            yield place, value, marks[0]
            return
        annotation = get_args(annotation)[0]
    inner = get_args(annotation)
    if isinstance(value, dict) and isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, field in annotation.model_fields.items():
            yield from _columns_in(with_marks(field), value[name], (*place, name)) if name in value else ()
    elif isinstance(value, dict) and get_origin(annotation) is dict:
        for key, held in value.items():
            yield from _columns_in(inner[0], key, (*place, key))
            yield from _columns_in(inner[1], held, (*place, key))
    elif isinstance(value, list) and get_origin(annotation) in (list, tuple, set, frozenset):
        for position, held in enumerate(value):
            yield from _columns_in(
                inner[0] if ... in inner or len(inner) == 1 else inner[min(position, len(inner) - 1)],
                held,
                (*place, position),
            )
    else:
        for branch in inner if get_origin(annotation) not in (list, tuple, set, frozenset, dict) else ():
            yield from _columns_in(branch, value, place)
