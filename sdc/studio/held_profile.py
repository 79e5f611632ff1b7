"""Holds a profile for one workbench: a second one would keep its edits over those of the first."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sdc.errors import SdcError
from sdc.run import digest, durable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class OpenElsewhere(SdcError):
    """Another workbench has the profile."""

    exit_code = 2

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} is open in another workbench on this machine; use that one or stop it with Ctrl-C, or"
            " open a copy under another name"
        )


@contextmanager
def held_alone(profile: Path, scratch: Path) -> Iterator[None]:
    """The profile is held until the end of the block, or of the process, however it ends.

    The mark lies beside the profile; in `scratch` where nothing can be written there.
    """
    beside = profile.with_name(f".{profile.name}.open")
    try:
        mark, handle = beside, _held(beside, profile.name)
    except OSError:
        scratch.mkdir(mode=durable.PRIVATE_DIRECTORY, parents=True, exist_ok=True)
        mark = scratch / f"{digest.of_bytes(str(profile).encode())[:16]}.open"
        handle = _held(mark, profile.name)
    try:
        yield
    finally:
        mark.unlink(missing_ok=True)
        os.close(handle)


def _held(mark: Path, name: str) -> int:
    while True:
        handle = os.open(mark, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW, durable.PRIVATE_FILE)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever held it may have removed the mark meanwhile.
            if mark.exists() and os.path.samestat(os.fstat(handle), mark.stat()):
                return handle
        except BlockingIOError:
            os.close(handle)
            raise OpenElsewhere(name) from None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
