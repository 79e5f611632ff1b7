"""Writes files so that they outlive a crash, and locks them."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from typing import TYPE_CHECKING

from sdc.errors import OF_THE_MACHINE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PRIVATE_FILE = 0o600
PRIVATE_DIRECTORY = 0o700

REASONS = {
    **OF_THE_MACHINE,
    errno.EACCES: "this user may not write there",
    errno.EPERM: "this user may not write there",
    errno.ENOENT: "it does not exist",
    errno.ENOTDIR: "it is not a directory",
}


def reason(error: OSError) -> str:
    """Why the operating system refused, in words."""
    known = REASONS.get(error.errno or 0)
    return known or os.strerror(error.errno or errno.EIO)


def keep_private() -> None:
    """From now on no file of this process, or of one it starts, is open to others by default."""
    os.umask(0o077)


def write(path: Path, data: bytes, mode: int = PRIVATE_FILE) -> None:
    """The whole content of a file, on disk when this returns."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def replace(path: Path, data: bytes, mode: int = PRIVATE_FILE) -> None:
    """Like `write`, and whoever looks sees the old content or the new, nothing between."""
    fresh = path.with_name(f"{path.name}.new")
    write(fresh, data, mode)
    fresh.replace(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """A file's content, or a directory's names, on disk when this returns."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError as error:
        # some network file systems cannot sync a directory and say so
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(handle)


@contextlib.contextmanager
def locked(path: Path, *, flags: int = os.O_RDONLY, shared: bool = False) -> Iterator[int]:
    """A file or directory held against all others who ask for it; gone with the process, however it ends."""
    handle = os.open(path, flags | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield handle
    finally:
        os.close(handle)
