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
from sdc.spelling import composed
from sdc.study.python_words import in_python

if TYPE_CHECKING:
    from sdc.profile.plan import Profile

Concern = Callable[[Reading], Iterable[Fault]]


@dataclass(frozen=True)
class StudyDocument(Document):
    """The values of a profile that stands in no file: a place is said by what it belongs to."""

    def fault(self, place: Place, problem: str, remedy: str = "") -> Fault:
        problem, remedy = (
            in_python(problem),
            in_python(remedy).replace("`sdc catalogue`", self._catalogue(place)),
        )
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
        if place[:1] == ("source",) and len(place) > 1:
            return "holdout" if place[1] == "holdout_share" else str(place[1])
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
    if isinstance(value, Mapping):
        return {str(key): plain(held) for key, held in value.items()}
    if isinstance(value, list | tuple | range):
        return [plain(held) for held in value]
    # Columns of polars and Arrow give their values under names of their own.
    for name in ("to_list", "to_pylist"):
        if hasattr(value, name):
            return plain(getattr(value, name)())
    return digest.plain(value)


def options_of(unit: str, given: Any, call: str, more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Options as a mapping of plain values; BadStudy where something else stands in their place."""
    if not isinstance(given, Mapping | None):
        problem = f"its options are no mapping but of type {type(given).__name__}"
        raise BadStudy([Fault(unit, problem, f"write {call}")])
    told = {str(key): held for key, held in {**(given or {}), **(more or {})}.items()}
    found = {composed(key): composed(plain(held)) for key, held in told.items()}
    faults = [
        Fault(unit, f"option {name!r} is a column of a frame", "give names or values as a list")
        for name, held in told.items()
        if type(held).__name__ == "Series" and getattr(held, "name", None)
    ]
    faults += [
        Fault(
            unit,
            f"option {name!r} is of type {type(held).__name__}",
            "give texts, numbers, lists or mappings",
        )
        for name, held in found.items()
        if not isinstance(held, str | int | float | list | dict | None)
    ]
    if faults:
        raise BadStudy(faults)
    return found


def one_name(call: str, given: Any, *, several: bool = False) -> str:
    """A name that is a text; BadStudy where something else stands in its place."""
    if not isinstance(given, str):
        problem = f"a name is meant, and this is of type {type(given).__name__}"
        write = f'{call}("one", "another")' if several else f'{call}("name")'
        raise BadStudy([Fault(call, problem, f"write {write}")])
    return str(composed(given))


def writable(path: Any, endings: tuple[str, ...], call: str) -> Path:
    """Where a file may be written: in a folder that is there, with an ending that is known."""
    if not isinstance(path, str | Path):
        problem = f"the path of a file is meant, and this is of type {type(path).__name__}"
        raise BadStudy([Fault(call, problem, f'write {call}("name{endings[0]}")')])
    place = Path(path)
    if place.suffix.lower() not in endings:
        what = f"no file that ends in {place.suffix}" if place.suffix else "no file without an ending"
        remedy = f"end its name in {' or '.join(endings)}"
        raise BadStudy([Fault(str(place), f"{call} writes {what}", remedy)])
    if not place.absolute().parent.is_dir():
        problem = f"there is no folder {place.parent}"
        raise BadStudy([Fault(str(place), problem, "make it first, or name another place")])
    if place.is_dir():
        raise BadStudy([Fault(str(place), "this is a folder", "name a file in it")])
    return place


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
