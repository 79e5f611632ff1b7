"""Finds the home of all runs, starts and resumes a run, and tells whether it is alive.

    home = Home.find()                          # SDC_HOME, or .sdc in the current directory
    with Run.start(home, profile.name) as run:  # runs/<id>, held by a lock while the process lives
        run.id, run.directory.record

The last entry of a run goes into the ledger before its lock is given up: a free lock without one means the
run died.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sdc.errors import HomeUnusable
from sdc.run import digest, durable
from sdc.run.directory import RunDirectory

if TYPE_CHECKING:
    from types import TracebackType


@dataclass(frozen=True)
class Home:
    """The directory that holds the ledger and all runs, open to its owner only."""

    path: Path

    @classmethod
    def find(cls) -> Home:
        """The one SDC_HOME names, or `.sdc` in the current directory; made where it is missing."""
        return cls.at(named_home())

    @classmethod
    def existing(cls) -> Home | None:
        """The same where it is there already; none is made."""
        return cls.at(place) if (place := named_home()).is_dir() else None

    @classmethod
    def at(cls, path: Path) -> Home:
        home = cls(path.absolute())
        try:
            _make_private(home.path)
            for directory in (home.runs, home.prefect, home.keys):
                directory.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
        except OSError as error:
            raise HomeUnusable(path, durable.reason(error)) from None
        return home

    @property
    def ledger(self) -> Path:
        return self.path / "ledger.jsonl"

    @property
    def runs(self) -> Path:
        return self.path / "runs"

    def directory(self, run: str) -> RunDirectory:
        """The directory of a run, whether or not it is there."""
        return RunDirectory(self.runs / run)

    @property
    def prefect(self) -> Path:
        return self.path / "prefect"

    @property
    def keys(self) -> Path:
        return self.path / "keys"

    @property
    def secret(self) -> Path:
        """Where the secret of the home lies, if it is not given from outside."""
        return self.path / "secret"

    @property
    def scratch(self) -> Path:
        """Work that is forgotten when its process ends."""
        return self.path / "scratch"

    @property
    def pace(self) -> Path:
        """How long the parts of earlier runs took, by profile."""
        return self.path / "pace"

    @property
    def outboxes(self) -> Path:
        """Locks that keep runs to one outbox apart."""
        return self.path / "outboxes"


def named_home() -> Path:
    """The place of the home, whether or not it is there."""
    return Path(os.environ.get("SDC_HOME") or ".sdc")


def _make_private(path: Path) -> None:
    """A directory others may look into is closed while it is empty, refused when it is not.

    It may be someone's.
    """
    path.mkdir(mode=durable.PRIVATE_DIRECTORY, parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777
    if mode & 0o077 == 0:
        return
    if any(path.iterdir()):
        raise HomeUnusable(
            path,
            f"other users may look into it (mode {mode:o}); close it with chmod 700, or name a new directory",
        )
    path.chmod(durable.PRIVATE_DIRECTORY)


class Run:
    """One run: its name, its private directory, and the lock that says it lives."""

    def __init__(self, profile: str, directory: RunDirectory, lock: int) -> None:
        self.id = directory.run
        self.profile = profile
        self.directory = directory
        self._lock: int | None = lock

    @classmethod
    def start(cls, home: Home, profile_name: str) -> Run:
        """A new run. Its directory appears with the lock already held, so no one takes it for dead."""
        identity = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{profile_name}-{secrets.token_hex(3)}"
        hidden = home.directory(f".starting-{identity}")
        lock: int | None = None
        try:
            hidden.path.mkdir(mode=durable.PRIVATE_DIRECTORY)
            lock = os.open(hidden.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, durable.PRIVATE_FILE)
            fcntl.flock(lock, fcntl.LOCK_EX)
            directory = RunDirectory(hidden.path.rename(home.runs / identity))
            durable.sync(home.runs)
        except OSError as error:
            if lock is not None:
                os.close(lock)
            shutil.rmtree(hidden.path, ignore_errors=True)
            raise HomeUnusable(home.runs, durable.reason(error)) from None
        return cls(profile_name, directory, lock)

    @classmethod
    def resume(cls, home: Home, identity: str, profile_name: str) -> Run:
        """A run that has ended, or waits for people, held again."""
        directory = home.directory(identity)
        try:
            lock = os.open(directory.lock, os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            raise HomeUnusable(directory.path, durable.reason(error)) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise HomeUnusable(directory.path, "another process is working on this run") from None
        return cls(profile_name, directory, lock)

    def close(self) -> None:
        """Give up the lock; the directory stays."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def is_alive(home: Home, identity: str) -> bool:
    """Does a process hold the run's lock?"""
    try:
        lock = os.open(home.directory(identity).lock, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def known_runs(home: Home) -> list[str]:
    """Runs that have a directory, in the order of their names."""
    return sorted(
        found.name for found in home.runs.iterdir() if found.is_dir() and not found.name.startswith(".")
    )


@contextmanager
def alone_at(home: Home, outbox: Path, waiting: Callable[[], object] = lambda: None) -> Iterator[None]:
    """One run at a time for each outbox, whatever process or schedule it is of.

    `waiting` is called when another has it.
    """
    place = home.outboxes / f"{digest.of_bytes(str(outbox.resolve()).encode())[:16]}.lock"
    try:
        home.outboxes.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
        handle = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, durable.PRIVATE_FILE)
    except OSError as error:
        raise HomeUnusable(home.path, durable.reason(error)) from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
