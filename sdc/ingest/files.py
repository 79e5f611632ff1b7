"""Which bytes were read: a source file, a folder of parts, or the records of a database."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import scheme_of
from sdc.errors import BadData, Fault
from sdc.run import digest, durable

NEVER = -1
"""When records of a database were last written: nobody knows."""

if TYPE_CHECKING:
    from sdc.ingest.readers.opened import OpenedSource
    from sdc.profile.plan import Source


@dataclass(frozen=True)
class Fingerprint:
    """A file's size and own SHA-256, and when it was last written; of a database those of its records."""

    path: Path
    bytes: int
    own: str
    written: int
    others: tuple[Fingerprint, ...] = ()
    """Files that were read with it."""
    parts: tuple[tuple[Path, str], ...] = ()
    """Of a folder each part with its own SHA-256, in the order of their names."""

    @property
    def sha256(self) -> str:
        """The SHA-256 of all that was read; empty while the records of a database are not known."""
        known = [self.own, *(other.own for other in self.others)]
        if not all(known):
            return ""
        return digest.of_bytes(digest.canonical(known)) if self.others else self.own

    @classmethod
    def of(cls, path: Path, looked_for: str = "") -> Fingerprint:
        """A readable, non-empty file, read once as a stream; BadData where it is none.

        `looked_for` says where its name was taken to begin.
        """
        try:
            if path.is_dir():
                return _of_parts(path)
            held = path.stat()
            if held.st_size == 0:
                raise _bad(path, "the file is empty")
            return cls(path, held.st_size, digest.of_file(path), held.st_mtime_ns)
        except FileNotFoundError:
            raise _bad(path, "there is no such file", looked_for) from None
        except OSError as error:
            raise _bad(path, f"the file cannot be read: {durable.reason(error)}") from None

    def together_with(self, *others: Fingerprint) -> Fingerprint:
        """This file and others as one source."""
        return replace(self, others=others)

    def completed(self, opened: OpenedSource) -> Fingerprint:
        """With the digests of records that come from a database; a file has its own already."""
        made = self if opened.sha256 is None else replace(self, own=opened.sha256, bytes=opened.bytes)
        if opened.households_sha256 is None:
            return made
        others = [replace(other, own=opened.households_sha256) for other in self.others]
        return replace(made, others=tuple(others))

    def confirm(self) -> None:
        """The files are still the ones that were read. Records of a database were read in one snapshot."""
        for other in self.others:
            other.confirm()
        if self.written == NEVER:
            if not self.own:
                raise _bad(self.path, "nobody knows which records were read")
            return
        parts = [part.stat() for part in (parts_of(self.path) if self.path.is_dir() else [self.path])]
        size, written = sum(part.st_size for part in parts), max(part.st_mtime_ns for part in parts)
        if (size, written) != (self.bytes, self.written):
            raise _bad(self.path, "the file changed while it was read", "try again when nobody writes to it")


def source_fingerprint(source: Source, base: Path, looked_for: str = "") -> Fingerprint:
    """Which bytes a source has: of its file, or of both where persons and households are linked.

    That of a database is completed when its records were read.
    """
    households = getattr(source, "households", None)
    others = [_fingerprint(households.path, base, looked_for)] if households else []
    return _fingerprint(source.path, base, looked_for).together_with(*others)


def _fingerprint(path: Path, base: Path, looked_for: str) -> Fingerprint:
    if scheme_of(path):
        return Fingerprint(path, 0, "", NEVER)
    return Fingerprint.of((base / path).resolve(), looked_for)


def located(base: Path, path: Path) -> Path:
    """Where a source is: a path that begins at the profile's folder, or the address of a database."""
    return path if scheme_of(path) else (base / path).resolve()


def parts_of(folder: Path) -> list[Path]:
    """The Parquet files of a folder and of the folders in it, in the order of their names."""
    found = sorted(
        each for suffix in ("parquet", "pq") for each in folder.rglob(f"*.{suffix}") if each.is_file()
    )
    if not found:
        raise _bad(folder, "this is a directory without Parquet files", "name the file in it")
    return found


def _of_parts(folder: Path) -> Fingerprint:
    """Size, digest of names and bytes, and when the last part was written."""
    parts = tuple((part, digest.of_file(part)) for part in parts_of(folder))
    told = [[part.relative_to(folder).as_posix(), sha256] for part, sha256 in parts]
    held = [part.stat() for part, _ in parts]
    size, written = sum(each.st_size for each in held), max(each.st_mtime_ns for each in held)
    return Fingerprint(folder, size, digest.of_bytes(digest.canonical(told)), written, parts=parts)


@contextmanager
def plainly_named(path: Path, scratch: Path) -> Iterator[Path]:
    """A path that DuckDB cannot take for a pattern: data[1].csv would be read from data1.csv."""
    if not set(str(path)) & set("*?["):
        yield path
        return
    with tempfile.TemporaryDirectory(dir=scratch, prefix="link-") as private:
        link = Path(private) / f"source{path.suffix}"
        link.symlink_to(path)
        yield link


def _bad(path: Path, problem: str, remedy: str = "") -> BadData:
    return BadData([Fault(str(path), problem, remedy)])
