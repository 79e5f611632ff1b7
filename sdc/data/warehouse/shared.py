"""Keeps a folder on shared storage while other machines work on its tables; the run's end removes it.

with claimed(home, folder):          # on record while the process lives
    SharedTables(folder, warehouse, key).send("original")
remove_abandoned(home)               # at the start of every run: what a dead process left
"""

from __future__ import annotations

import fcntl
import os
import platform
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

from sdc.errors import SdcError, SharedUnusable, StepFailed, redacted
from sdc.run import durable
from sdc.run.home import Home

RECORDS = "shared"
MARK = "open"
"""Lies in a folder as long as its run lives, where the storage has no folders of its own."""


class SharedFolder:
    """A folder that several machines see: on a path of their own, or any URL that fsspec knows."""

    def __init__(self, url: str) -> None:
        try:
            with redacted("shared storage", passing=(ImportError,)):
                from fsspec.core import url_to_fs  # type: ignore[import-untyped]

                self._files, path = url_to_fs(url)
        except ImportError as error:
            raise SharedUnusable(url, f"the package {error.name or 'fsspec'} is not installed here") from None
        except StepFailed as failed:
            raise SharedUnusable(
                url, f"this is no path and no URL that fsspec knows ({failed.kind})"
            ) from None
        self.url, self.path = url, str(path).rstrip("/")

    @property
    def has_modes(self) -> bool:
        """Whether it is a file system that knows owners."""
        from fsspec.implementations.local import LocalFileSystem  # type: ignore[import-untyped]

        return isinstance(self._files, LocalFileSystem)

    def within(self, name: str) -> SharedFolder:
        return SharedFolder(f"{self.url.rstrip('/')}/{name}")

    def make(self) -> None:
        """Makes a new folder that only its owner can read.

        The one around it has to be there already where that can be known.
        """
        with self._doing():
            if self.has_modes:
                Path(self.path).mkdir(mode=durable.PRIVATE_DIRECTORY)
            else:
                self._files.makedirs(self.path, exist_ok=True)
                self._files.pipe_file(f"{self.path}/{MARK}", b"")

    def put(self, file: Path, name: str) -> None:
        """Writes a file so that others see it whole or not at all."""
        fresh, place = (f"{self.path}/{each}" for each in (f".{secrets.token_hex(4)}-{name}", name))
        with self._doing():
            if self.has_modes:
                _copy_private(file, Path(fresh))
                Path(fresh).replace(place)
            else:
                self._require_there()
                self._files.put_file(str(file), fresh)
                self._files.mv(fresh, place)

    def get(self, name: str, file: Path) -> None:
        with self._doing():
            self._files.get_file(f"{self.path}/{name}", str(file))

    def drop(self, name: str) -> None:
        with self._doing():
            self._files.rm_file(f"{self.path}/{name}")

    def exists(self) -> bool:
        with self._doing():
            self._files.invalidate_cache()
            return bool(self._files.exists(self.path if self.has_modes else f"{self.path}/{MARK}"))

    def _require_there(self) -> None:
        """Refuses a folder that is gone.

        Where files create their folders, a late worker must not bring one back.
        """
        if not self.exists():
            raise SharedUnusable(self.url, "the run it belonged to is over")

    def remove(self) -> None:
        """Removes the folder and all in it; one that is already gone is no fault."""
        with self._doing():
            self._files.invalidate_cache()
            if self._files.exists(self.path):
                self._files.rm(self.path, recursive=True)

    @contextmanager
    def _doing(self) -> Iterator[None]:
        try:
            with redacted("shared storage", passing=(OSError,)):
                yield
        except StepFailed as failed:
            raise SharedUnusable(self.url, failed.kind) from None
        except FileNotFoundError:
            raise SharedUnusable(
                self.url, f"what was looked for is not there, or not seen from {platform.node() or 'here'}"
            ) from None
        except OSError as error:
            raise SharedUnusable(
                self.url, durable.reason(error) if error.errno else type(error).__name__
            ) from None


def _copy_private(source: Path, target: Path) -> None:
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, durable.PRIVATE_FILE)
    with os.fdopen(handle, "wb") as file, source.open("rb") as content:
        shutil.copyfileobj(content, file, 1 << 20)
        file.flush()
        os.fsync(file.fileno())


def shared_root(url: str, key: str | None) -> SharedFolder:
    """The storage a setting names; refused where it would not keep a confidential table."""
    if "://" in url and urlsplit(url.rpartition("::")[2]).password:
        raise SharedUnusable(
            url.split("://", maxsplit=1)[0] + "://…",
            "an address with a password reaches logs; keep it in the storage's own configuration",
        )
    root = SharedFolder(url if "://" in url else str(Path(url).absolute()))
    if root.has_modes and not Path(root.path).is_dir():
        raise SharedUnusable(url, "there is no such directory")
    if not root.has_modes and not key:
        raise SharedUnusable(
            url,
            "storage without owners of files holds tables only encrypted: set SDC_WAREHOUSE_KEY here and on"
            " every worker",
        )
    return root


@contextmanager
def claimed(
    home: Home, folder: SharedFolder, say: Callable[[str], object] = lambda _problem: None
) -> Iterator[None]:
    """Makes the folder and removes it at the end, or says why it could not.

    A record of it outlives a crash.
    """
    records = home.path / RECORDS
    records.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
    record = records / secrets.token_hex(8)
    hidden = record.with_name(f".{record.name}")
    durable.write(hidden, folder.url.encode())
    with durable.locked(hidden):
        hidden.rename(record)
        try:
            folder.make()
            yield
        finally:
            for problem in _removed(record, folder.url):
                say(problem)


def remove_abandoned(home: Home) -> list[str]:
    """Removes the folders of runs that died.

    It gives a message about those that could not be removed; the next start tries them again.
    """
    problems: list[str] = []
    for record in sorted((home.path / RECORDS).glob("[!.]*")):
        with suppress(FileNotFoundError), record.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            problems += _removed(record, file.read().decode())
    return problems


def _removed(record: Path, url: str) -> list[str]:
    try:
        SharedFolder(url).remove()
    except SdcError as error:
        return [f"confidential tables could not be removed and are tried again at the next start: {error}"]
    record.unlink(missing_ok=True)
    return []
