"""The options and recorded facts that may be shown, and how they read."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from sdc.report import wording

if TYPE_CHECKING:
    from sdc.catalogue.registry import CatalogueEntry
    from sdc.report.edition import Rules

HIDDEN = "not shown"
WORDS = {None: "none", True: "yes", False: "no"}
# Whole numbers a step records under these words count something other than records.
NO_RECORDS = (
    "levels",
    "bands",
    "classes",
    "groups",
    "k",
    "width",
    "columns",
    "variables",
    "models",
    "visits",
)
Texts = tuple[tuple[str, str], ...]


def options(given: Mapping[str, Any], entry: CatalogueEntry, rules: Rules) -> Texts:
    """Options as they were given.

    The public edition hides texts that are neither a variable nor a word of the catalogue.
    """
    say = _Saying(rules, rules.variables | vocabulary(entry))
    return tuple((name, say.text(value)) for name, value in given.items() if name != "seed")


def recorded(record: Mapping[str, Any], entry: CatalogueEntry, rules: Rules) -> Texts:
    """What a step recorded of its work. Whole numbers there are taken for counts of records."""
    say = _Saying(rules, rules.variables | vocabulary(entry))
    return tuple(
        (_label(name, rules), say.text(value, counts=_counts_records(name))) for name, value in record.items()
    )


def counts_of_records(record: Mapping[str, Any], entry: CatalogueEntry, rules: Rules) -> dict[str, Texts]:
    """What a step recorded that is counts of records and nothing else.

    It has, under the label, each count and the words before it: a number in a variable's name counts nobody.
    """
    said = dict(recorded(record, entry, rules))
    counts = {
        _label(name, rules): tuple(_counted(value, rules))
        for name, value in record.items()
        if _is_counts(name, value)
    }
    return {label: found for label, found in counts.items() if said[label] != HIDDEN}


def _counted(value: Any, rules: Rules, before: str = "") -> Iterator[tuple[str, str]]:
    if not isinstance(value, Mapping):
        yield before, rules.count(value).text
        return
    for key, each in value.items():
        yield from _counted(each, rules, f"{before}{key}: ")


def _is_counts(name: str, value: Any) -> bool:
    if isinstance(value, Mapping):
        return bool(value) and all(_is_counts(f"{name}_{key}", each) for key, each in value.items())
    return isinstance(value, int) and not isinstance(value, bool) and _counts_records(name)


def _label(name: str, rules: Rules) -> str:
    return name if name in rules.variables else wording.title(name)


@dataclass(frozen=True)
class _Saying:
    rules: Rules
    known: frozenset[str]

    def text(self, value: Any, *, counts: bool | None = None) -> str:
        """A value in words. `counts`: whole numbers count records (None: this is no record of work)."""
        if isinstance(value, bool | None):
            return WORDS[value]
        if isinstance(value, int | float):
            return (
                self.rules.count(value).text if counts and isinstance(value, int) else wording.number(value)
            )
        if isinstance(value, BaseModel):
            return self._mapping(
                {name: getattr(value, name) for name in sorted(value.model_fields_set)}, counts
            )
        if isinstance(value, Mapping):
            return self._mapping(value, counts)
        return (
            self._several(value, counts)
            if isinstance(value, Iterable) and not isinstance(value, str)
            else self._word(value)
        )

    def _word(self, value: Any) -> str:
        word = str(value.value) if isinstance(value, Enum) else str(value)
        return word if not self.rules.public or word in self.known else HIDDEN

    def _several(self, values: Iterable[Any], counts: bool | None) -> str:
        texts = [self.text(value, counts=counts) for value in values]
        return HIDDEN if texts and set(texts) == {HIDDEN} else "[" + ", ".join(texts) + "]"

    def _mapping(self, value: Mapping[Any, Any], counts: bool | None) -> str:
        if self.rules.public and any(
            str(key) not in self.known and (counts is None or not _is_term(str(key))) for key in value
        ):
            return HIDDEN
        inner = {key: None if counts is None else counts and _counts_records(str(key)) for key in value}
        return (
            ", ".join(f"{key}: {self.text(each, counts=inner[key])}" for key, each in value.items()) or "none"
        )


def _counts_records(name: str) -> bool:
    return not any(word in NO_RECORDS for word in name.split("_"))


def _is_term(word: str) -> bool:
    """A name a program gave: lower case, words joined by underscores."""
    return "_" in word and all(part.isalpha() and part.islower() for part in word.split("_"))


def vocabulary(entry: CatalogueEntry) -> frozenset[str]:
    """Words that belong to a measure or method itself: names of its options and the choices they offer."""
    names = {name for name in entry.hints if name not in ("return", "rng", "table", "roles", "pair")}
    return frozenset(names | {word for hint in entry.hints.values() for word in _words(hint)})


def _words(hint: Any) -> Iterable[str]:
    """Every word a type spells out: literals, members of enumerations, fields of records."""
    if typing.get_origin(hint) is typing.Literal:
        yield from (str(word) for word in typing.get_args(hint))
    elif typing.get_origin(hint) is not None:
        for inner in typing.get_args(hint):
            yield from _words(inner)
    elif isinstance(hint, type):
        yield from _spelt(hint)


def _spelt(kind: type) -> Iterable[str]:
    if issubclass(kind, Enum):
        yield from (str(member.value) for member in kind)
    elif issubclass(kind, BaseModel):
        for name, field in kind.model_fields.items():
            yield from (name, *_words(field.annotation))
    elif is_dataclass(kind):
        yield from (field.name for field in fields(kind))
