"""Would a run of this profile begin? Every fault of the profile and of its data, before anything is stored."""

from __future__ import annotations

import tempfile
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from sdc import sql
from sdc.database import Database
from sdc.errors import redacted
from sdc.ingest import ingest
from sdc.profile.load import examine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.profile.plan import Limits, Profile
    from sdc.warehouse import Warehouse


def check(profile: Profile, path: Path) -> list[str]:
    """What is to be known about the profile in `path` and its data; BadProfile or BadData where they have faults.

    The data are read and checked as a run would, into a database that is forgotten afterwards.
    """
    _, notes = examine(path)
    with redacted("checking the data"), _scratch(profile.limits) as scratch:
        found = ingest(profile, path.parent, cast("Warehouse", scratch))
    return [*map(str, notes), *(f"{profile.source.path.name}: {note}" for note in found.notes)]


@dataclass(frozen=True)
class _Scratch:
    """In place of a warehouse: in memory, and what does not fit there in a private folder that is removed."""

    database: Database
    spill: Path

    def storing(self) -> AbstractContextManager[None]:
        return nullcontext()


@contextmanager
def _scratch(limits: Limits) -> Iterator[_Scratch]:
    if limits.spill is not None:
        limits.spill.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sdc-check-", dir=limits.spill) as folder:
        database = Database.in_memory()
        try:
            settings = {"temp_directory": sql.text(folder), "threads": limits.threads, "memory_limit": limits.memory and sql.text(limits.memory)}
            for name, value in settings.items():
                if value is not None:
                    database.cursor().execute(f"SET {name} = {value}")
            yield _Scratch(database, Path(folder))
        finally:
            database.close()
