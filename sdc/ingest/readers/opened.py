"""What does a source offer? Something to select from, and its columns."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Held:
    """A column as the source holds it: how it is written in SQL, and its type."""

    expression: str
    type: str


@dataclass(frozen=True)
class Opened:
    """A source that can be read: `relation` is what stands after FROM.

    `nulls` are the codes the reader itself has taken for missing. Names and texts come in one Unicode normal
    form (NFC), so that what reads the same is the same.
    """

    relation: str
    columns: Mapping[str, Held]
    nulls: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        names = {name: unicodedata.normalize("NFC", name) for name in self.columns}
        distinct = len(set(names.values())) == len(names)
        normal = {
            names[name] if distinct else name: _in_normal_form(held) for name, held in self.columns.items()
        }
        object.__setattr__(self, "columns", normal)


def _in_normal_form(held: Held) -> Held:
    return Held(f"nfc_normalize({held.expression})", held.type) if held.type == "VARCHAR" else held
