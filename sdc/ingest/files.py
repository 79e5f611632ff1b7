"""Which bytes were read: a source file, before anything is known of its content."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sdc.errors import BadData, Fault
from sdc.run import digest, durable


@dataclass(frozen=True)
class Fingerprint:
    """A file's size and SHA-256, and when it was last written."""

    path: Path
    bytes: int
    sha256: str
    written: int

    @classmethod
    def of(cls, path: Path, looked_for: str = "") -> Fingerprint:
        """A readable, non-empty file, read once as a stream; BadData where it is none.

        `looked_for` says where its name was taken to begin.
        """
        try:
            if path.is_dir():
                raise _bad(path, "this is a directory", "name the file in it")
            held = path.stat()
            if held.st_size == 0:
                raise _bad(path, "the file is empty")
            return cls(path, held.st_size, digest.of_file(path), held.st_mtime_ns)
        except FileNotFoundError:
            raise _bad(path, "there is no such file", looked_for) from None
        except OSError as error:
            raise _bad(path, f"the file cannot be read: {durable.reason(error)}") from None

    def confirm(self) -> None:
        """The file is still the one that was read."""
        held = self.path.stat()
        if (held.st_size, held.st_mtime_ns) != (self.bytes, self.written):
            raise _bad(self.path, "the file changed while it was read", "try again when nobody writes to it")


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
