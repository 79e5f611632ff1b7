"""Holds all that the flows and tasks of one run share; they find it by the run's directory.

with open_context(home, run, loaded, progress):     # in the process that runs the flow
    release(str(run.directory.path))                # flows and tasks: run_context(run)
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from sdc.audit import vouched
from sdc.audit.earlier_releases import read_earlier, releases
from sdc.audit.ledger import Ledger
from sdc.catalogue.candidate import Candidate
from sdc.catalogue.measurement import NotAssessed
from sdc.catalogue.protection import Step
from sdc.data.release_pair import EarlierRelease, ReleasePair
from sdc.data.sharing import Sharing
from sdc.data.warehouse import KEY_VARIABLE, Warehouse
from sdc.errors import CannotApprove, redacted
from sdc.gate.judged import JudgedCandidate
from sdc.profile import Profile
from sdc.profile.list_files import ProfileFiles
from sdc.profile.load import LoadedProfile, load_profile
from sdc.run import digest, durable
from sdc.run.directory import RunDirectory
from sdc.run.home import Home, Run
from sdc.run.progress_display import Progress, Silent
from sdc.run.randomness import Randomness
from sdc.run.secret import Secret
from tasks.machines import Machines

if TYPE_CHECKING:
    from sdc.profile.sweep import SweepGrid
    from tasks.outcome import Outcome


@dataclass
class RunContext:
    """One run: its profile, its directory and warehouse, its progress and machines, and what came of it.

    Relative paths of the profile begin at `base`. `files` has the SHA-256 of what this process kept for the
    sealed record to vouch for, by name.
    """

    run: Run
    home: Home
    profile: Profile
    base: Path
    outbox: Path
    profile_sha256: str
    progress: Progress = field(default_factory=Silent)
    files: dict[str, str] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)
    """What was read: counts and fingerprints, as the sealed record has them."""
    record: Mapping[str, Any] | None = None
    """The sealed record of a run that is opened again."""
    judged: dict[str, JudgedCandidate] = field(default_factory=dict)
    outcome: Outcome | None = None
    timings: dict[str, float] = field(default_factory=dict)
    closing: ExitStack = field(default_factory=ExitStack)
    """What ends with the run, whatever way it ends."""
    history: Home | None = None
    """Whose ledger knows what was released before, if not this home's."""
    grids: Mapping[str, SweepGrid] = field(default_factory=dict)
    """What a plan searches."""
    of_original: Sharing = field(default_factory=Sharing)
    """What the gate found out about the original, once in a run."""
    _machines: Machines | None = None
    _pairs: dict[str, ReleasePair] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _earlier: Sequence[EarlierRelease] | NotAssessed | None = None
    _looking_back: threading.Lock = field(default_factory=threading.Lock)

    @property
    def directory(self) -> RunDirectory:
        return self.run.directory

    @property
    def name(self) -> str:
        """What flows and tasks are given to find this by."""
        return str(self.directory.path)

    @property
    def machines(self) -> Machines:
        """Who takes the measures; found before the flow begins."""
        assert self._machines is not None
        return self._machines

    @machines.setter
    def machines(self, found: Machines) -> None:
        self._machines = found

    @cached_property
    def secret(self) -> Secret:
        return Secret.of(self.history or self.home)

    @property
    def source_sha256(self) -> str:
        return str(self.source.get("sha256", ""))

    @cached_property
    def randomness(self) -> Randomness:
        """All random numbers of this release; known once the source was read."""
        assert self.source_sha256
        return Randomness.of_release(self.secret, self.profile, self.source_sha256)

    @property
    def measuring(self) -> Randomness:
        """The random numbers of measures: who knows them knows nothing of those that protect people."""
        return self.randomness.below("measures")

    @cached_property
    def warehouse(self) -> Warehouse:
        with redacted("opening the warehouse"):
            return Warehouse.create(
                self.directory.path,
                limits=self.profile.limits,
                key=os.environ.get(KEY_VARIABLE),
                readable=[self.base / path for path in self.profile.files],
            )

    def pair(self, candidate: Candidate) -> ReleasePair:
        """Original and candidate side by side, the same object for all measures."""
        with self._guard:
            if candidate.name not in self._pairs:
                self._pairs[candidate.name] = self._new_pair(
                    candidate.tables, aligned=candidate.aligned, steps=candidate.steps
                )
            return self._pairs[candidate.name]

    @property
    def untouched(self) -> ReleasePair:
        """The original in the place of a candidate, as it would be without any step."""
        with self._guard:
            if "" not in self._pairs:
                self._pairs[""] = self._new_pair(["original"], aligned=True, steps=())
            return self._pairs[""]

    def _new_pair(self, copies: Sequence[str], *, aligned: bool, steps: Sequence[Step]) -> ReleasePair:
        database = self.warehouse.database
        return ReleasePair(
            database.table("original"),
            database.table(copies[0]),
            self.profile.roles,
            holdout=database.table("holdout") if database.has("holdout") else None,
            population=database.table("population") if database.has("population") else None,
            aligned=aligned,
            missing=self.profile.missing_keys,
            steps=steps,
            syntheses=[database.table(copy) for copy in copies],
            leaving=[database.table(copy) for copy in self.profile.publish.leaving(copies)],
            earlier=self.earlier,
            room=self.profile.limits.room,
        )

    def earlier(self) -> Sequence[EarlierRelease] | NotAssessed:
        """What was released before from the same source; looked for once, and on record.

        Nothing may be added to it before this run leaves.
        """
        with self._looking_back:
            if self._earlier is None:
                home = self.history or self.home
                known = releases(Ledger(home.ledger).entries(), self.profile.family, besides=self.run.id)
                self.keep(self.directory.earlier, [release.run for release in known])
                self._earlier = read_earlier(
                    home, known, self.warehouse.database, self.profile.roles, self.secret
                )
            return self._earlier

    def forget(self, candidate: Candidate) -> None:
        """Let go of a candidate that is judged and will not leave: its records, not what was measured."""
        with self._guard:
            self._pairs.pop(candidate.name, None)
        aliases = [criterion.alias for criterion in self.profile.measurements(candidate.name)]
        self.warehouse.forget_candidate(candidate, aliases)

    def keep(self, place: Path, content: Any) -> Path:
        """A small JSON file of the run, for its owner's eyes only."""
        return self.keep_bytes(place, json.dumps(content, indent=1, sort_keys=True, default=str).encode())

    def keep_bytes(self, place: Path, data: bytes) -> Path:
        """A file of the run, for its owner's eyes only; the record will vouch for it."""
        place.parent.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
        durable.write(place, data)
        self.files[self.directory.name_of(place)] = digest.of_bytes(data)
        return place

    def vouched_files(self, candidates: Sequence[Candidate]) -> dict[str, str]:
        """The SHA-256 of every file that publishing needs, of the bytes this run wrote.

        The timings are not among it: they are rewritten later. The database is brought to its last state
        first.
        """
        held, name_of = self.directory, self.directory.name_of
        kept = {name: sha256 for name, sha256 in self.files.items() if name != name_of(held.timings)}
        copies = (copy for each in candidates for copy in each.fingerprints.items())
        leaving = {name_of(held.stored(copy)): sha256 for copy, sha256 in copies}
        persons = {name_of(held.persons(each.name)): each.persons for each in candidates if each.persons}
        return {**kept, **leaving, **persons, name_of(held.warehouse): self.warehouse.settled_digest()}

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """The seconds a stage took, kept at once: a run that dies later has them still.

        A run that is opened again keeps the times it had.
        """
        started = time.monotonic()
        try:
            yield
        finally:
            if self.record is None:
                self.timings[stage] = round(time.monotonic() - started, 3)
                with suppress(OSError):
                    self.keep(self.directory.timings, self.timings)

    def keep_candidates(self, candidates: Sequence[Candidate]) -> None:
        """What a later look at this run needs to know of its candidates."""
        self.keep(self.directory.candidate_list, [candidate.as_record() for candidate in candidates])

    @cached_property
    def candidates(self) -> dict[str, Candidate]:
        """The candidates of a run that is opened again, read once and only as its sealed record has them."""
        assert self.record is not None
        held = json.loads(vouched.read(self.directory, self.record, self.directory.candidate_list))
        return {each["name"]: Candidate.from_record(each) for each in held}

    def close(self) -> None:
        try:
            self.closing.close()
        finally:
            if "warehouse" in self.__dict__:
                self.warehouse.close()
            _contexts.pop(self.name, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


_contexts: dict[str, RunContext] = {}
"""The runs this process works on, by their directory: the parameters of a flow are names and paths only."""


def run_context(run: str) -> RunContext:
    """The context of a run that this process has opened."""
    return _contexts[run]


def open_context(home: Home, run: Run, loaded: LoadedProfile, progress: Progress | None = None) -> RunContext:
    """Open a run in this process; flows and tasks then find it by the run's directory."""
    files, shown = loaded.files, progress or Silent()
    context = RunContext(run, home, loaded.profile, loaded.base, loaded.outbox, files.sha256, shown)
    _contexts[context.name] = context
    return context


def reopen_context(home: Home, run: Run, record: Mapping[str, Any]) -> RunContext:
    """Open a run that waits for people: its own copy of the profile and its own database.

    Each must be as its sealed record has it.
    """
    require_as_decided(run.directory, record)

    def read(place: Path) -> bytes:
        return vouched.read(run.directory, record, place)

    origin = json.loads(read(run.directory.origin))
    files = ProfileFiles.kept(Path(origin["profile"]), run.directory, read)
    loaded = LoadedProfile(files, load_profile(files.path, files)).as_version(origin.get("version"))
    as_read = files.sha256, digest.plain(loaded.profile)
    if as_read != (record["profile"]["sha256"], record["profile"]["plan"]):
        raise CannotApprove(
            f"run {run.id}: its profile is not read as it was when its record was sealed; run the release"
            " again"
        )
    limits, key = loaded.profile.limits, os.environ.get(KEY_VARIABLE)
    warehouse = Warehouse.open(run.directory.path, limits=limits, key=key)
    context = open_context(home, run, loaded)
    context.record, context.files, context.source = record, dict(record["files"]), record["source"]
    context.warehouse = warehouse
    return context


def require_as_decided(directory: RunDirectory, record: Mapping[str, Any]) -> None:
    """CannotApprove where a file without which no run is published later is not as its record has it."""
    needed = (directory.profile, directory.origin, directory.candidate_list, directory.warehouse)
    vouched.require_unaltered(directory, record, needed)
