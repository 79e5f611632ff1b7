"""What do the tasks of a run share? One profile, one warehouse handle, one pair for each candidate."""

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
from typing import Any

from sdc.audit import vouched
from sdc.audit.earlier_releases import read_earlier, releases
from sdc.audit.ledger import Entry, Ledger, folded
from sdc.catalogue.measurement import NotAssessed
from sdc.catalogue.protection import Step
from sdc.data.release_pair import EarlierRelease, ReleasePair
from sdc.data.warehouse import KEY_VARIABLE, Warehouse
from sdc.errors import CannotApprove, CannotPublish, redacted
from sdc.profile import Profile
from sdc.profile.list_files import ProfileFiles
from sdc.profile.load import load_profile
from sdc.run import digest, durable
from sdc.run import directory as run_files
from sdc.run.directory import CANDIDATES, EARLIER, ORIGIN, TIMINGS
from sdc.run.home import Home, Run
from sdc.run.randomness import Randomness
from sdc.run.secret import Secret
from tasks.outcome import Candidate, Judged, Outcome

PASSING = (TIMINGS,)
"""Files a run keeps that are rewritten after its record was sealed."""
NEEDED = (run_files.PROFILE, ORIGIN, CANDIDATES, run_files.WAREHOUSE)
"""Files without which no run is published later."""


