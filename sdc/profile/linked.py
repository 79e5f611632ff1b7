"""A source of two linked files: persons, and the households they belong to.

    source:
      households: {path: households.csv}
      persons: {path: persons.csv, key: household_id}

The file of persons is the source; what is written under `persons` counts as written under `source`. Variables
of the file of households are `per: household`. Which those are depends on the columns of that file, so a run
keeps their names beside its copy of the profile.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sdc.catalogue.readers import open_any, scheme_of
from sdc.data import sql
from sdc.data.roles import Role
from sdc.data.warehouse import KEY_VARIABLE
from sdc.errors import Faulty, SdcError
from sdc.profile.plan import LinkedSource
from sdc.profile.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.errors import Fault
    from sdc.profile.document import Document, Place
    from sdc.profile.reading import Reading

PERSONS: Place = ("source", "persons")
COLUMNS = ".columns"


def columns_name(document: Document) -> str | None:
    """The name under which a run keeps the columns of the file of households; None where there is none."""
    households = _households(document)
    return f"{households['path']}{COLUMNS}" if households else None


def _households(document: Document) -> Mapping[str, Any] | None:
    source = document.values.get("source")
    held = source.get("households") if isinstance(source, dict) else None
    return held if isinstance(held, dict) and isinstance(held.get("path"), str) else None


def columns_of_households(document: Document, base: Path) -> bytes | None:
    """The names of the columns of the file of households, as JSON; None where they cannot be read."""
    import duckdb

    try:
        return _columns(document, base)
    except (SdcError, ValidationError, OSError, UnicodeError, duckdb.Error):
        return None


def _columns(document: Document, base: Path) -> bytes:
    source = LinkedSource.model_validate(_households(document))
    if not scheme_of(source.path):
        return _names(source, (base / source.path).resolve())
    # A table of a server is also found without its schema, but then all of it is read.
    with suppress(SdcError):
        return _names(_without_records(source), source.path)
    return _names(source, source.path)


def _names(source: LinkedSource, path: Path) -> bytes:
    import duckdb

    with tempfile.TemporaryDirectory(prefix="columns-") as private, duckdb.connect(":memory:") as room:
        # With a key of the warehouse a packed file is unpacked into memory.
        room.execute(f"SET temp_file_encryption = {KEY_VARIABLE in os.environ}")
        with open_any(source, path, room.cursor(), Path(private)) as found:
            asked = [name for name in found.columns if not source.columns or name in source.columns]
            return json.dumps(asked).encode()


def _without_records(source: LinkedSource) -> LinkedSource:
    """The same with no record of its server: only the names of its columns are wanted."""
    table = ".".join(sql.name(part) for part in (source.table or "").split("."))
    asked = f"({source.query.strip().rstrip(';')}\n) AS wanted" if source.query else table
    return source.model_copy(update={"table": None, "query": f"SELECT * FROM {asked} LIMIT 0"})


def households_fault(document: Document, base: Path, columns: bytes | None) -> Fault | None:
    """Why the columns of the file of households are not known: nobody can say then what is per household.

    None where they are, or where the section `source` has faults of its own.
    """
    try:
        path = LinkedSource.model_validate(_households(document)).path
    except ValidationError:
        return None
    if columns is not None:
        variables = document.values.get("variables")
        known = {*json.loads(columns)} & {*(variables if isinstance(variables, dict) else ())}
        remedy = "its first line, or its schema, must hold the names of the columns"
        problem = "" if known else f"{path} has no column that the profile declares"
    elif not (scheme_of(path) or (base / path).exists()):
        problem, remedy = f"there is no such file: {path}", "paths are relative to the profile"
    else:
        problem, remedy = _why_unread(document, base)
        problem = f"{path} cannot be read: {problem}"
    return document.fault(("source", "households"), problem, remedy) if problem else None


def _why_unread(document: Document, base: Path) -> tuple[str, str]:
    import duckdb

    try:
        _columns(document, base)
    except Faulty as bad:
        return bad.faults[0].problem, bad.faults[0].remedy
    except (SdcError, OSError, UnicodeError, duckdb.Error) as error:
        return f"a {type(error).__name__}", ""
    return "it has just been changed", "try again when nobody writes to it"


def with_linked(document: Document, columns: bytes | None) -> Document:
    """The document with the file of persons as its source, and the variables of households per household."""
    source = document.values.get("source")
    if not isinstance(source, dict):
        return document
    persons, values = source.get("persons"), dict(document.values)
    lines, texts = document.lines, document.texts
    if isinstance(persons, dict):
        source = {**{key: held for key, held in source.items() if key != "persons"}, **persons}
        values["source"] = source
        lines, texts = ({**held, **_moved(held)} for held in (document.lines, document.texts))
    if columns is not None and isinstance(values.get("variables"), dict):
        names = {*json.loads(columns)} - {source.get("key")}
        values["variables"] = {
            name: _per_household(held) if name in names else held
            for name, held in values["variables"].items()
        }
    return replace(document, values=values, lines=lines, texts=texts)


def _moved(places: Mapping[Place, Any]) -> dict[Place, Any]:
    depth = len(PERSONS)
    return {
        ("source", *place[depth:]): held
        for place, held in places.items()
        if place[:depth] == PERSONS and len(place) > depth
    }


def _per_household(held: Any) -> Any:
    return (
        {"role": held, "per": "household"}
        if isinstance(held, str)
        else ({"per": "household", **held} if isinstance(held, dict) else held)
    )


def linked_faults(reading: Reading) -> Iterator[Fault]:
    """Faults in how two files are linked."""
    source = reading.profile.source
    if source.households is None:
        if source.key is not None:
            yield reading.fault(
                ("source", "key"),
                "key links persons to households, and no file of households is named",
                "write households: {path: ...} beside persons:",
            )
        return
    if source.key is None:
        yield reading.fault(
            ("source", "households"),
            "households are given, and no key links persons to them",
            "write persons: {path: ..., key: the column with the number of the household}",
        )
    elif not reading.names_are_known or not reading.sound("variables"):
        return
    elif source.key not in reading.profile.variables:
        yield reading.fault(
            ("source", "key"),
            f"key names {source.key!r}, which is no variable of the profile",
            did_you_mean(source.key, reading.profile.variables),
        )
    elif reading.profile.variables[source.key].role is not Role.HOUSEHOLD:
        yield reading.fault(
            ("variables", source.key),
            f"{source.key!r} links persons to households and is not the household",
            "give it the role household",
        )
