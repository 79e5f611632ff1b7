"""Opens a source by the reader of its format, unpacked where it is packed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.catalogue.readers import Reader, opening, reader_of, scheme_of
from sdc.errors import BadData, Fault
from sdc.ingest.readers.file_kind import refuse_other_kind, words_for
from sdc.ingest.readers.packed import inner_name, is_packed, unpacked

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.readers.opened import OpenedSource
    from sdc.profile.plan import Source

SOUGHT = ("parquet", "jsonl", "duckdb", "sqlite")
"""Formats that DuckDB opens itself and reads more than once: it may not reach a file in memory."""


@opening
@contextmanager
def opened_source(
    source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    """The source, opened by the reader of its format. Faults name the file of the profile, packed or not."""
    if not is_packed(path):
        with _opened(reader_for(path, source.format), source, path, cursor, scratch) as opened:
            yield opened
        return
    with unpacked(path, cursor, scratch) as plain:
        reader = reader_of(plain, source.format)
        if plain.is_symlink() and reader.name in SOUGHT:
            problem = (
                f"the warehouse is encrypted, and {words_for(reader.name)} cannot be unpacked into memory"
            )
            raise BadData([Fault(str(path), problem, "unpack it to where it may be kept")])
        try:
            with _opened(reader, source, plain, cursor, scratch) as opened:
                yield opened
        except BadData as bad:
            raise BadData(
                [replace(fault, place=fault.place.replace(str(plain), str(path))) for fault in bad.faults]
            ) from None


def reader_for(path: Path, form: str | None = None, *, of_tables: bool = False) -> Reader:
    """The reader of a file, or of what is packed in it."""
    return reader_of(inner_name(path) if is_packed(path) else path, form, of_tables=of_tables)


@contextmanager
def _opened(
    reader: Reader, source: Source, path: Path, cursor: duckdb.DuckDBPyConnection, scratch: Path
) -> Iterator[OpenedSource]:
    if scheme_of(path) is None and not path.is_dir():
        refuse_other_kind(path, reader)
    with reader.opened(source, path, cursor, scratch) as opened:
        yield opened
