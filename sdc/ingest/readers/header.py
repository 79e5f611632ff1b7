"""Compares the columns of a file with those the profile declares.

The file's own words are never repeated: they may be a record.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.errors import BadData, Fault
from sdc.spelling import counted, nearest

if TYPE_CHECKING:
    from sdc.profile.plan import VariablePlan

MOST_PLACES = 8
NUMBER = re.compile(r"[-+]?\d+([.,]\d+)?")


def refuse_doubtful_names(path: Path, names: Sequence[str]) -> None:
    """Two columns of one name, or one without, would make it a matter of luck which is which."""
    faults = [
        Fault(str(path), f"column {place} has no name", "name it in the first line")
        for place, name in enumerate(names, 1)
        if not name
    ]
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names, 1):
        if name:
            places.setdefault(name.lower(), []).append(place)
    for alike in places.values():
        if len(alike) > 1:
            problem = f"{_columns(alike)} have one name, which capitals do not tell apart"
            faults.append(
                Fault(str(path), problem, "rename all but one; the first line holds the names of the columns")
            )
    if faults:
        raise BadData([*faults, *([headless(path)] if _seem_values(names) else [])])


def _seem_values(names: Sequence[str]) -> bool:
    """Are most of the names numbers, as values of a first record would be?"""
    return 2 * sum(bool(NUMBER.fullmatch(name)) for name in names) > len(names)


def headless(path: Path) -> Fault:
    return Fault(
        str(path),
        "this file seems to have no header",
        "its first line, or its schema, must hold the names of the columns",
    )


def undeclared(variables: Collection[str], found: Sequence[str], path: Path, remedy: str) -> list[Fault]:
    """Columns only the file has, told by position and count.

    Where it has none of the profile's, it seems to have no header.
    """
    if not set(variables) & set(found):
        return [headless(path)]
    places = [place for place, name in enumerate(found, 1) if name not in variables]
    if not places:
        return []
    problem = (
        f"the data have {counted(len(places), 'column')} the profile does not declare, {_columns(places)} of"
        " the file"
    )
    return [Fault(str(path), problem, remedy)]


def column_faults(variables: Mapping[str, VariablePlan], found: Sequence[str], path: Path) -> list[Fault]:
    """Columns only the profile knows, and columns only the data have."""
    unknown = undeclared(variables, found, path, "declare them; a column with the role dropped stays behind")
    if unknown and unknown[0] == headless(path):
        return unknown
    return [*_absent(variables, found, path), *unknown]


def _absent(variables: Collection[str], found: Sequence[str], path: Path) -> Iterator[Fault]:
    unclaimed = [name for name in found if name not in variables]
    for name in variables:
        if name not in found:
            near = _nearest(name, unclaimed)
            remedy = f"column {found.index(near) + 1} of the file has nearly this name" if near else ""
            yield Fault(
                f"{path}, column {name!r}", "the profile declares it and the data do not have it", remedy
            )


def _nearest(name: str, known: Sequence[str]) -> str | None:
    folded = next((other for other in known if other.lower() == name.lower()), None)
    return folded or nearest(name, list(known))


def _columns(places: Sequence[int]) -> str:
    """'column 3', 'columns 3 and 5', 'columns 3, 5 and 12 more'."""
    shown = [str(place) for place in places[:MOST_PLACES]]
    rest = len(places) - len(shown)
    if rest:
        return f"columns {', '.join(shown)} and {rest:,} more"
    return f"column {shown[0]}" if len(shown) == 1 else f"columns {', '.join(shown[:-1])} and {shown[-1]}"
