"""Keeps the records of a study in a private database that is gone when the study is."""

from __future__ import annotations

import json
import os
import secrets
import tempfile
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.audit.earlier_releases import read_earlier, releases
from sdc.audit.ledger import Ledger
from sdc.catalogue.measurement import Assessment, NotAssessed
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
from sdc.study.chosen_home import chosen_home
from sdc.study.drawn_sample import ORIGINAL, draw
from sdc.study.elsewhere import FilesMadeElsewhere
from sdc.study.frames import PLACE, FrameKind, speaking_of, write_parquet
from sdc.study.made_candidate import MadeCandidate, PlannedSteps

if TYPE_CHECKING:
    import pyarrow as pa

    from sdc.ingest import Ingested
    from sdc.profile.plan import Criterion, Profile


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
    _declared: tuple[Mapping[str, Any], Any, str] | None = None
    _samples: dict[int, Workplace] = field(default_factory=dict)
    _closed: bool = False
    _guard: threading.RLock = field(default_factory=threading.RLock)

    @classmethod
    def opened(cls, kind: FrameKind, *, home: Path | str | None, seed: int | None, base: Path) -> Workplace:
        """A private directory, removed when the workplace is forgotten or the process ends."""
        at, notes = chosen_home(home)
        stack = ExitStack()
        directory = stack.enter_context(scratch(at.scratch if at else Path(tempfile.gettempdir())))
        # A seed without a home is for looking: whoever knows the number can draw the same again.
        alone = Secret(secrets.token_bytes(32)) if seed is None else NO_SECRET
        place = cls(directory, kind, Secret.of(at) if at else alone, at, base, stack, notes=notes)
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
        self.notes = (*self.notes, *self._ingested.notes)
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

    def made(
        self,
        profile: Profile,
        planned: PlannedSteps,
        announce: Callable[[int, str], None] = lambda _place, _method: None,
    ) -> MadeCandidate:
        """The candidate of these steps, made once, with the random numbers of a run of the profile.

        `announce` is told of every step before it begins; what it raises ends the making.
        """
        self._require_open()
        key = self._key(profile, planned)
        # Who asks for what is there does not wait for those who are making something else.
        if (found := self._made.get(key)) is not None:
            return found
        with self._guard:
            if key not in self._made:
                randomness = Randomness.of_release(self.secret, profile, self.ingested.sha256)
                made = make(profile, self.base, self.warehouse, planned.name, randomness, announce)
                self._made[key] = MadeCandidate.set_apart(made, self.warehouse, key)
            return self._made[key]

    def _key(self, profile: Profile, planned: PlannedSteps) -> str:
        """Tells candidates apart that have other steps, or variables that are declared otherwise."""
        known = self._declared
        if known is None or known[0] is not profile.variables or known[1] is not profile.missing_keys:
            told = digest.canonical([profile.variables, profile.missing_keys])
            known = self._declared = profile.variables, profile.missing_keys, digest.of_bytes(told)[:12]
        return f"{planned.key}_{known[2]}"

    def forget(self, planned: PlannedSteps) -> None:
        """Drop the tables and files of a candidate; what was measured of it is kept."""
        with self._guard:
            for key in [key for key in self._made if key.startswith(f"{planned.key}_")]:
                self._pairs.pop(key, None)
                self._made.pop(key).drop(self.warehouse)

    @property
    def held(self) -> list[str]:
        """The keys of the steps whose candidates are in the database now."""
        return [key.partition("_")[0] for key in self._made]

    def sampled(self, profile: Profile, records: int) -> Workplace:
        """A second workplace on a sample of about so many records, whole households where there are any.

        It is for a first look at a large file: a class has fewer records there than it has among all. There
        is neither holdout nor population in it.
        """
        self._require_open()
        if (found := self._samples.get(records)) is not None:
            return found
        with self._guard:
            if records not in self._samples:
                warehouse = draw(self.warehouse, self.directory / f"sample_{records}", profile, records)
                rows = warehouse.database.table(ORIGINAL).rows
                place = replace(
                    self,
                    directory=warehouse.directory.path.parent,
                    home=None,
                    stack=ExitStack(),
                    _warehouse=warehouse,
                    _ingested=replace(self.ingested, rows=rows, holdout_rows=0, population_rows=0),
                    **_nothing_yet(),
                )
                place.stack.callback(warehouse.close)
                self.stack.callback(place.close)
                self._samples[records] = place
            return self._samples[records]

    @property
    def sample(self) -> Workplace | None:
        """The last sample that was drawn; None where none was."""
        return next(reversed(self._samples.values()), None)

    def pair(self, profile: Profile, planned: PlannedSteps) -> ReleasePair:
        """Original and candidate side by side, the same object for all measures."""
        self._require_open()
        key = self._key(profile, planned)
        if (found := self._pairs.get(key)) is not None:
            return found
        with self._guard:
            if key not in self._pairs:
                made = self.made(profile, planned) if planned.name else None
                self._pairs[key] = self._new_pair(profile, made)
            return self._pairs[key]

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
        asked = self._asked(profile, planned, criterion)
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

    def known(self, profile: Profile, planned: PlannedSteps, criterion: Criterion) -> Assessment | None:
        """What was measured already; nothing is measured for it."""
        return self._measured.get(self._asked(profile, planned, criterion))

    def _asked(self, profile: Profile, planned: PlannedSteps, criterion: Criterion) -> tuple[str, str]:
        told = [criterion.measure, criterion.alias, criterion.options, self._key(profile, planned)]
        return planned.key, json.dumps(told, sort_keys=True)

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


def _nothing_yet() -> dict[str, Any]:
    return {
        "_made": {},
        "_pairs": {},
        "_measured": {},
        "_samples": {},
        "_declared": None,
        "_guard": threading.RLock(),
    }


def _renamed(held: Assessment) -> dict[str, str]:
    return {"as": held.alias} if held.alias != held.measure else {}
