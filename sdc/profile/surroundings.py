"""Checks that the files and folders a profile names exist, and that there are enough records."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel

from sdc.catalogue.addresses import PASSWORD
from sdc.catalogue.external import EXTERNAL, external_of, makers
from sdc.catalogue.options import OfRecords
from sdc.catalogue.protection import Protection
from sdc.catalogue.readers import scheme_of
from sdc.catalogue.writers import find_writer
from sdc.profile.options import marks_of, with_marks
from sdc.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sdc.errors import Fault
    from sdc.profile.document import Place
    from sdc.profile.plan import StepPlan
    from sdc.profile.reading import Reading

COUNTS_RECORDS = "k_anonymity"
ADDRESSED = re.compile(r"[A-Za-z][A-Za-z0-9+]+:/|jdbc:", re.IGNORECASE)
"""What may be the address of a database, with or without a password."""


def place_faults(reading: Reading, base: Path) -> Iterator[Fault]:
    """Files and folders that are not there. Paths begin at `base`."""
    profile = reading.profile
    files: list[tuple[Place, Path]] = [(("source", "path"), profile.source.path)]
    if profile.source.households is not None:
        files.append((("source", "households", "path"), profile.source.households.path))
    if profile.source.population is not None:
        files.append((("source", "population", "path"), profile.source.population.path))
    made_elsewhere = [
        (name, found.path) for name in reading.understood if (found := external_of(profile.candidates[name]))
    ]
    files += [(("candidates", name, 0, "with", "path"), path) for name, path in made_elsewhere]
    for place, path in files:
        if ADDRESSED.match(str(path)) or PASSWORD.search(str(path)):
            continue  # its own faults are told without repeating it
        if reading.sound(*place) and scheme_of(path) is None and not (base / path).exists():
            yield reading.fault(place, f"there is no such file: {path}", "paths are relative to the profile")
    for position, address in enumerate(profile.publish.to if reading.sound("publish", "to") else ()):
        if "://" not in address and not (base / address).is_dir():
            problem = f"there is no folder {address} to deliver to"
            yield reading.fault(("publish", "to", position), problem, f"create it: mkdir {address}")
    outbox = profile.publish.outbox
    if reading.sound("publish", "outbox") and not (base / outbox).is_dir():
        problem = (
            f"the outbox {outbox} {'is not a directory' if (base / outbox).exists() else 'does not exist'}"
        )
        yield reading.fault(("publish", "outbox"), problem, f"create it beside the profile: mkdir {outbox}")


def size_faults(reading: Reading, rows: int) -> Iterator[Fault]:
    """Requests for more records than there are. A candidate of new records, or a file, may have more."""
    for name in reading.understood:
        steps = reading.profile.candidates[name]
        for position, step in enumerate(steps):
            if _may_grow(steps[: position + 1]):
                break
            place: Place = ("candidates", name, position)
            entry = makers()[step.method]
            for option, field in entry.options.model_fields.items():
                given = step.options.get(option, field.default)
                for where, wanted in _wanted(entry.hints[option], given, (option,)):
                    if wanted > rows:
                        at = (*place, "with", *where) if option in step.options else place
                        yield _too_many(reading, at, f"{where[-1]} of {step.method} is {wanted:,}", rows)
    yield from _too_long(reading, rows)
    for place, criterion in reading.criteria():
        covered = [steps for name, steps in reading.profile.candidates.items() if criterion.covers(name)]
        if (
            criterion.measure != COUNTS_RECORDS
            or criterion.part
            or any(map(_may_grow, covered))
            or (criterion.at_least or 0) <= rows
        ):
            continue
        yield _too_many(
            reading, (*place, "at_least"), f"{criterion.alias} can never be {criterion.at_least:,g}", rows
        )


def _too_long(reading: Reading, rows: int) -> Iterator[Fault]:
    """Formats whose files cannot hold all records of a candidate that has those of the source."""
    kept = [
        name
        for name in reading.understood
        if all(makers()[step.method].aligned for step in reading.profile.candidates[name])
        and external_of(reading.profile.candidates[name]) is None
    ]
    formats = reading.profile.publish.formats if kept and reading.sound("publish", "formats") else ()
    for position, name in enumerate(formats):
        most = find_writer(name).limits.records
        if most is not None and rows > most:
            yield reading.fault(
                ("publish", "formats", position),
                f"a file of {name} has at most {most:,} records, and candidate {kept[0]!r} has {rows:,}",
                f"leave {name} out",
            )


def _too_many(reading: Reading, place: Place, problem: str, rows: int) -> Fault:
    return reading.fault(
        place,
        f"{problem}, and there {'is' if rows == 1 else 'are'} {counted(rows, 'record')}",
        "ask for fewer",
    )


def _may_grow(steps: Sequence[StepPlan]) -> bool:
    return any(
        step.method == EXTERNAL.name or makers()[step.method].protection is Protection.SYNTHETIC
        for step in steps
    )


def _wanted(annotation: Any, value: Any, place: Place) -> Iterator[tuple[Place, int]]:
    """Every number of records an option asks for, with its place."""
    if marks_of(annotation, OfRecords):
        if isinstance(value, int):
            yield place, value
    elif isinstance(value, list) and get_origin(annotation) is list:
        for position, held in enumerate(value):
            yield from _wanted(get_args(annotation)[0], held, (*place, position))
    elif isinstance(value, dict) and isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, field in annotation.model_fields.items():
            if name in value and any(
                marks_of(branch, OfRecords) for branch in (with_marks(field), *get_args(field.annotation))
            ):
                yield (*place, name), value[name]
