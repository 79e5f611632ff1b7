"""Reads a profile and the lists that stand in files of their own: `with: {figures: yearbook.csv}`.

Lists are read before the profile is, so that a run judges and records what they say, not where they were. A
run keeps them beside its copy of the profile. `ProfileFiles` has the bytes of all of them, read once: what is
parsed, kept and hashed is the same.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from sdc.catalogue.options import FromFile
from sdc.catalogue.registry import measures
from sdc.errors import BadProfile, Fault
from sdc.profile.document import Document, read_document
from sdc.profile.options import marks_of
from sdc.profile.reading import FAMILIES
from sdc.profile.syntax import written_bytes
from sdc.run import digest, durable
from sdc.run.directory import RunDirectory

YAML = (".yaml", ".yml")


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
        return cls.of(path, written_bytes(path), lambda name: _bytes(_there(path, name)))

    @classmethod
    def kept(cls, path: Path, directory: RunDirectory, read: Callable[[Path], bytes]) -> ProfileFiles:
        """The files as a run kept them; `path` is where the profile was, `read` gives the bytes of a file."""
        return cls.of(path, read(directory.profile), lambda name: read(directory.kept_list(name)))

    @classmethod
    def of(cls, path: Path, profile: bytes, find: Callable[[str], bytes | None]) -> ProfileFiles:
        document = read_document(path, profile)
        found = {name: find(name) for name in dict.fromkeys(name for *_, name in _named(document))}
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
    values, faults = dict(document.values), list[Fault]()
    for family, position, option, name in _named(document):
        place = (family, position, "with", option)
        if name not in files.lists:
            faults.append(document.fault(place, f"there is no file {name!r}", "paths begin at the profile"))
            continue
        try:
            held = _read(
                Path(name), files.lists[name], option, _model(_hint(values[family][position], option))
            )
        except BadProfile as wrong:
            faults += wrong.faults
            continue
        except (UnicodeDecodeError, csv.Error) as wrong:
            problem = f"{name!r} cannot be read ({type(wrong).__name__})"
            faults.append(
                document.fault(
                    place,
                    problem,
                    f"write YAML with the key {option}, or CSV in UTF-8 with as many cells in each row",
                )
            )
            continue
        items = list(values[family])
        items[position] = {**items[position], "with": {**items[position]["with"], option: held}}
        values[family] = items
    return replace(document, values=values), faults


def _named(document: Document) -> Iterator[tuple[str, int, str, str]]:
    """Every option that names a file: the family and place of its criterion, the option, the file."""
    for family in FAMILIES:
        listed = document.values.get(family)
        for position, item in enumerate(listed if isinstance(listed, list) else ()):
            measure = measures().get(str(item.get("measure"))) if isinstance(item, dict) else None
            options = item.get("with") if measure else None
            for option, value in (options if isinstance(options, dict) else {}).items():
                if isinstance(value, str) and _model(_hint(item, option)):
                    yield family, position, option, value


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


def _read(file: Path, raw: bytes, option: str, model: type[BaseModel] | None) -> Any:
    if file.suffix.lower() in YAML:
        document = read_document(file, raw)
        if document.faults:
            raise BadProfile(document.faults)
        if list(document.values) != [option]:
            raise BadProfile(
                [
                    document.fault(
                        (),
                        f"the file must have the one key {option}",
                        f"begin with {option}: and list them below",
                    )
                ]
            )
        return document.values[option]
    text = unicodedata.normalize("NFC", raw.decode("utf-8-sig"))
    separator = ";" if text.partition("\n")[0].count(";") > text.partition("\n")[0].count(",") else ","
    return [
        _typed(_nested(row), model)
        for row in csv.DictReader(io.StringIO(text), delimiter=separator, strict=True)
    ]


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
