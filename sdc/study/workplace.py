"""Keeps the records of a study in a private database that is gone when the study is."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.audit.earlier_releases import read_earlier, releases
from sdc.audit.ledger import Ledger
from sdc.catalogue.measurement import Assessment, NotAssessed
from sdc.data import sql
from sdc.data.release_pair import EarlierRelease, ReleasePair
from sdc.data.warehouse import KEY_VARIABLE, Warehouse
from sdc.errors import BadStudy, Fault, redacted
from sdc.ingest import ingest
from sdc.measures.assess import assess
from sdc.publish.candidates import make
from sdc.run import digest
from sdc.run.home import Home
from sdc.run.randomness import Randomness
from sdc.run.scratch import scratch
from sdc.run.secret import NO_SECRET, Secret
from sdc.study.elsewhere import FilesMadeElsewhere
from sdc.study.frames import PLACE, FrameKind, speaking_of, write_parquet

if TYPE_CHECKING:
    import pyarrow as pa

    from sdc.catalogue.candidate import Candidate
    from sdc.ingest import Ingested
    from sdc.profile.plan import Criterion, Profile

ORIGINAL = "original"


@dataclass(frozen=True)
class PlannedSteps:
    """The name of a candidate and the steps that make it; without a name it is the original itself."""

    name: str = ""
    steps: tuple[Mapping[str, Any], ...] = ()

    @cached_property
    def key(self) -> str:
        """Tells candidates apart that have one name and other steps."""
        return digest.of_bytes(digest.canonical([self.name, list(self.steps)]))[:12] if self.name else ""


@dataclass(frozen=True)
class MadeCandidate:
    """A candidate that was made, the tables of its syntheses, and the files they would leave as."""

    candidate: Candidate
    tables: tuple[str, ...]
    files: tuple[Path, ...]


@dataclass(eq=False)
class Workplace:
    """The database of one study, with what was made and measured in it.

    Who works in it takes turns where tables are written; each thread has a cursor of its own.
    """

    directory: Path
    kind: FrameKind
    secret: Secret
    home: Home | None
    base: Path
    stack: ExitStack
    """What ends with the study."""
    source_bytes: bytes | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    _warehouse: Warehouse | None = None
    _ingested: Ingested | None = None
    _made: dict[str, MadeCandidate] = field(default_factory=dict)
    _pairs: dict[str, ReleasePair] = field(default_factory=dict)
    _measured: dict[tuple[str, str], Assessment] = field(default_factory=dict)
    _closed: bool = False
    _guard: threading.RLock = field(default_factory=threading.RLock)

    @classmethod
    def opened(cls, kind: FrameKind, *, home: Path | str | None, seed: int | None, base: Path) -> Workplace:
        """A private directory, removed when the workplace is forgotten or the process ends."""
        at = None if home is None else Home.at(Path(home))
        stack = ExitStack()
        directory = stack.enter_context(scratch(at.scratch if at else Path(tempfile.gettempdir())))
        # A seed without a home is for looking: whoever knows the number can draw the same again.
        alone = Secret(secrets.token_bytes(32)) if seed is None else NO_SECRET
        place = cls(directory, kind, Secret.of(at) if at else alone, at, base, stack)
        weakref.finalize(place, stack.close)
        return place

    def keep_frame(self, rows: pa.Table, name: str) -> Path:
        """The records of a frame as a file that is read as any other."""
        place = self.directory / f"{name}.parquet"
        write_parquet(rows, place)
        return place

    def take_in(self, profile: Profile) -> None:
        """Read the source into the database, checked as a run checks it."""
        source = profile.source.path
        readable = [self.base / path for path in profile.files]
        key = os.environ.get(KEY_VARIABLE)
        with redacted("reading the original"):
            self._warehouse = Warehouse.create(
                self.directory / "run", limits=profile.limits, key=key, readable=readable
            )
            self.stack.callback(self._warehouse.close)
            with speaking_of(PLACE, self.directory):
                self._ingested = ingest(profile, self.base, self._warehouse, self.secret)
        self.notes = tuple(self._ingested.notes)
        if key is not None and source.is_relative_to(self.directory):
            # With a key nothing of the original lies on a disk in the clear.
            self.source_bytes = source.read_bytes()
            source.unlink()

    @cached_property
    def elsewhere(self) -> FilesMadeElsewhere:
        """Copies of the files made elsewhere, where the database may read them."""
        return FilesMadeElsewhere(self.warehouse.directory.path)

    @property
    def ingested(self) -> Ingested:
        assert self._ingested is not None
        return self._ingested

    @property
    def warehouse(self) -> Warehouse:
        assert self._warehouse is not None
        return self._warehouse

    def _require_open(self) -> None:
        if self._closed:
            raise BadStudy([Fault("the study", "it was closed, and its records are gone", "make it again")])

    def made(self, profile: Profile, planned: PlannedSteps) -> MadeCandidate:
        """The candidate of these steps, made once, with the random numbers of a run of the profile."""
        self._require_open()
        with self._guard:
            if planned.key not in self._made:
                randomness = Randomness.of_release(self.secret, profile, self.ingested.sha256)
                made = make(profile, self.base, self.warehouse, planned.name, randomness)
                self._made[planned.key] = self._set_apart(made, planned.key)
            return self._made[planned.key]

    def _set_apart(self, made: Candidate, key: str) -> MadeCandidate:
        """Tables and files under names of their own: another candidate may have the same name."""
        cursor, tables, files = self.warehouse.database.cursor(), [], []
        for number, (copy, table) in enumerate(zip(made.copies, made.tables, strict=True), start=1):
            apart = f"made_{key}_{number}"
            cursor.execute(f"ALTER TABLE {sql.name(table)} RENAME TO {sql.name(apart)}")
            stored = self.warehouse.directory.stored(copy)
            files.append(stored.rename(stored.with_name(f"{apart}.parquet")))
            tables.append(apart)
        return MadeCandidate(made, tuple(tables), tuple(files))

    def pair(self, profile: Profile, planned: PlannedSteps) -> ReleasePair:
        """Original and candidate side by side, the same object for all measures."""
        self._require_open()
        with self._guard:
            if planned.key not in self._pairs:
                made = self.made(profile, planned) if planned.name else None
                self._pairs[planned.key] = self._new_pair(profile, made)
            return self._pairs[planned.key]

    def _new_pair(self, profile: Profile, made: MadeCandidate | None) -> ReleasePair:
        database = self.warehouse.database
        tables = made.tables if made else (ORIGINAL,)
        return ReleasePair(
            database.table(ORIGINAL),
            database.table(tables[0]),
            profile.roles,
            holdout=database.table("holdout") if database.has("holdout") else None,
            population=database.table("population") if database.has("population") else None,
            aligned=made.candidate.aligned if made else True,
            missing=profile.missing_keys,
            steps=made.candidate.steps if made else (),
            syntheses=[database.table(table) for table in tables],
            earlier=lambda: self._earlier(profile),
        )

    def _earlier(self, profile: Profile) -> Sequence[EarlierRelease] | NotAssessed:
        if self.home is None:
            return NotAssessed(
                "there is no home whose ledger would know what was released earlier; say home="
            )
        known = releases(Ledger(self.home.ledger).entries(), profile.family)
        return read_earlier(self.home, known, self.warehouse.database, profile.roles, self.secret)

    def measured(self, profile: Profile, planned: PlannedSteps, criterion: Criterion) -> Assessment:
        """What a criterion asks for, measured once."""
        self._require_open()
        asked = (
            planned.key,
            json.dumps([criterion.measure, criterion.alias, criterion.options], sort_keys=True),
        )
        if asked not in self._measured:
            measuring = Randomness.of_release(self.secret, profile, self.ingested.sha256).below("measures")
            self._measured[asked] = assess(
                criterion.measure,
                self.pair(profile, planned),
                criterion.options,
                alias=criterion.alias,
                candidate=planned.name or ORIGINAL,
                randomness=measuring,
            )
        return self._measured[asked]

    def asked_of(self, planned: PlannedSteps) -> list[dict[str, Any]]:
        """Criteria without limits for all that was measured of a candidate."""
        last = {held.alias: held for (key, _), held in self._measured.items() if key == planned.key}
        return [
            {
                "measure": held.measure,
                **_renamed(held),
                **({"with": dict(held.options)} if held.options else {}),
            }
            for held in last.values()
        ]

    def close(self) -> None:
        """Forget all records now."""
        self._closed = True
        self.stack.close()


def _renamed(held: Assessment) -> dict[str, str]:
    return {"as": held.alias} if held.alias != held.measure else {}
