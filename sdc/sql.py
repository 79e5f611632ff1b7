"""How are names and texts written in SQL? Here and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def name(identifier: str) -> str:
    """A column or table name, quoted."""
    return '"' + identifier.replace('"', '""') + '"'


def names(identifiers: Iterable[str]) -> str:
    """Several names, quoted, with commas."""
    return ", ".join(map(name, identifiers))


def text(value: str) -> str:
    """A text literal, quoted."""
    return "'" + value.replace("'", "''") + "'"
