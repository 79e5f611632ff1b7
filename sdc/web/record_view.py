"""What may be shown of a sealed record: everything except what reveals its randomness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sdc.report import wording

SECRET = frozenset({"seed", "secret", "randomness", "sealed"})
HIDDEN = "kept in the record, not shown"
NAMED_BY = ("name", "as", "criterion", "measure", "method")


@dataclass(frozen=True)
class FactTree:
    """A fact, or facts under a name."""

    name: str
    text: str = ""
    inner: tuple[FactTree, ...] = ()


def nodes(held: Mapping[str, Any]) -> tuple[FactTree, ...]:
    """A record as facts within facts, in the order of their names."""
    return tuple(node(name, value) for name, value in held.items() if value not in ({}, [], None, ""))


def node(name: str, value: Any) -> FactTree:
    if name in SECRET:
        return FactTree(name, HIDDEN if value not in ({}, [], None) else "—")
    if isinstance(value, Mapping):
        return FactTree(name, inner=nodes(value)) if value else FactTree(name, "—")
    if is_list_of_records(value):
        return FactTree(
            name, inner=tuple(node(called(each, number), each) for number, each in enumerate(value, start=1))
        )
    return FactTree(name, text(value))


def is_list_of_records(value: Any) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and any(isinstance(each, Mapping) for each in value)
    )


def called(held: Any, number: int) -> str:
    """What one of several records is called."""
    name = (
        next((str(held[key]) for key in NAMED_BY if held.get(key)), "") if isinstance(held, Mapping) else ""
    )
    return f"{number}. {name}" if name else str(number)


def text(value: Any) -> str:
    """A value of a record as it is read."""
    if value is None or value in ("", []):
        return "—"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return wording.number(value, 6)
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {text(inner)}" for name, inner in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(text(each) for each in value)
    return str(value)
