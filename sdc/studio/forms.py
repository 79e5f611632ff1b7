"""Makes a form from the options of a method or measure: types, bounds, defaults and help from its schema."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin
from urllib.parse import quote

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sdc.catalogue.options import ColumnName
from sdc.cli.option_lines import worded
from sdc.profile.options import marks_of, with_marks
from sdc.study.document import flow

if TYPE_CHECKING:
    from sdc.catalogue.entry import CatalogueEntry
    from sdc.data.roles import Roles

OPTION = "option"
NEW = "new"
"""The first step of a field's name: an option that is given, or one of a variable that is to be named."""
BOUNDS = {"ge": "least", "gt": "least", "le": "most", "lt": "most"}
FORMULA_ROWS = 40
"""Texts longer than this get a field of several lines."""


class FieldKind(StrEnum):
    """How an option is asked for."""

    WHOLE = "whole"
    NUMBER = "number"
    CHOICE = "choice"
    YES_NO = "yes_no"
    VARIABLE = "variable"
    VARIABLES = "variables"
    TEXT = "text"
    YAML = "yaml"
    GROUP = "group"


@dataclass(frozen=True)
class AskedOption:
    """What an annotation asks for, before anything is given."""

    kind: FieldKind
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    record: type[BaseModel] | None = None
    is_list: bool = False
    may_be_list: bool = False


@dataclass(frozen=True)
class OptionField:
    """One option in a form: `value` as it would be typed, `picked` the variables of a list."""

    place: tuple[str, ...]
    asked: AskedOption
    words: str
    help: str = ""
    required: bool = False
    default: str = ""
    value: str = ""
    picked: tuple[str, ...] = ()
    inside: tuple[OptionField, ...] = ()
    fault: str = ""
    removable: bool = False

    @property
    def name(self) -> str:
        """Its name in the form: the place, each step quoted, since a variable may be called anything."""
        return "/".join(quote(step, safe="") for step in self.place)

    @property
    def label(self) -> str:
        return self.place[-1]

    @property
    def kind(self) -> str:
        return self.asked.kind.value

    @property
    def is_long(self) -> bool:
        return len(self.value) > FORMULA_ROWS


def option_fields(entry: CatalogueEntry, given: Mapping[str, Any], roles: Roles) -> list[OptionField]:
    """A field for every option; for those that `with` names by variable, a group for each variable given."""
    told = sentences(entry)
    fields = [
        _field((OPTION, name), with_marks(info), info, given.get(name), roles, told.get(name, ""))
        for name, info in entry.options.model_fields.items()
    ]
    if entry.takes_variables:
        annotation = per_variable(entry)
        fields += [
            replace(_field((OPTION, name), annotation, None, held, roles, ""), removable=True)
            for name, held in given.items()
            if name not in entry.options.model_fields
        ]
    return fields


def new_variable(entry: CatalogueEntry, given: Mapping[str, Any], roles: Roles) -> tuple[OptionField, ...]:
    """The choice of one more variable and the fields of its value; none where options have no variables."""
    if not entry.takes_variables:
        return ()
    annotation = per_variable(entry)
    mark = next(iter(marks_of(annotation, ColumnName)), ColumnName())
    free = tuple(name for name in variables_for(mark, roles) if name not in given)
    chosen = OptionField((NEW,), AskedOption(FieldKind.VARIABLE, free), "one more variable", value="")
    return (chosen, _field((NEW, "value"), annotation, None, None, roles, "")) if free else ()


def per_variable(entry: CatalogueEntry) -> Any:
    """The type of the value that `with` has for each variable."""
    return next(
        hint for name, hint in entry.hints.items() if name not in entry.options.model_fields and name != "rng"
    )


def variables_for(mark: ColumnName, roles: Roles) -> tuple[str, ...]:
    """The released variables an option may name."""
    if not mark.types or mark.unless is not None:
        return tuple(roles.released)
    return tuple(name for name in roles.released if roles[name].type in mark.types)


def sentences(entry: CatalogueEntry) -> dict[str, str]:
    """What the documentation of a unit says of each option: the sentences that name it."""
    text = " ".join(entry.definition.partition("Reference")[0].split())
    said: dict[str, list[str]] = {}
    for sentence in re.split(r"(?<=\.)\s+", text):
        for name in entry.options.model_fields:
            if f"`{name}`" in sentence or sentence.startswith(f"{name} "):
                said.setdefault(name, []).append(sentence)
    return {name: " ".join(found) for name, found in said.items()}


