"""Which files of a run may be looked at, and are they what they seem?"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdc.run import Home

REPORT, RECORD = "report.html", "record.json"
LOOKED_AT = frozenset({REPORT, RECORD})
RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
AS_IT_LIES = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
"""A link is not followed and nothing is waited for."""


def read(home: Home, run: str, name: str) -> bytes | None:
    """One of the files that may be looked at; None where it is gone, or is a link or anything but a file."""
    if name not in LOOKED_AT or not RUN.fullmatch(run):
        return None
    try:
        directory = os.open(home.runs / run, AS_IT_LIES | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        handle = os.open(name, AS_IT_LIES, dir_fd=directory)
    except OSError:
        return None
    finally:
        os.close(directory)
    with os.fdopen(handle, "rb") as file:
        return file.read() if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None


def is_kept(home: Home, run: str) -> bool:
    """Does the run still have a directory of its own?"""
    place = home.runs / run
    return bool(RUN.fullmatch(run)) and place.is_dir() and not place.is_symlink()


def has(home: Home, run: str, name: str) -> bool:
    place = home.runs / run / name
    return name in LOOKED_AT and is_kept(home, run) and place.is_file() and not place.is_symlink()