@dataclass
class Workspace:
    """One run's profile, directory and warehouse, opened once in a process.

    Relative paths of the profile begin at `base`.

    `profile_sha256` is that of the bytes the profile was made from. `files` has the SHA-256 of what this
    process kept for the sealed record to vouch for, by name.
    """

    run: Run
    profile: Profile
    profile_path: Path
    profile_sha256: str
    home: Home
    base: Path
    files: dict[str, str] = field(default_factory=dict)
    record: Mapping[str, Any] | None = None
    """The sealed record of a run that is opened again."""
    sealed: dict[str, Any] = field(default_factory=dict)
    judged: dict[str, Judged] = field(default_factory=dict)
    outcome: Outcome | None = None
    timings: dict[str, float] = field(default_factory=dict)
    closing: ExitStack = field(default_factory=ExitStack)
    """What ends with the run, whatever way it ends."""
    source_sha256: str = ""
    history: Home | None = None
    """Whose ledger knows what was released before, if not this home's."""
    _pairs: dict[str, ReleasePair] = field(default_factory=dict)
    _guard: threading.Lock = field(default_factory=threading.Lock)
    _earlier: Sequence[EarlierRelease] | NotAssessed | None = None
    _looking_back: threading.Lock = field(default_factory=threading.Lock)

    @property
    def outbox(self) -> Path:
        return (self.base / self.profile.publish.outbox).resolve()

    @cached_property
    def secret(self) -> Secret:
        return Secret.of(self.history or self.home)

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
        readable = [self.base / path for path in self.profile.files]
        with redacted("opening the warehouse"):
            return Warehouse.create(
                self.run.directory,
                limits=self.profile.limits,
                key=os.environ.get(KEY_VARIABLE),
                readable=readable,
            )

    def pair(self, candidate: Candidate) -> ReleasePair:
        """Original and candidate side by side, the same object for all measures."""
        with self._guard:
            if candidate.name not in self._pairs:
                self._pairs[candidate.name] = self._new_pair(candidate)
            return self._pairs[candidate.name]

    @property
    def untouched(self) -> ReleasePair:
        """The original in the place of a candidate, as it would be without any step."""
        with self._guard:
            if "" not in self._pairs:
                self._pairs[""] = self._pair_of(["original"], aligned=True, steps=())
            return self._pairs[""]

    def _new_pair(self, candidate: Candidate) -> ReleasePair:
        table = f"candidate_{candidate.name}"
        copies = [table, *(f"{table}_{copy}" for copy in range(2, candidate.syntheses + 1))]
        return self._pair_of(copies, aligned=candidate.aligned, steps=candidate.steps)

    def _pair_of(self, copies: Sequence[str], *, aligned: bool, steps: Sequence[Step]) -> ReleasePair:
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
            earlier=self.earlier,
        )

    def earlier(self) -> Sequence[EarlierRelease] | NotAssessed:
        """What was released before from the same source; looked for once, and on record.

        Nothing may be added to it before this run leaves.
        """
        with self._looking_back:
            if self._earlier is None:
                home = self.history or self.home
                known = releases(Ledger(home.ledger).entries(), self.profile.family, besides=self.run.id)
                self.keep(EARLIER, [release.run for release in known])
                self._earlier = read_earlier(
                    home, known, self.warehouse.database, self.profile.roles, self.secret
                )
            return self._earlier

    def require_open(self, entries: Sequence[Entry]) -> None:
        """CannotPublish where the run has its ending: people may say no while its bundle is made."""
        row = next((row for row in folded(tuple(entries)) if row.run == self.run.id), None)
        if row is not None and row.state not in ("running", "referred"):
            raise CannotPublish(self.outbox, f"run {row.run} is {row.state}")
        if row is not None and row.facts.get("outbox") != str(self.outbox):
            raise CannotPublish(self.outbox, f"the outbox of run {row.run} is another one by the ledger")

    def require_as_decided(self) -> None:
        """CannotApprove where a file was altered between the decision and this moment.

        A run under way has nothing sealed yet.
        """
        if self.record is not None:
            vouched.require_unaltered(self.run.directory, self.record, NEEDED)

    def require_same_history(self, entries: Sequence[Entry]) -> None:
        """CannotPublish where a release of the family came after this one was measured against those before it."""
        place = self.run.directory / EARLIER
        if EARLIER not in self.files:
            return
        held = place.read_bytes() if place.is_file() else b""
        if digest.of_bytes(held) != self.files[EARLIER]:
            raise CannotPublish(self.outbox, f"{EARLIER} of run {self.run.id} was altered")
        known = [release.run for release in releases(entries, self.profile.family, besides=self.run.id)]
        if known != json.loads(held):
            raise CannotPublish(
                self.outbox,
                "releases of the same family came out since this one was measured against those before; run"
                " it again",
            )

    def forget(self, candidate: Candidate) -> None:
        """Let go of a candidate that is judged and will not leave: its records, not what was measured."""
        with self._guard:
            self._pairs.pop(candidate.name, None)
        aliases = [criterion.alias for criterion in self.profile.measurements(candidate.name)]
        self.warehouse.forget_candidate(candidate.name, candidate.syntheses, aliases)

    def keep(self, name: str, content: Any) -> Path:
        """A small JSON file of the run, for its owner's eyes only."""
        return self.keep_bytes(name, json.dumps(content, indent=1, sort_keys=True, default=str).encode())

    def keep_bytes(self, name: str, data: bytes) -> Path:
        """A file of the run, for its owner's eyes only; the record will vouch for it."""
        path = self.run.directory / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        durable.write(path, data)
        self.files[name] = digest.of_bytes(data)
        return path

    def vouched_files(self, candidates: Sequence[Candidate]) -> dict[str, str]:
        """The SHA-256 of every file that publishing needs, of the bytes this run wrote.

        The database is brought to its last state first.
        """
        kept = {name: sha256 for name, sha256 in self.files.items() if name not in PASSING}
        leaving = {run_files.stored(candidate.name): candidate.sha256 for candidate in candidates}
        persons = {
            run_files.persons(candidate.name): candidate.persons
            for candidate in candidates
            if candidate.persons
        }
        return {**kept, **leaving, **persons, run_files.WAREHOUSE: self.warehouse.settled_digest()}

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """The seconds a stage took, kept at once: a run that dies later has them still."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.timings[stage] = round(time.monotonic() - started, 3)
            with suppress(OSError):
                self.keep(TIMINGS, self.timings)

    def keep_candidates(self, candidates: Sequence[Candidate]) -> None:
        """What a later look at this run needs to know of its candidates."""
        self.keep(CANDIDATES, digest.plain(list(candidates)))

    def candidates(self) -> dict[str, Candidate]:
        """The candidates of a run that is looked at again."""
        held = json.loads((self.run.directory / CANDIDATES).read_text())
        return {
            each["name"]: Candidate(**{**each, "steps": tuple(Step.recorded(step) for step in each["steps"])})
            for each in held
        }

    def close(self) -> None:
        try:
            self.closing.close()
        finally:
            if "warehouse" in self.__dict__:
                self.warehouse.close()
            _opened.pop(str(self.run.directory), None)


_opened: dict[str, Workspace] = {}


def open_workspace(
    home: Home, run: Run, profile_path: Path, version: str | None = None, files: ProfileFiles | None = None
) -> Workspace:
    """Open a run's workspace in this process; tasks then find it by the run's directory.

    `version` is used where the profile has none.

    `files` are the profile and its lists where they were read already: then nothing is read again.
    """
    files = files or ProfileFiles.read(profile_path)
    profile = _versioned(load_profile(profile_path, files), version)
    opened = Workspace(run, profile, profile_path, files.sha256, home, profile_path.parent)
    _opened[str(run.directory)] = opened
    return opened


def _versioned(profile: Profile, version: str | None) -> Profile:
    if version is None or profile.publish.version is not None:
        return profile
    return profile.model_copy(update={"publish": profile.publish.model_copy(update={"version": version})})


def reopen_workspace(home: Home, run: Run, record: Mapping[str, Any]) -> Workspace:
    """The workspace of a run that waits for people.

    Its own copy of the profile, its own database, each as its sealed record has it.
    """
    vouched.require_unaltered(run.directory, record, NEEDED)

    def read(name: str) -> bytes:
        return vouched.read(run.directory, record, name)

    origin = json.loads(read(ORIGIN))
    place = Path(origin["profile"])
    files = ProfileFiles.kept(place, read)
    opened = Workspace(
        run,
        _versioned(load_profile(place, files), origin.get("version")),
        place,
        files.sha256,
        home,
        Path(origin["base"]),
    )
    opened.record, opened.files = record, dict(record["files"])
    opened.source_sha256 = record["source"]["sha256"]
    if (files.sha256, digest.plain(opened.profile)) != (
        record["profile"]["sha256"],
        record["profile"]["plan"],
    ):
        raise CannotApprove(
            f"run {run.id}: its profile is not read as it was when its record was sealed; run the release"
            " again"
        )
    opened.warehouse = Warehouse.open(
        run.directory, limits=opened.profile.limits, key=os.environ.get(KEY_VARIABLE)
    )
    _opened[str(run.directory)] = opened
    return opened


def workspace(directory: str) -> Workspace:
    """The workspace of a run, as opened in this process."""
    return _opened[directory]
