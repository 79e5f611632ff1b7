"""The options of a measure, method or model in words: a line each, and below it what it holds."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sdc.catalogue.options import ColumnName
from sdc.profile.options import marks_of, with_marks
from sdc.profile.wording import LIMITS, listed

if TYPE_CHECKING:
    from sdc.catalogue.registry import CatalogueEntry

A_LIST = "a list of "
NUMBERS = {2: "two", 3: "three"}
PLAIN: Mapping[Any, tuple[str, str]] = {
    bool: ("true or false", "true or false"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("a text", "texts"),
    Any: ("any value", "any values"),
    type(None): ("none", "none"),
}


@dataclass(frozen=True)
class Words:
    """A type in words: one of it, many of it, and the records whose keys are told below."""

    one: str
    many: str
    records: tuple[type[BaseModel], ...] = ()


def option_lines(entry: CatalogueEntry) -> list[str]:
    """What may stand under `with:`."""
    fields = entry.options.model_fields
    lines = [line for name, field in fields.items() for line in _lines(name, with_marks(field), field)]
    if entry.takes_variables:
        annotation = next(hint for name, hint in entry.hints.items() if name not in fields and name != "rng")
        lines += _lines("VARIABLE", annotation, None)
    return lines


def _lines(name: str, annotation: Any, field: FieldInfo | None) -> Iterator[str]:
    """An option and, below it, the keys of the records it holds. Without a field.

    The value of any variable named.
    """
    default = None if field is None or field.is_required() else field.get_default(call_default_factory=True)
    words = worded(
        _but_none(annotation)
        if field is not None and not field.is_required() and default is None
        else annotation
    )
    after = (
        f"for each {_variable(annotation)} named"
        if field is None
        else "required"
        if field.is_required()
        else f"default {_said(default)}"
    )
    yield f"{name}: {words.one} ({after})"
    for record in words.records:
        for key, inner in record.model_fields.items():
            yield from (f"  {line}" for line in _lines(key, with_marks(inner), inner))


def worded(annotation: Any) -> Words:
    """A type as the people who write profiles would say it."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _bounded(annotation)
    if origin in (Union, types.UnionType):
        each = [worded(branch) for branch in inner]
        return Words(
            " or ".join(word.one for word in each), " or ".join(word.many for word in each), _records(each)
        )
    if origin is dict:
        key, value = map(worded, inner)
        pairs = f"{{{key.one.removeprefix('a ')}: {value.one}}}"
        return Words(pairs, pairs, value.records)
    if origin in (list, tuple):
        return _several(origin, inner)
    return _plain(annotation)


def _plain(annotation: Any) -> Words:
    kind = annotation if isinstance(annotation, type) else object
    if issubclass(kind, BaseModel):
        return Words("{keys below}", "{keys below}", (kind,))
    if get_origin(annotation) is Literal or issubclass(kind, Enum):
        choices = [
            str(word.value if isinstance(word, Enum) else word) for word in get_args(annotation) or annotation
        ]
        return Words(listed(choices), f"words among {listed(choices, 'and')}")
    return Words(*PLAIN[annotation])


def _several(origin: Any, inner: tuple[Any, ...]) -> Words:
    each = worded(inner[0])
    count = f"{NUMBERS[len(inner)]} " if origin is tuple and ... not in inner else ""
    return Words(f"{A_LIST}{count}{each.many}", f"lists of {count}{each.many}", each.records)


def _bounded(annotation: Any) -> Words:
    """A type with what is demanded of it: the type of a variable, bounds, no empty list."""
    words = worded(get_args(annotation)[0])
    if words.one == PLAIN[str][0] and marks_of(annotation, ColumnName):
        variable = _variable(annotation)
        return Words(f"{'an' if variable[0] in 'aeiou' else 'a'} {variable}", f"{variable}s")
    facts = [
        fact
        for mark in annotation.__metadata__
        for fact in (mark.metadata if isinstance(mark, FieldInfo) else [mark])
    ]
    bounds = [
        f"{said} {getattr(fact, key):.15g}"
        for fact in facts
        for key, said in LIMITS.items()
        if hasattr(fact, key)
    ]
    demand = f" of {' and '.join(bounds)}" if bounds else ""
    if any(getattr(fact, "min_length", 0) for fact in facts):
        one = words.one.replace(A_LIST, f"{A_LIST}one or more ", 1)
        return Words(one if one != words.one else f"{one}, not empty", words.many, words.records)
    return Words(words.one + demand, words.many + demand, words.records)


def _variable(annotation: Any) -> str:
    """'variable', or of which types it must be."""
    marks = marks_of(annotation, ColumnName)
    kinds = listed(kind.value for kind in marks[0].types) if marks else ""
    always = marks and marks[0].unless is None
    return f"{kinds} variable" if kinds and always else "variable"


def _but_none(annotation: Any) -> Any:
    """A type without the nothing that stands for an option not given."""
    if get_origin(annotation) not in (Union, types.UnionType):
        return annotation
    return Union[tuple(branch for branch in get_args(annotation) if branch is not type(None))]  # noqa: UP007 - made from what is found


def _records(words: list[Words]) -> tuple[type[BaseModel], ...]:
    return tuple(dict.fromkeys(record for word in words for record in word.records))


def _said(value: Any) -> str:
    """A default as it would be written."""
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_said, value))}]"
    return f"{value:g}" if isinstance(value, float) else str(value) or "empty"
