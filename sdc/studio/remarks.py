"""All faults and notes of an open profile, each with the place it belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.run.plain_words import without_places

if TYPE_CHECKING:
    from sdc.errors import Fault
    from sdc.profile.document import Document, Place

ROOM_OF = {
    "source": "data",
    "variables": "variables",
    "missing_keys": "variables",
    "candidates": "protection",
    "space": "search",
    "risk": "criteria",
    "utility": "criteria",
    "prefer": "criteria",
    "map": "criteria",
}
ELSEWHERE = "run"
QUOTED = re.compile(r"'([^']+)'")
LINE = re.compile(r":(\d+)$")


@dataclass(frozen=True)
class Remark:
    """One fault or note: where it belongs, what it says, what would be right."""

    place: Place
    problem: str
    remedy: str = ""
    line: int | None = None
    is_note: bool = False
    of_data: bool = False

    @property
    def room(self) -> str:
        return ROOM_OF.get(str(self.place[0]), ELSEWHERE) if self.place else ELSEWHERE

    @property
    def sentence(self) -> str:
        return without_places(f"{self.problem}; {self.remedy}" if self.remedy else self.problem)

    @property
    def anchor(self) -> str:
        return ".".join(map(str, self.place))


@dataclass(frozen=True)
class Remarks:
    """What is wrong with a profile, and what is to be known about it."""

    all: tuple[Remark, ...] = ()

    @property
    def faults(self) -> tuple[Remark, ...]:
        return tuple(each for each in self.all if not each.is_note)

    @property
    def notes(self) -> tuple[Remark, ...]:
        return tuple(each for each in self.all if each.is_note)

    def of_room(self, room: str) -> tuple[Remark, ...]:
        return tuple(each for each in self.all if each.room == room)

    def at(self, *place: str | int) -> tuple[Remark, ...]:
        """Those at or within a place."""
        return tuple(each for each in self.all if each.place[: len(place)] == place)

    def by_line(self) -> Mapping[int, list[Remark]]:
        found: dict[int, list[Remark]] = {}
        for each in self.all:
            if each.line is not None:
                found.setdefault(each.line, []).append(each)
        return found


def of_profile(faults: Iterable[Fault], document: Document | None, *, notes: bool = False) -> list[Remark]:
    """Faults of the text, each at the place that its line is of."""
    found = []
    for fault in faults:
        number = LINE.search(fault.place)
        line = int(number[1]) if number else None
        place = place_of_line(document, line) if document is not None and line is not None else ()
        found.append(Remark(place, fault.problem, fault.remedy, line, is_note=notes))
    return found


def of_data(faults: Iterable[Fault], document: Document | None) -> list[Remark]:
    """Faults of the data: at the variable they name, else at the source."""
    return [_of_data(fault.place, fault.problem, fault.remedy, document) for fault in faults]


def notes_of_data(notes: Iterable[str], document: Document | None) -> list[Remark]:
    return [_of_data("", note, "", document, is_note=True) for note in notes]


def _of_data(
    where: str, problem: str, remedy: str, document: Document | None, *, is_note: bool = False
) -> Remark:
    declared = (document.values.get("variables") if document else None) or {}
    named = [name for name in QUOTED.findall(f"{where} {problem}") if name in declared]
    place: Place = ("variables", named[0]) if named else ("source",)
    line = document.line(place) if document else None
    return Remark(place, problem, remedy, line, is_note=is_note, of_data=True)


def place_of_line(document: Document, line: int) -> Place:
    """What all places that begin on a line have in common."""
    on_line = [place for place, at in document.lines.items() if at == line and place]
    return _common(on_line)


def _common(places: Sequence[Place]) -> Place:
    if not places:
        return ()
    shortest = min(places, key=len)
    for depth in range(len(shortest), 0, -1):
        if all(place[:depth] == shortest[:depth] for place in places):
            return shortest[:depth]
    return ()
