"""Unpacks gzip, zstd and zip into a private place, and no more of them than there is room for."""

from __future__ import annotations

import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sdc.catalogue.readers import PACKED
from sdc.errors import BadData, Fault
from sdc.spelling import counted

if TYPE_CHECKING:
    import duckdb

CHUNK = 1 << 20
SHARE_OF_FREE = 0.5
"""An unpacked file may take half of the free room."""
MEMORY = Path("/dev/shm")  # noqa: S108 - a file system in memory, where a private folder is made


def is_packed(path: Path) -> bool:
    return path.suffix.lower() in PACKED and not path.is_dir()


def inner_name(path: Path) -> Path:
    """The name of what is inside, without unpacking: person.csv.gz holds person.csv."""
    if path.suffix.lower() != ".zip":
        return path.with_suffix("")
    try:
        with zipfile.ZipFile(path) as archive:
            return path.parent / Path(_only_member(path, archive).filename).name
    except (zipfile.BadZipFile, OSError):
        raise _corrupt(path) from None


@contextmanager
def unpacked(path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path) -> Iterator[Path]:
    """The path of the one file inside, in a folder of its own that is gone afterwards.

    Where the cursor encrypts what it writes, the file is unpacked into memory and the folder has a link.
    """
    inside = inner_name(path)
    encrypts = cursor.execute("SELECT current_setting('temp_file_encryption')").fetchall()[0][0]
    if encrypts and not MEMORY.is_dir():
        problem = "the warehouse is encrypted, and this would be unpacked onto the disk in the clear"
        raise BadData([Fault(str(path), problem, "unpack it to where it may be kept")])
    with (
        tempfile.TemporaryDirectory(dir=scratch, prefix="unpacked-") as private,
        tempfile.TemporaryDirectory(dir=MEMORY if encrypts else scratch, prefix="unpacked-") as held,
    ):
        target = Path(held) / f"source{inside.suffix}"
        _unpack(path, target)
        if not encrypts:
            yield target
            return
        link = Path(private) / target.name
        link.symlink_to(target)
        yield link


def _unpack(path: Path, target: Path) -> None:
    most = int(shutil.disk_usage(target.parent).free * SHARE_OF_FREE)
    written = 0
    try:
        with target.open("wb") as sink, _stream(path) as packed:
            target.chmod(stat.S_IRUSR | stat.S_IWUSR)
            while chunk := packed.read(CHUNK):
                written += len(chunk)
                if written > most:
                    problem = f"unpacked it would be larger than half of the free room ({most:,} bytes)"
                    raise BadData([Fault(str(path), problem, "make room, or unpack it elsewhere")])
                sink.write(chunk)
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile):
        raise _corrupt(path) from None
    except (RuntimeError, NotImplementedError):
        problem = "the archive has a password, or a compression of its own"
        raise BadData([Fault(str(path), problem, "unpack it yourself")]) from None
    if not written:
        raise BadData([Fault(str(path), "the file inside is empty")])


@contextmanager
def _stream(path: Path) -> Iterator[IO[bytes]]:
    if path.suffix.lower() == ".zip":
        with zipfile.ZipFile(path) as archive, archive.open(_only_member(path, archive)) as member:
            yield member
        return
    import pyarrow as pa

    # Unlike the modules of these formats it tells a stream that breaks off.
    codec = "gzip" if path.suffix.lower() == ".gz" else "zstd"
    with pa.OSFile(str(path)) as file, pa.CompressedInputStream(file, codec) as packed:
        yield packed


def _only_member(path: Path, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = [
        each for each in archive.infolist() if not each.is_dir() and not each.filename.startswith("__MACOSX/")
    ]
    if len(members) != 1:
        problem = f"the archive holds {counted(len(members), 'file')}, and one is to be read"
        raise BadData([Fault(str(path), problem, "pack the data alone")])
    return members[0]


def _corrupt(path: Path) -> BadData:
    return BadData([Fault(str(path), "this cannot be unpacked to its end", "is the file whole?")])
