"""What does a source offer? Something to select from, and its columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sdc.errors import BadData, Fault


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


def refuse_doubtful_names(path: Path, names: Sequence[str]) -> None:
    """Two columns of one name, or one without, would make it a matter of luck which is which."""
    faults = [Fault(str(path), f"column {place} has no name", "name it in the first line") for place, name in enumerate(names, 1) if not name]
    for folded, count in Counter(name.lower() for name in names if name).items():
        if count > 1:
            alike = sorted({name for name in names if name.lower() == folded})
            called = " and ".join(repr(name) for name in alike)
            faults.append(Fault(str(path), f"{count} columns are called {called}, which capitals do not tell apart", "rename all but one"))
    if faults:
        raise BadData(faults)
