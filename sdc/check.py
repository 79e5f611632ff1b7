"""Checks a profile and its data as a run would, before anything is stored, and names every fault."""

from __future__ import annotations

import tempfile
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sdc.catalogue.external import absent, external_of, misaligned
from sdc.data import sql
from sdc.data.database import Database
from sdc.errors import BadData, Fault, redacted
from sdc.ingest import ingest, ingest_candidate
from sdc.ingest.determined_keys import determined_keys
from sdc.profile.list_files import ProfileFiles
from sdc.profile.load import LoadedProfile, examine, load
from sdc.profile.needs import extra_faults
from sdc.profile.surroundings import place_faults, size_faults
from sdc.profile.wording import did_you_mean
from sdc.run.scratch import scratch
from sdc.run.secret import NO_SECRET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.data.warehouse import Warehouse
    from sdc.ingest import Ingested
    from sdc.profile.load import Concern
    from sdc.profile.plan import Limits, Profile
    from sdc.profile.reading import Reading


def startable(path: Path) -> LoadedProfile:
    """The profile of a run, where the files, the outbox and the packages it needs are there."""
    return load(path, *surroundings(path))


def surroundings(path: Path) -> tuple[Concern, ...]:
    """What a profile in `path` must find around it: its files and folders, and the packages it needs."""
    return partial(place_faults, base=path.parent), extra_faults, _figure_faults


def _figure_faults(reading: Reading) -> Iterator[Fault]:
    """Figures that the report does not have."""
    from sdc.report.figures.figure_registry import figures

    known = figures() if reading.sound("figures") and reading.profile.figures.draw else {}
    for position, name in enumerate(reading.profile.figures.draw if known else ()):
        if name not in known:
            yield reading.fault(
                ("figures", "draw", position),
                f"no figure of the report is called {name!r}",
                did_you_mean(name, known) or f"figures are {', '.join(known)}",
            )


def check(path: Path) -> list[str]:
    """What is to be known about the profile in `path` and its data.

    BadProfile or BadData where they have faults.

    The data are read and checked as a run would, into a database that is forgotten afterwards.
    """
    files = ProfileFiles.read(path)
    profile, notes = examine(path, *surroundings(path), files=files)
    with redacted("checking the data"), _scratch(profile.limits) as scratch:
        warehouse = cast("Warehouse", scratch)
        found = ingest(profile, path.parent, warehouse, NO_SECRET)
        told = data_notes(profile, path, warehouse, found, files)
    return [*map(str, notes), *told]


def data_notes(
    profile: Profile,
    path: Path,
    warehouse: Warehouse,
    found: Ingested,
    files: ProfileFiles | None = None,
) -> list[str]:
    """What is to be known about data that were read into a warehouse; BadProfile or BadData for faults.

    `files` are the bytes of the profile where those in `path` are others.
    """
    from sdc.report.producer_words import word_faults

    require_enough(path, found.rows, files)
    said = word_faults(
        profile, path.parent, warehouse.database.table("original"), found.sha256, warehouse.spill
    )
    if faults := [*_external_faults(profile, path.parent, warehouse, found.rows), *said]:
        raise BadData(faults)
    told = determined_keys(warehouse.database.table("original"), profile)
    return [f"{profile.source.path.name}: {note}" for note in (*found.notes, *told)]


def require_enough(path: Path, rows: int, files: ProfileFiles | None = None) -> None:
    """BadProfile where it asks for more records than were read."""
    examine(path, partial(size_faults, rows=rows), files=files)


def _external_faults(profile: Profile, base: Path, warehouse: Warehouse, rows: int) -> Iterator[Fault]:
    for name, steps in profile.candidates.items():
        if external := external_of(steps):
            path = base / external.path
            try:
                table = ingest_candidate(profile, path, warehouse, name)
            except BadData as bad:
                yield from bad.faults
                continue
            yield from absent(path, table.columns, profile.roles.released)
            yield from misaligned(external, path, table.rows, rows)


@dataclass(frozen=True)
class _Scratch:
    """In place of a warehouse: in memory, and what does not fit there in a private folder that is removed."""

    database: Database
    spill: Path

    def storing(self) -> AbstractContextManager[None]:
        return nullcontext()


@contextmanager
def _scratch(limits: Limits) -> Iterator[_Scratch]:
    with scratch(limits.spill or Path(tempfile.gettempdir())) as folder:
        database = Database.in_memory()
        try:
            settings = {
                "temp_directory": sql.text(str(folder)),
                "threads": limits.threads,
                "memory_limit": limits.memory and sql.text(limits.memory),
            }
            for name, value in settings.items():
                if value is not None:
                    database.cursor().execute(f"SET {name} = {value}")
            yield _Scratch(database, folder)
        finally:
            database.close()
