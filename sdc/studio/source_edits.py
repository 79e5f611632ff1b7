"""Edits of the section `source`: how the file is read, which file it is, a draft made anew."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.catalogue.readers import scheme_of
from sdc.draft import draft
from sdc.errors import BadProfile, Fault
from sdc.profile.plan import Source
from sdc.studio.found_file import MOST_COUNTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc.profile.document import Place
    from sdc.studio.profile_text import ProfileText
    from sdc.studio.workbench import Workbench

TEXTS = ("format", "separator", "encoding", "quote", "decimal", "sheet", "range", "table", "query", "where")
LISTS = ("missing_codes", "columns", "record_key")
DIALECT = ("separator", "encoding", "quote")
"""What a draft made anew takes over from the profile instead of guessing it."""


def section(text: ProfileText) -> Place:
    """Where the keys of the file of records stand: with a second file of households they are `persons`."""
    source = text.at(("source",))
    return ("source", "persons") if isinstance(source, dict) and "persons" in source else ("source",)


def usual(key: str) -> Any:
    """The value a key has where it is not written."""
    field = Source.model_fields.get(key)
    held = field.get_default(call_default_factory=True) if field and not field.is_required() else None
    return list(held) if isinstance(held, tuple) else held


def set_source(workbench: Workbench, told: Mapping[str, Any], expected: int) -> None:
    """Write what was said of the source; keys with their usual value are left out."""
    text, place = workbench.profile_text, section(workbench.profile_text)

    def change(draft_text: ProfileText, _: int) -> None:
        for key, value in told.items():
            now = draft_text.at((*place, key))
            if value in (usual(key), None, [], "") and value != now:
                if now is not None:
                    draft_text.remove((*place, key), expected=draft_text.revision)
            elif value != now and not (now is None and value == usual(key)):
                draft_text.set((*place, key), value, expected=draft_text.revision)

    text.edit(change, expected=expected, said="changed how the source is read")


def use_file(workbench: Workbench, path: Path, expected: int) -> None:
    """Read this file instead, as the profile says now."""
    place = section(workbench.profile_text)
    name = relative(path, workbench.path.parent)
    workbench.profile_text.set((*place, "path"), name, expected=expected, said=f"chose {path.name}")


def draft_anew(
    workbench: Workbench, path: Path, expected: int, *, keeping: bool = False, **told: Any
) -> None:
    """The draft of a file in place of all that is written; `keeping` what the profile says of reading it."""
    text = workbench.profile_text
    held = text.at(section(text)) if keeping else None
    source = held if isinstance(held, dict) else {}
    corrections = {key: str(source[key]) for key in DIALECT if key in source}
    named = {key: source[key] for key in ("table", "query", "sheet") if key in source}
    cells = {"cells": source["range"]} if "range" in source else {}
    given = {key: value for key, value in told.items() if value}
    made = draft(
        path,
        kept_in=workbench.path.parent,
        corrections=corrections,
        most=MOST_COUNTED,
        **{**named, **cells, **given},
    )
    text.replace_text(made, expected=expected, said=f"drafted from {path.name}")
    workbench.opening_problem = ""


def source_path(workbench: Workbench) -> Path:
    """The file of the records, below the folders; an address of a database as it is."""
    named = workbench.profile_text.at((*section(workbench.profile_text), "path"))
    if not isinstance(named, str):
        raise BadProfile([Fault(workbench.path.name, "the profile names no source", "choose a file")])
    if scheme_of(Path(named)):
        return Path(named)
    return workbench.folders.require(workbench.path.parent / named)


def relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder.resolve())).as_posix()
