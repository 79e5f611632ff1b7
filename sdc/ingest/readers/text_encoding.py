"""Gives files in other encodings to the reader as UTF-8, without writing them to disk."""

from __future__ import annotations

import codecs
import io
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sdc.errors import BadData, Fault
from sdc.ingest.files import plainly_named

UTF_8 = ("utf-8", "utf-8-sig", "ascii")
CHUNK = 1 << 20


def codec(path: Path, encoding: str) -> str:
    """The encoding as Python reads it; a mark at the beginning of UTF-8 is no character."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except LookupError:
        raise BadData(
            [
                Fault(
                    str(path),
                    f"no encoding is called {encoding!r}",
                    "utf-8, latin-1, windows-1252 and utf-16 are",
                )
            ]
        ) from None
    name = codecs.lookup(encoding).name
    return "utf-8-sig" if name in UTF_8 else name


@contextmanager
def as_utf_8(path: Path, encoding: str, directory: Path) -> Iterator[Path]:
    """A path to read the file from as UTF-8: the file itself, or a pipe that another thread fills.

    UnicodeError at the end where some bytes were no characters: what was read then breaks off before them.
    """
    # DuckDB follows a link to where it may not read: what was unpacked into memory goes through the pipe.
    if encoding == "utf-8-sig" and not path.is_symlink():
        with plainly_named(path, directory) as named:
            yield named
        return
    with tempfile.TemporaryDirectory(dir=directory, prefix="pipe-") as private:
        pipe = Path(private) / "source.csv"
        os.mkfifo(pipe, 0o600)
        writer = _PipeWriter(path, encoding, pipe)
        writer.start()
        try:
            yield pipe
        finally:
            # A reader that never came, or left early, must not leave the writer waiting. The writer may not
            # have come to the pipe yet, so one look is not enough.
            while writer.is_alive():
                os.close(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK))
                writer.join(0.02)
    if writer.problem is not None:
        raise writer.problem


class _PipeWriter(threading.Thread):
    """Writes a file into a pipe as UTF-8."""

    def __init__(self, path: Path, encoding: str, pipe: Path) -> None:
        super().__init__(daemon=True)
        self.path, self.encoding, self.pipe = path, encoding, pipe
        self.problem: OSError | UnicodeError | None = None

    def run(self) -> None:
        try:
            with self.path.open(encoding=self.encoding, newline="") as text, self.pipe.open("wb") as sink:
                for chunk in iter(lambda: text.read(CHUNK), ""):
                    sink.write(chunk.encode())
        except BrokenPipeError:
            return
        except (OSError, UnicodeError) as error:
            self.problem = error


def first_wrong_line(path: Path, encoding: str) -> int | None:
    """The first line with bytes that are no characters in this encoding."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    try:
        with path.open("rb") as file:
            for chunk in iter(lambda: file.read(CHUNK), b""):
                line += decoder.decode(chunk).count("\n")
            decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        return line + error.object[: error.start].decode(error.encoding, "ignore").count("\n")
    return None
