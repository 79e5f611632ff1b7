"""What does a source offer? Something to select from, and its columns."""

from __future__ import annotations

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

    `nulls` are the codes the reader itself has taken for missing.
    """

    relation: str
    columns: Mapping[str, Held]
    nulls: frozenset[str] = frozenset()
