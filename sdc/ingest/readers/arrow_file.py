"""Reads Arrow files and streams: .arrow, .feather and .ipc."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import reader
from sdc.errors import BadData, Fault
from sdc.ingest.readers.chunks import in_chunks
from sdc.ingest.readers.header import refuse_doubtful_names
from sdc.ingest.readers.typed_columns import described_columns, read_to_the_end

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from sdc.ingest.readers.opened import OpenedSource
    from sdc.profile.plan import Source

ENDS = (b"\xff\xff\xff\xff\x00\x00\x00\x00", b"\x00\x00\x00\x00")
"""What stands after the last message of a stream, now and before version 0.15 of Arrow."""


@reader(name="arrow", suffixes=(".arrow", ".feather", ".ipc"), order=25)
@contextmanager
def opened_arrow(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """Every column with its type, in the batches of the file."""
    del source, scratch
    import pyarrow as pa

    with pa.memory_map(str(path)) as file:
        batches = _batches(path, file)
        refuse_doubtful_names(path, batches.schema.names)
        with read_to_the_end(path), in_chunks(cursor, batches) as relation:
            yield described_columns(cursor, path, relation)


def _batches(path: Path, file: pa.NativeFile) -> pa.RecordBatchReader:
    """Files have an index at their end, streams have none; Feather of the first version is neither."""
    import pyarrow as pa

    try:
        if file.read(6) == b"ARROW1":
            held = pa.ipc.open_file(file)
            every = (held.get_batch(place) for place in range(held.num_record_batches))
            return pa.RecordBatchReader.from_batches(held.schema, every)
        if not _has_an_end(file):
            problem = "the stream has no end, or goes on after it"
            raise BadData([Fault(str(path), problem, "write it again")])
        file.seek(0)
        return pa.ipc.open_stream(file)
    except (pa.ArrowException, OSError):
        problem = "this is no Arrow file, or one that is not whole"
        raise BadData([Fault(str(path), problem, "write it as Arrow IPC (Feather version 2)")]) from None


def _has_an_end(file: pa.NativeFile) -> bool:
    """Does the mark follow the last message, and nothing follow the mark?

    Values may be written as the mark is, so the last bytes alone do not tell.
    """
    import pyarrow as pa

    file.seek(0)
    messages = pa.ipc.MessageReader.open_stream(file)
    while True:
        place = file.tell()
        try:
            messages.read_next_message()
        except StopIteration:
            break
    file.seek(place)
    return file.read(len(ENDS[0]) + 1) in ENDS
