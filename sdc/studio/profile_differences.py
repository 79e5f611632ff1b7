"""What differs between two profiles, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sdc.study.document import flow

NAMES = ("as", "measure", "method", "name")
"""What an item of a list is called by."""


@dataclass(frozen=True)
class Difference:
    """One place where two profiles differ; None where it is not written."""

    section: str
    place: str
    before: str | None
    after: str | None

    @property
    def sentence(self) -> str:
        if self.before is None:
            return f"{self.place} is new: {self.after}"
        if self.after is None:
            return f"{self.place} is gone; it was {self.before}"
        return f"{self.place} was {self.before} and is {self.after}"


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Every difference from one profile to another, in the order of the later one."""
    return list(_differences(_ready(before), _ready(after), ()))


def _ready(values: Mapping[str, Any]) -> dict[str, Any]:
    """Variables with their roles written out: `age: other` is short for a role."""
    held = dict(values)
    variables = held.get("variables")
    if isinstance(variables, dict):
        held["variables"] = {
            name: {"role": told} if isinstance(told, str) else told for name, told in variables.items()
        }
    return held


def _differences(before: Any, after: Any, place: tuple[str, ...]) -> Iterator[Difference]:
    if before == after:
        return
    one, other = _named(before), _named(after)
    if one is None or other is None:
        yield _difference(place, before, after)
        return
    for key in dict.fromkeys([*other, *one]):
        yield from _differences(one.get(key), other.get(key), (*place, key))


def _named(value: Any) -> dict[str, Any] | None:
    """The parts of a value by name; None where it has none."""
    if isinstance(value, dict):
        return {str(key): held for key, held in value.items()}
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        found: dict[str, Any] = {}
        for item in value:
            name = next((str(item[key]) for key in NAMES if key in item), "item")
            number = sum(known.partition(" ")[0] == name for known in found)
            found[f"{name} {number + 1}" if number else name] = item
        return found
    return None


def _difference(place: tuple[str, ...], before: Any, after: Any) -> Difference:
    section = place[0] if place else ""
    words = " › ".join(place[1:]) or section
    return Difference(section, words, _said(before), _said(after))


def _said(value: Any) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else flow(value)
    return text if len(text) <= 160 else f"{text[:159]}…"