def _field(
    place: tuple[str, ...], annotation: Any, info: FieldInfo | None, given: Any, roles: Roles, told: str
) -> OptionField:
    asked = asked_by(annotation, roles)
    given = given.value if isinstance(given, Enum) else given
    required = info is not None and info.is_required()
    default = None if info is None or required else info.get_default(call_default_factory=True)
    made = OptionField(
        place,
        asked,
        _in_words(annotation),
        told,
        required,
        "" if default is None or default in ([], {}, "") else typed(_plain(default)),
    )
    if asked.kind is FieldKind.GROUP and (given is None or isinstance(given, Mapping)):
        return replace(made, inside=tuple(_inside(place, asked.record, given or {}, roles)))
    if asked.kind is FieldKind.GROUP:
        return replace(made, asked=replace(asked, kind=FieldKind.YAML), value=typed(given))
    if asked.kind is FieldKind.VARIABLES:
        if given is not None and not _is_list_of(given, asked.choices):
            return replace(made, asked=replace(asked, kind=FieldKind.YAML, is_list=True), value=typed(given))
        return replace(made, picked=tuple(given or ()))
    return replace(made, value="" if given is None else typed(given))


def _inside(
    place: tuple[str, ...], record: type[BaseModel] | None, given: Mapping[str, Any], roles: Roles
) -> Iterator[OptionField]:
    assert record is not None
    for name, info in record.model_fields.items():
        yield _field((*place, name), with_marks(info), info, given.get(name), roles, "")


def asked_by(annotation: Any, roles: Roles) -> AskedOption:
    """How to ask for a value of a type; whatever has no field of its own is typed as in the profile."""
    annotation = _but_none(annotation)
    marks = marks_of(annotation, ColumnName)
    if get_origin(annotation) is Annotated:
        inner = asked_by(get_args(annotation)[0], roles)
        if marks and inner.kind is FieldKind.TEXT:
            return AskedOption(FieldKind.VARIABLE, variables_for(marks[0], roles))
        return replace(inner, **_bounds(annotation))
    if choices := _choices(annotation):
        return AskedOption(FieldKind.CHOICE, choices)
    return _several(annotation, roles) or _plainly_asked(annotation)


def _several(annotation: Any, roles: Roles) -> AskedOption | None:
    """How to ask for a list, or for what may be one."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is list:
        each = asked_by(inner[0], roles)
        if each.kind is FieldKind.VARIABLE:
            return AskedOption(FieldKind.VARIABLES, each.choices)
    if origin in (list, tuple, set, frozenset):
        return AskedOption(FieldKind.YAML, is_list=True)
    if origin in (Union, types.UnionType):
        return AskedOption(FieldKind.YAML, may_be_list=any(get_origin(each) is list for each in inner))
    return None


def _plainly_asked(annotation: Any) -> AskedOption:
    kind = annotation if isinstance(annotation, type) else object
    if issubclass(kind, BaseModel):
        return AskedOption(FieldKind.GROUP, record=kind)
    by_type = {bool: FieldKind.YES_NO, int: FieldKind.WHOLE, float: FieldKind.NUMBER, str: FieldKind.TEXT}
    return AskedOption(by_type.get(kind, FieldKind.TEXT if kind is Path else FieldKind.YAML))


def _choices(annotation: Any) -> tuple[str, ...]:
    """The words that may be chosen among; none where it is not only words."""
    if get_origin(annotation) in (Union, types.UnionType):
        each = [_choices(branch) for branch in get_args(annotation)]
        return tuple(word for words in each for word in words) if all(each) else ()
    if get_origin(annotation) is Literal:
        return tuple(map(str, get_args(annotation)))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple(str(member.value) for member in annotation)
    return ()


def _bounds(annotation: Any) -> dict[str, Any]:
    facts = [
        fact
        for mark in annotation.__metadata__
        for fact in (mark.metadata if isinstance(mark, FieldInfo) else [mark])
    ]
    return {
        side: getattr(fact, key)
        for fact in facts
        for key, side in BOUNDS.items()
        if isinstance(getattr(fact, key, None), (int, float))
    }


def _but_none(annotation: Any) -> Any:
    """A type without the nothing that stands for an option not given; marks around it are kept."""
    if get_origin(annotation) is Annotated:
        inner = _but_none(get_args(annotation)[0])
        return Annotated[inner, *annotation.__metadata__]
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation
    return Union[tuple(branch for branch in get_args(annotation) if branch is not type(None))]  # noqa: UP007 - made from what is found


def _in_words(annotation: Any) -> str:
    bare = _but_none(annotation)
    return "a path that begins at the profile" if bare is Path else worded(bare).one


def _is_list_of(given: Any, choices: Sequence[str]) -> bool:
    return isinstance(given, (list, tuple)) and all(name in choices for name in given)


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    return list(value) if isinstance(value, tuple) else value


def typed(value: Any) -> str:
    """A value as it would be typed: numbers and words bare, lists and pairs as in a profile."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else flow(value)
