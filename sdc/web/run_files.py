"""The files of a run that may be looked at, if they are what they seem."""

from __future__ import annotations

import os
import re
import stat
from enum import Enum
from typing import TYPE_CHECKING

from sdc.run import digest

if TYPE_CHECKING:
    from pathlib import Path

    from sdc.audit.record import RunView
    from sdc.run.home import Home

RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
AS_IT_LIES = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
"""A link is not followed and nothing is waited for."""


def read(home: Home, run: str, place: Path) -> bytes | None:
    """Record or report of a run, no other file; None where it is gone or is not a plain file."""
    held = home.directory(run)
    if place not in (held.record, held.report) or not RUN.fullmatch(run):
        return None
    try:
        directory = os.open(held.path, AS_IT_LIES | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        handle = os.open(held.name_of(place), AS_IT_LIES, dir_fd=directory)
    except OSError:
        return None
    finally:
        os.close(directory)
    with os.fdopen(handle, "rb") as file:
        return file.read() if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None


def is_kept(home: Home, run: str) -> bool:
    """Whether the run still has a directory of its own."""
    place = home.directory(run).path
    return bool(RUN.fullmatch(run)) and place.is_dir() and not place.is_symlink()


class ReportState(Enum):
    """Whether the report of a run is the one that was written when its record was sealed.

    It says so in words for a page or the terminal.
    """

    SEALED = "The report is the one its sealed record vouches for."
    ALTERED = "The report was altered since the record of the run was sealed; it is not shown."
    UNVOUCHED = "No sealed record vouches for the report of this run; it is not shown."
    NONE = "There is no report of this run here."


def report_of(home: Home, view: RunView) -> tuple[ReportState, bytes]:
    """The report people decide by, if the record that the ledger knows vouches for these very bytes."""
    held = home.directory(view.row.run)
    data = read(home, view.row.run, held.report)
    if data is None:
        return ReportState.NONE, b""
    sealed = (
        (view.record or {}).get("files", {}).get(held.name_of(held.report)) if view.record_holds else None
    )
    if sealed is None:
        return ReportState.UNVOUCHED, b""
    return (ReportState.SEALED, data) if digest.of_bytes(data) == sealed else (ReportState.ALTERED, b"")
