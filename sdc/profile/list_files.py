"""Reads a profile and the lists that stand in files of their own: `with: {figures: yearbook.csv}`.

A hierarchy of a step may stand in a file too: `occupation: {hierarchy: isco.csv, level: 2}`. Each line of it
is a value and its ancestors, nearest first.

Lists are read before the profile is, so that a run judges and records what they say, not where they were. A
run keeps them beside its copy of the profile. `ProfileFiles` has the bytes of all of them, read once: what is
parsed, kept and hashed is the same.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ValidationError

from sdc.catalogue.options import FromFile
from sdc.catalogue.registry import measures
from sdc.errors import BadProfile, Fault
from sdc.profile.document import Document, read_document
from sdc.profile.linked import COLUMNS, columns_name, columns_of_households, households_fault, with_linked
from sdc.profile.options import marks_of
from sdc.profile.reading import FAMILIES
from sdc.profile.syntax import written_bytes
from sdc.run import digest, durable
from sdc.run.directory import RunDirectory

if TYPE_CHECKING:
    from sdc.profile.document import Place

YAML = (".yaml", ".yml")
HIERARCHY = "hierarchy"
ROWS = "CSV in UTF-8 with as many cells in each row"
REMEDY = f"write {ROWS}: a value and its ancestors"


@dataclass(frozen=True)
class ProfileFiles:
    """A profile and the lists it names, each read once. `lists` are by the name the profile has for them."""

    path: Path
    profile: bytes
    document: Document
    lists: Mapping[str, bytes]

    @classmethod
    def read(cls, path: Path) -> ProfileFiles:
        """The files as they are on the disk now.

        A list that cannot be read is left out; loading the profile reports it.
        """
        return cls.of_text(path, written_bytes(path))

    @classmethod
    def of_text(
        cls, path: Path, raw: bytes, may_read: Callable[[Path], bool] = lambda _file: True
    ) -> ProfileFiles:
        """The same of a profile that is not written down yet; a file that may not be read is left out."""

        def find(name: str) -> bytes | None:
            if not may_read(_there(path, name.removesuffix(COLUMNS))):
                return None
            kept = _bytes(_there(path, name))
            return (
                columns_of_households(read_document(path, raw), path.parent)
                if (kept is None and name.endswith(COLUMNS))
                else kept
            )

        return cls.of(path, raw, find)

    @classmethod
    def kept(cls, path: Path, directory: RunDirectory, read: Callable[[Path], bytes]) -> ProfileFiles:
        """The files as a run kept them; `path` is where the profile was, `read` gives the bytes of a file."""
        return cls.of(path, read(directory.profile), lambda name: read(directory.kept_list(name)))

    @classmethod
    def of(cls, path: Path, profile: bytes, find: Callable[[str], bytes | None]) -> ProfileFiles:
        document = read_document(path, profile)
        columns = columns_name(document)
        names = dict.fromkeys([*(name for _, name in _named(document)), *([columns] if columns else [])])
        found = {name: find(name) for name in names}
        return cls(path, profile, document, {name: held for name, held in found.items() if held is not None})

    @property
    def sha256(self) -> str:
        return digest.of_bytes(self.profile)

    def keep(self, directory: RunDirectory, version: str | None = None) -> dict[str, str]:
        """Copies in the directory of a run, and where they came from; the SHA-256 of each by its name there.

        `version` is the one the run was given from outside, by its schedule.
        """
        origin = {"profile": str(self.path), "base": str(self.path.parent), "version": version}
        kept = {
            directory.profile: self.profile,
            **{directory.kept_list(name): held for name, held in self.lists.items()},
            directory.origin: digest.canonical(origin),
        }
        for place, content in kept.items():
            place.parent.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
            durable.write(place, content)
        return {directory.name_of(place): digest.of_bytes(content) for place, content in kept.items()}


def with_lists(files: ProfileFiles) -> tuple[Document, list[Fault]]:
    """The document with every list in the place of its file's name, and the faults of unreadable files."""
    document = files.document
    values, faults = document.values, list[Fault]()
    for place, name in _named(document):
        if name not in files.lists:
            faults.append(document.fault(place, f"there is no file {name!r}", "paths begin at the profile"))
            continue
        try:
            held = _read(place, Path(name), files.lists[name], document)
        except BadProfile as wrong:
            faults += wrong.faults
        except (UnicodeDecodeError, csv.Error) as wrong:
            problem = f"{name!r} cannot be read ({type(wrong).__name__})"
            remedy = REMEDY if place[-1] == HIERARCHY else f"write YAML with the key {place[-1]}, or {ROWS}"
            faults.append(document.fault(place, problem, remedy))
        else:
            values = _with(values, place, held)
    columns = columns_name(document)
    held_columns = files.lists.get(columns) if columns else None
    if columns and (unread := households_fault(document, files.path.parent, held_columns)):
        # Without them every variable would be one of persons: no other fault could be believed.
        raise BadProfile([*document.faults, *faults, unread])
    return with_linked(replace(document, values=values), held_columns), faults


