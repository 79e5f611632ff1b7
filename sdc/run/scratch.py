"""Private places for confidential work that is forgotten afterwards, also where the process was killed.

    with scratch(home.path / "scratch") as place:   # mode 0700, held by a lock while the process lives
        ...

Whoever asks for a place first removes those whose process died.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.errors import HomeUnusable
from sdc.run import durable
from sdc.run.home import is_alive

if TYPE_CHECKING:
    from sdc.run.home import Home

PREFIX = ".sdc-scratch-"
STARTING = ".starting-"
MOMENT = 60
"""Seconds within which a run that is being started has its lock."""


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """A directory of this process alone, empty and gone afterwards; HomeUnusable where none can be made."""
    try:
        parent.mkdir(mode=durable.PRIVATE_DIRECTORY, parents=True, exist_ok=True)
        _sweep(parent)
        place, lock = _made(parent)
    except OSError as error:
        raise HomeUnusable(parent, durable.reason(error)) from None
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(lock)


def sweep_starts(home: Home) -> None:
    """Remove directories of runs whose process died before they had a name."""
    for found in home.runs.glob(f"{STARTING}*"):
        with suppress(OSError):
            if time.time() - found.stat().st_mtime > MOMENT and not is_alive(home, found.name):
                shutil.rmtree(found, ignore_errors=True)


def _made(parent: Path) -> tuple[Path, int]:
    """A new directory and the lock on it."""
    while True:
        place = parent / f"{PREFIX}{secrets.token_hex(6)}"
        place.mkdir(mode=durable.PRIVATE_DIRECTORY)
        # whoever sweeps may have been faster
        with suppress(FileNotFoundError, BlockingIOError):
            return place, _locked(place)


def _locked(place: Path) -> int:
    """A lock on a directory that is still there."""
    lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        place.stat()
    except OSError:
        os.close(lock)
        raise
    return lock


def _sweep(parent: Path) -> None:
    for found in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):
            lock = _locked(found)
            try:
                if os.fstat(lock).st_uid == os.geteuid():
                    shutil.rmtree(found, ignore_errors=True)
            finally:
                os.close(lock)
