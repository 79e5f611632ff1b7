"""Lists that stand in a file of their own: `with: {figures: yearbook.csv}`.

They are read before the profile is, so that a run judges and records what they say, not where they were. A run keeps them
beside its copy of the profile.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ValidationError

from sdc import digest
from sdc.catalogue import FromFile, measures
from sdc.errors import BadProfile, Fault
from sdc.profile.document import read_document
from sdc.profile.options import marks_of
from sdc.profile.reading import FAMILIES

if TYPE_CHECKING:
    from sdc.profile.document import Document

KEPT = "lists"
YAML = (".yaml", ".yml")


def with_lists(document: Document, path: Path) -> tuple[Document, list[Fault]]:
    """The document with every list in the place of its file's name, and the faults of files that cannot be read."""
    values, faults = dict(document.values), list[Fault]()
    for family, position, option, name in _named(document):
        place, file = (family, position, "with", option), _there(path, name)
        if not file.is_file():
            faults.append(document.fault(place, f"there is no file {name!r}", "paths begin at the profile"))
            continue
        try:
            held = _read(file, option, _model(_hint(values[family][position], option)))
        except BadProfile as wrong:
            faults += wrong.faults
            continue
        except (OSError, UnicodeDecodeError, csv.Error) as wrong:
            problem = f"{name!r} cannot be read ({type(wrong).__name__})"
            faults.append(document.fault(place, problem, f"write YAML with the key {option}, or CSV in UTF-8 with as many cells in each row"))
            continue
        items = list(values[family])
        items[position] = {**items[position], "with": {**items[position]["with"], option: held}}
        values[family] = items
    return replace(document, values=values), faults


def keep_lists(path: Path, directory: Path) -> Iterator[tuple[Path, bytes]]:
    """What a run keeps of the files a profile names: where, and their bytes."""
    for name in dict.fromkeys(name for *_, name in _named(read_document(path))):
        yield directory / KEPT / _kept_as(name), (path.parent / name).read_bytes()


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
    kept = path.parent / KEPT / _kept_as(name)
    return kept if kept.is_file() else path.parent / name


def _kept_as(name: str) -> str:
    return f"{digest.of_bytes(name.encode())[:12]}-{Path(name).name}"


def _read(file: Path, option: str, model: type[BaseModel] | None) -> Any:
    if file.suffix.lower() in YAML:
        document = read_document(file)
        if document.faults:
            raise BadProfile(document.faults)
        if list(document.values) != [option]:
            raise BadProfile([document.fault((), f"the file must have the one key {option}", f"begin with {option}: and list them below")])
        return document.values[option]
    text = file.read_text(encoding="utf-8-sig")
    separator = ";" if text.partition("\n")[0].count(";") > text.partition("\n")[0].count(",") else ","
    return [_typed(_nested(row), model) for row in csv.DictReader(io.StringIO(text), delimiter=separator, strict=True)]


def _typed(row: dict[str, Any], model: type[BaseModel] | None) -> dict[str, Any]:
    """A row with numbers where numbers belong; as it is where it does not hold, for its faults to be told."""
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
