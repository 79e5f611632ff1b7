"""What do the tasks of a run share? One profile, one warehouse handle, one pair for each candidate."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sdc import digest
from sdc.assess import Assessment
from sdc.errors import CannotPublish, redacted
from sdc.gate import Decision, Finding, Verdict
from sdc.ledger import Entry, Ledger, folded
from sdc.measurement import NotAssessed
from sdc.profile import Profile
from sdc.profile.load import load_profile
from sdc.protection import Protection, Step
from sdc.randomness import Randomness
from sdc.recovery import TIMINGS
from sdc.release_pair import EarlierRelease, ReleasePair
from sdc.released import read_earlier, releases
from sdc.run import Home, Run
from sdc.secret import Secret
from sdc.warehouse import KEY_VARIABLE, Warehouse

ORIGIN = "origin.json"
CANDIDATES = "candidates.json"
EARLIER = "earlier.json"


@dataclass(frozen=True)
class Candidate:
    """A candidate as tasks pass it on: its name, its file, what was done; never its rows."""

    name: str
    path: str
    sha256: str
    rows: int
    steps: tuple[Step, ...]
    syntheses: int = 1
    persons: str = ""

    @property
    def aligned(self) -> bool:
        return all(step.aligned for step in self.steps)

    @property
    def synthetic(self) -> bool:
        return any(step.protection is Protection.SYNTHETIC for step in self.steps)


@dataclass(frozen=True)
class Judged:
    """A candidate with its measurements and the gate's decision; without them where it could not be made."""

    name: str
    decision: Decision
    candidate: Candidate | None = None
    assessments: tuple[Assessment, ...] = ()


EXIT_CODES = {Verdict.PUBLISHED: 0, Verdict.WITHHELD: 3, Verdict.REFERRED: 4}


@dataclass(frozen=True)
class Outcome:
    """How a run ended, for the person who started it."""

    run_id: str
    verdict: Verdict
    sentence: str
    findings: tuple[Finding, ...]
    places: tuple[tuple[str, str], ...]
    roles: tuple[str, ...] = ()
    """Who must approve, when it was referred."""

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]


@dataclass
class Workspace:
    """One run's profile, directory and warehouse, opened once in a process. Relative paths of the profile begin at `base`."""

    run: Run
    profile: Profile
    profile_path: Path
    home: Home
    base: Path
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
    def profile_sha256(self) -> str:
        return digest.of_file(self.profile_path)

    @cached_property
    def warehouse(self) -> Warehouse:
        readable = [self.base / path for path in self.profile.files]
        with redacted("opening the warehouse"):
            return Warehouse.create(self.run.directory, limits=self.profile.limits, key=os.environ.get(KEY_VARIABLE), readable=readable)

    def pair(self, candidate: Candidate) -> ReleasePair:
        """Original and candidate side by side, the same object for all measures."""
        with self._guard:
            if candidate.name not in self._pairs:
                self._pairs[candidate.name] = self._new_pair(candidate)
            return self._pairs[candidate.name]

    def _new_pair(self, candidate: Candidate) -> ReleasePair:
        database = self.warehouse.database
        table = f"candidate_{candidate.name}"
        return ReleasePair(
            database.table("original"),
            database.table(table),
            self.profile.roles,
            holdout=database.table("holdout") if database.has("holdout") else None,
            population=database.table("population") if database.has("population") else None,
            aligned=candidate.aligned,
            missing=self.profile.missing_keys,
            steps=candidate.steps,
            syntheses=[database.table(table if copy == 1 else f"{table}_{copy}") for copy in range(1, candidate.syntheses + 1)],
            earlier=self.earlier,
        )

    def earlier(self) -> Sequence[EarlierRelease] | NotAssessed:
        """What was released before from the same source; looked for once, and on record: nothing may be added to it before this run leaves."""
        with self._looking_back:
            if self._earlier is None:
                home = self.history or self.home
                known = releases(Ledger(home.ledger).entries(), self.profile.family, besides=self.run.id)
                self.keep(EARLIER, [release.run for release in known])
                self._earlier = read_earlier(home, known, self.warehouse.database, self.profile.roles, self.secret)
            return self._earlier

    def require_open(self, entries: Sequence[Entry]) -> None:
        """CannotPublish where the run has its ending: people may say no while its bundle is made."""
        row = next((row for row in folded(tuple(entries)) if row.run == self.run.id), None)
        if row is not None and row.state not in ("running", "referred"):
            raise CannotPublish(self.outbox, f"run {row.run} is {row.state}")

    def require_same_history(self, entries: Sequence[Entry]) -> None:
        """CannotPublish where a release of the family came after this one was measured against those before it."""
        place = self.run.directory / EARLIER
        known = [release.run for release in releases(entries, self.profile.family, besides=self.run.id)]
        if place.is_file() and known != json.loads(place.read_text()):
            raise CannotPublish(self.outbox, "releases of the same family came out since this one was measured against those before; run it again")

    def forget(self, candidate: Candidate) -> None:
        """Let go of a candidate that is judged and will not leave: its records, not what was measured."""
        with self._guard:
            self._pairs.pop(candidate.name, None)
        aliases = [criterion.alias for criterion in self.profile.measurements(candidate.name)]
        self.warehouse.forget_candidate(candidate.name, candidate.syntheses, aliases)

    def keep(self, name: str, content: Any) -> Path:
        """A small JSON file of the run, for its owner's eyes only."""
        path = self.run.directory / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1, sort_keys=True, default=str)
        return path

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
        return {each["name"]: Candidate(**{**each, "steps": tuple(Step.recorded(step) for step in each["steps"])}) for each in held}

    def close(self) -> None:
        try:
            self.closing.close()
        finally:
            if "warehouse" in self.__dict__:
                self.warehouse.close()
            _opened.pop(str(self.run.directory), None)


_opened: dict[str, Workspace] = {}


def open_workspace(home: Home, run: Run, profile_path: Path, version: str | None = None) -> Workspace:
    """Open a run's workspace in this process; tasks then find it by the run's directory. `version` is used where the profile has none."""
    opened = Workspace(run, _versioned(load_profile(profile_path), version), profile_path, home, profile_path.parent)
    _opened[str(run.directory)] = opened
    return opened


def _versioned(profile: Profile, version: str | None) -> Profile:
    if version is None or profile.publish.version is not None:
        return profile
    return profile.model_copy(update={"publish": profile.publish.model_copy(update={"version": version})})


def reopen_workspace(home: Home, run: Run) -> Workspace:
    """The workspace of a run that waits for people or is looked at again: its own copy of the profile, its own database."""
    origin = json.loads((run.directory / ORIGIN).read_text())
    place = run.directory / "profile.yaml"
    opened = Workspace(run, _versioned(load_profile(place), origin.get("version")), place, home, Path(origin["base"]))
    opened.warehouse = Warehouse.open(run.directory, limits=opened.profile.limits, key=os.environ.get(KEY_VARIABLE))
    _opened[str(run.directory)] = opened
    return opened


def workspace(directory: str) -> Workspace:
    """The workspace of a run, as opened in this process."""
    return _opened[directory]
