"""Reads a form of options back: the values a profile would hold, or what is wrong with each field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from sdc.errors import BadProfile, Fault
from sdc.profile.document import Document, Place, read_document
from sdc.profile.shape import misfits
from sdc.studio.forms import NEW, OPTION, FieldKind, OptionField, new_variable, option_fields
from sdc.study.document import plain

if TYPE_CHECKING:
    from sdc.catalogue.entry import CatalogueEntry
    from sdc.data.roles import Roles

Pairs = Sequence[tuple[str, str]]
REMOVED = "remove"


class NotThat(ValueError):
    """A text that cannot be read as what its field asks for; its words are those of the page."""


@dataclass
class FilledForm:
    """Options as they were filled in, and what is wrong with them by the place of a field."""

    options: dict[str, Any] = field(default_factory=dict)
    faults: dict[tuple[str, ...], str] = field(default_factory=dict)

    @property
    def in_words(self) -> list[str]:
        return [f"{place[-1]}: {problem}" for place, problem in self.faults.items()]


def read_form(
    entry: CatalogueEntry, given: Mapping[str, Any], roles: Roles, pairs: Pairs
) -> tuple[FilledForm, list[OptionField]]:
    """The options of a form that was made for `given`, and its fields as filled in.

    A field left empty is an option not given. What equals its default is left out unless it stood there.
    """
    filled = FilledForm()
    sent: dict[tuple[str, ...], list[str]] = {}
    for name, text in pairs:
        sent.setdefault(tuple(map(unquote, name.split("/"))), []).append(text)
    fields = [each for each in option_fields(entry, given, roles) if (REMOVED, each.label) not in sent]
    for each in fields:
        _take(filled, each, sent, filled.options, given)
    _take_new(filled, entry, given, roles, sent)
    _check(filled, entry)
    return filled, [_as_filled(each, sent, filled) for each in fields]


def _take(
    filled: FilledForm,
    asked: OptionField,
    sent: Mapping[tuple[str, ...], list[str]],
    into: dict[str, Any],
    stood: Mapping[str, Any],
) -> None:
    """Put what a field says into the options around it, if it says anything."""
    if asked.asked.kind is FieldKind.GROUP:
        inner: dict[str, Any] = {}
        held = stood.get(asked.label)
        for each in asked.inside:
            _take(filled, each, sent, inner, held if isinstance(held, Mapping) else {})
        if inner or asked.label in stood:
            into[asked.label] = inner
        return
    try:
        value = field_value(asked, sent.get(asked.place, []))
    except NotThat as problem:
        filled.faults[asked.place] = str(problem)
        return
    said = value not in (None, []) and (asked.label in stood or _typed_default(asked) != value)
    if said:
        into[asked.label] = value


def _typed_default(asked: OptionField) -> Any:
    if not asked.default:
        return None
    try:
        return field_value(asked, [asked.default])
    except NotThat:
        return None


def _take_new(
    filled: FilledForm,
    entry: CatalogueEntry,
    given: Mapping[str, Any],
    roles: Roles,
    sent: Mapping[tuple[str, ...], list[str]],
) -> None:
    """One more variable with its value, where one was chosen."""
    fresh = new_variable(entry, given, roles)
    chosen = next(iter(sent.get((NEW,), [])), "")
    if not fresh or not chosen:
        return
    if chosen not in fresh[0].asked.choices:
        filled.faults[NEW,] = "no variable of this kind has that name"
        return
    inner: dict[str, Any] = {}
    _take(filled, fresh[1], sent, inner, {})
    filled.options[chosen] = inner.get("value", {})


def field_value(asked: OptionField, texts: list[str]) -> Any:
    """What was typed, as a profile would hold it; None where nothing was."""
    kind = asked.asked.kind
    if kind is FieldKind.VARIABLES:
        # What was there keeps its order: it may say what matters most.
        kept = [name for name in asked.picked if name in texts]
        return kept + [name for name in asked.asked.choices if name in texts and name not in kept]
    text = texts[0].strip() if texts else ""
    if not text:
        return None
    readers = {
        FieldKind.WHOLE: _whole,
        FieldKind.NUMBER: _number,
        FieldKind.YES_NO: _yes_no,
        FieldKind.YAML: yaml_value,
    }
    bare = kind is FieldKind.YAML and text[0] not in "[{"
    if bare and (asked.asked.is_list or (asked.asked.may_be_list and "," in text)):
        text = f"[{text}]"
    if kind in (FieldKind.CHOICE, FieldKind.VARIABLE) and text not in asked.asked.choices:
        message = f"choose one of {', '.join(asked.asked.choices)}"
        raise NotThat(message)
    return readers[kind](text) if kind in readers else text


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        message = "a whole number is wanted"
        raise NotThat(message) from None


def _number(text: str) -> float | int:
    try:
        value = float(text)
    except ValueError:
        message = "a number is wanted"
        raise NotThat(message) from None
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN alone differs from itself
        message = "a finite number is wanted"
        raise NotThat(message)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _yes_no(text: str) -> bool:
    if text not in ("true", "false"):
        message = "choose true or false"
        raise NotThat(message)
    return text == "true"


def yaml_value(text: str) -> Any:
    """A value written as in a profile, read by the reader of profiles."""
    try:
        return plain(read_document(Path("option"), f"option: {text}\n".encode()).values["option"])
    except BadProfile:
        message = "this cannot be read; write a list [a, b] or pairs {a: b} as in a profile"
        raise NotThat(message) from None


def _check(filled: FilledForm, entry: CatalogueEntry) -> None:
    """What the options' own schema says of them, at the field each fault belongs to."""
    for place, fault in misfits(entry.options, filled.options, (), _Form("form", {}, {}, {})).items():
        where = (OPTION, *map(str, place))
        if not any(where[: len(known)] == known for known in filled.faults):
            filled.faults[where] = "; ".join(filter(None, (fault.problem, fault.remedy)))


class _Form(Document):
    """A document that is a form: the field says where a fault is."""

    def fault(self, place: Place, problem: str, remedy: str = "") -> Fault:
        return Fault("/".join(map(str, place)), problem, remedy)


def _as_filled(
    asked: OptionField, sent: Mapping[tuple[str, ...], list[str]], filled: FilledForm
) -> OptionField:
    """A field with what was typed into it and what is wrong with that."""
    fault = "; ".join(_faults_of(asked, filled))
    if asked.asked.kind is FieldKind.GROUP:
        return replace(
            asked, inside=tuple(_as_filled(each, sent, filled) for each in asked.inside), fault=fault
        )
    texts = sent.get(asked.place, [])
    if asked.asked.kind is FieldKind.VARIABLES:
        return replace(asked, picked=tuple(texts), fault=fault)
    return replace(asked, value=texts[0] if texts else "", fault=fault)


def _faults_of(asked: OptionField, filled: FilledForm) -> Iterator[str]:
    for place, problem in filled.faults.items():
        own = place == asked.place or (
            asked.asked.kind is not FieldKind.GROUP and place[: len(asked.place)] == asked.place
        )
        if own:
            yield problem