def _with(held: Any, place: Place, value: Any) -> Any:
    """The same values with another one at a place."""
    if not place:
        return value
    first, *rest = place
    if isinstance(held, list):
        return [_with(each, tuple(rest), value) if at == first else each for at, each in enumerate(held)]
    return {**held, first: _with(held[first], tuple(rest), value)}


def _named(document: Document) -> Iterator[tuple[Place, str]]:
    """Every place at which the name of a file stands for what is in it."""
    for family in FAMILIES:
        listed = document.values.get(family)
        for position, item in enumerate(listed if isinstance(listed, list) else ()):
            measure = measures().get(str(item.get("measure"))) if isinstance(item, dict) else None
            options = item.get("with") if measure else None
            for option, value in (options if isinstance(options, dict) else {}).items():
                if isinstance(value, str) and _model(_hint(item, option)):
                    yield (family, position, "with", option), value
    for section in ("candidates", "space"):
        yield from _hierarchies(document.values.get(section), (section,))


def _hierarchies(held: Any, place: Place) -> Iterator[tuple[Place, str]]:
    """Hierarchies of steps that are the name of a file."""
    inside = held.items() if isinstance(held, dict) else enumerate(held) if isinstance(held, list) else ()
    for key, value in inside:
        if key == HIERARCHY and isinstance(value, str):
            yield (*place, key), value
        else:
            yield from _hierarchies(value, (*place, key))


def _hint(criterion: Mapping[str, Any], option: str) -> Any:
    return measures()[criterion["measure"]].hints.get(option)


def _model(hint: Any) -> type[BaseModel] | None:
    """What the list of an option that may be a file is made of; None for any other option."""
    marked = [branch for branch in (hint, *get_args(hint)) if marks_of(branch, FromFile)]
    made_of: type[BaseModel] | None = get_args(get_args(marked[0])[0])[0] if marked else None
    return made_of


def _there(path: Path, name: str) -> Path:
    """The file beside the profile, or as a run kept it beside its copy of the profile."""
    kept = RunDirectory(path.parent).kept_list(name)
    return kept if kept.is_file() else path.parent / name


def _bytes(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None


def _read(place: Place, file: Path, raw: bytes, document: Document) -> Any:
    option = str(place[-1])
    if file.suffix.lower() in YAML and option != HIERARCHY:
        written = read_document(file, raw)
        if written.faults:
            raise BadProfile(written.faults)
        if list(written.values) != [option]:
            problem = f"the file must have the one key {option}"
            raise BadProfile([written.fault((), problem, f"begin with {option}: and list them below")])
        return written.values[option]
    text = unicodedata.normalize("NFC", raw.decode("utf-8-sig"))
    separator = ";" if text.partition("\n")[0].count(";") > text.partition("\n")[0].count(",") else ","
    if option == HIERARCHY:
        return _ancestors(csv.reader(io.StringIO(text), delimiter=separator, strict=True))
    family, position, *_ = place
    model = _model(_hint(document.values[str(family)][position], option))
    return [
        _typed(_nested(row), model)
        for row in csv.DictReader(io.StringIO(text), delimiter=separator, strict=True)
    ]


def _ancestors(lines: Iterable[list[str]]) -> dict[str, list[str]]:
    """Each value with its ancestors; a line of headings is one more value, which no record has."""
    made: dict[str, list[str]] = {}
    width = 0
    for line in lines:
        if not any(cell.strip() for cell in line):
            continue
        value, *above = (cell.strip() for cell in line)
        width = width or len(above)
        if len(above) != width or not above or not all((value, *above)):
            message = "a row has more or fewer cells than the first line"
            raise csv.Error(message)
        if made.setdefault(value, above) != above:
            message = "a value has two different ancestors"
            raise csv.Error(message)
    return made


def _typed(row: dict[str, Any], model: type[BaseModel] | None) -> dict[str, Any]:
    """A row with numbers where numbers belong.

    A row that does not fit stays as it is, so that its faults are reported.
    """
    try:
        return model.model_validate(row).model_dump(exclude_unset=True) if model else row
    except ValidationError:
        return row


def _nested(row: dict[Any, Any]) -> dict[str, Any]:
    """A row without its empty cells; `domain.age.at_least` is a key within a key within a key."""
    made: dict[str, Any] = {}
    for name, cell in row.items():
        if name is None or cell is None:
            message = "a row has more or fewer cells than the first line"
            raise csv.Error(message)
        if cell.strip():
            first, *inner = name.strip().split(".")
            within = made
            for step in inner:
                within, first = within.setdefault(first, {}), step
            within[first] = cell.strip()
    return made
