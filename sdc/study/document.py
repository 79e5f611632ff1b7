"""Reads what a study was told as a profile is read, and says its faults in words of Python.

A study is a profile in the making. It holds the same keys and values, they are checked by the same rules,
and what is written by `to_profile` is what was measured.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.catalogue.external import makers
from sdc.catalogue.registry import measures
from sdc.errors import BadStudy, Fault
from sdc.profile.document import Document, Place
from sdc.profile.reading import FAMILIES, Note, Reading, read_profile
from sdc.run import digest

if TYPE_CHECKING:
    from sdc.profile.plan import Profile

Concern = Callable[[Reading], Iterable[Fault]]
TOLD = re.compile(r"with: \{(\w+): \.\.\.\}")


@dataclass(frozen=True)
class StudyDocument(Document):
    """The values of a profile that stands in no file: a place is said by what it belongs to."""

    def fault(self, place: Place, problem: str, remedy: str = "") -> Fault:
        remedy = TOLD.sub(r"\1=...", remedy).replace("`sdc catalogue`", self._catalogue(place))
        if "has no option" in problem and (known := self._options(place)):
            remedy = "; ".join(filter(None, (remedy.partition("known here")[0], f"its options: {known}")))
        return Fault(self._said(place), problem.replace("the profile has none", "the study has none"), remedy)

    def _said(self, place: Place) -> str:
        if place[:1] == ("variables",) and len(place) > 1:
            return f"variable {place[1]!r}"
        if place[:1] == ("candidates",) and len(place) > 2:
            step = self.values["candidates"][place[1]][place[2]]
            return f"step {int(place[2]) + 1}, {step.get('method')}"
        if place[:1] in [(family,) for family in FAMILIES] and len(place) > 1:
            criterion = self.values[str(place[0])][place[1]]
            return str(criterion.get("as") or criterion.get("measure"))
        return " ".join(map(str, place[:2])) or "the study"

    def _options(self, place: Place) -> str:
        """The options of the method or measure a place belongs to."""
        held: Any = self.values
        for step in place[: 3 if place[:1] == ("candidates",) else 2]:
            held = held[step]
        entry = {**measures(), **makers()}.get(str(held.get("method") or held.get("measure")))
        return ", ".join(entry.options.model_fields) if entry else ""

    @staticmethod
    def _catalogue(place: Place) -> str:
        return "sdc.methods()" if place[:1] == ("candidates",) else "sdc.measures()"


def plain(value: Any) -> Any:
    """A value as a profile holds it: texts, numbers, lists and keys."""
    return digest.plain(value)


def read(values: Mapping[str, Any], *concerns: Concern) -> tuple[Profile, list[str]]:
    """The values as a profile, and notes on it; BadStudy with every fault."""
    held = plain(values)
    document = StudyDocument("study", held, {}, dict(_texts(held, ())))
    reading, misfits = read_profile(document)
    remarks = [*misfits, *(remark for concern in concerns for remark in concern(reading))]
    faults = [remark for remark in remarks if not isinstance(remark, Note)]
    if faults:
        raise BadStudy(list(dict.fromkeys(faults)))
    return reading.profile, [str(remark) for remark in remarks]


def _texts(value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    """Every single value as it would be typed in a file."""
    if isinstance(value, dict):
        for key, held in value.items():
            yield from _texts(held, (*place, key))
    elif isinstance(value, list):
        for position, held in enumerate(value):
            yield from _texts(held, (*place, position))
    elif value is not None:
        yield place, str(value).lower() if isinstance(value, bool) else str(value)


WORDS_OF_YAML = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
PLAIN = re.compile(r"[^\W\d][\w.\-]*( [\w.\-]+)*")


def flow(value: Any) -> str:
    """A value in one line of YAML, read back as it is."""
    import json

    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(held)}" for key, held in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, str) and PLAIN.fullmatch(value) and value.isprintable():
        return value if value.lower() not in WORDS_OF_YAML else json.dumps(value)
    if isinstance(value, float):
        text = repr(value)
        return text if "." in text or "e" not in text else text.replace("e", ".0e")
    return json.dumps(value, ensure_ascii=False)


def relative(path: Path, folder: Path) -> str:
    """The way from a folder to a file, written with forward strokes."""
    import os

    return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
