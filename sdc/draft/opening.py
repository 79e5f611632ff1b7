"""The records of a file that nobody has described, read as a run would read them."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sdc.catalogue.addresses import ADDRESS_REMEDY, PASSWORD
from sdc.catalogue.readers import Guess, scheme_of
from sdc.data import sql
from sdc.data.database import Database
from sdc.draft.informed import merged
from sdc.errors import BadData, Fault
from sdc.ingest.files import Fingerprint
from sdc.ingest.readers.fixed_width import layout_of
from sdc.ingest.readers.opening import opened_source, reader_for
from sdc.ingest.readers.packed import is_packed, unpacked
from sdc.profile.plan import Source
from sdc.run.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sdc.data.table import Table
    from sdc.ingest.readers.opened import ColumnMetadata, SourceColumn

MOST_RECORDS = 1_000_000


def described_source(
    path: Path,
    table: str | None = None,
    query: str | None = None,
    *,
    sheet: str | None = None,
    cells: str | None = None,
    layout: Path | None = None,
    corrections: Mapping[str, str] | None = None,
) -> Source:
    """The source as a profile would describe it; BadData where there is nothing to read.

    `layout` is a file that says which characters of a line are which column. `corrections` are keys of
    `source` that somebody knows better than a guess.
    """
    if PASSWORD.search(str(path)):
        raise BadData([Fault("DATA", "this holds a password, or what looks like one", ADDRESS_REMEDY)])
    if scheme_of(path) is None:
        Fingerprint.of(path)
    form = "fixed_width" if layout else None
    reader = reader_for(path, form, of_tables=bool(table or query))
    told: dict[str, Any] = dict(_guessed(reader.guess, path)) if reader.guess else {}
    if reader.has_tables:
        told |= {"table": table, "query": query}
    if layout:
        told |= {"layout": layout_of(layout)}
    told |= corrections or {}
    try:
        return Source(path=path, format=reader.name, sheet=sheet, range=cells, **told)
    except ValidationError:
        problem = "the range, or a column of the layout, is not written as it should be"
        raise BadData([Fault(str(layout or path), problem, "write B3:F200, and starts from 1")]) from None


def _guessed(guess: Guess, path: Path) -> Mapping[str, str]:
    """What a file says of how it is written, unpacked for that where it is packed."""
    if not is_packed(path):
        return guess(path)
    database = Database.in_memory()
    try:
        with (
            scratch(Path(tempfile.gettempdir())) as place,
            unpacked(path, database.cursor(), place) as plain,
        ):
            return guess(plain)
    finally:
        database.close()


@contextmanager
def opened(
    source: Source, dictionary: Mapping[str, ColumnMetadata] | None = None, most: int = MOST_RECORDS
) -> Iterator[tuple[Table, Mapping[str, ColumnMetadata]]]:
    """The first records of a source in memory, `most` of them, and what is said of its columns.

    The file itself says it, and a dictionary beside it. Codes for missing are taken out.
    """
    database = Database.in_memory()
    with scratch(Path(tempfile.gettempdir())) as place:
        cursor = database.cursor()
        cursor.execute(f"SET temp_directory = {sql.text(str(place))}")
        try:
            with opened_source(source, source.path, cursor, place) as found:
                told = merged({name: held.metadata for name, held in found.columns.items()}, dictionary or {})
                columns = ", ".join(
                    f"{_present(held, told[name])} AS {sql.name(name)}"
                    for name, held in found.columns.items()
                )
                cursor.execute(
                    f"CREATE TABLE memory.main.data AS SELECT {columns} FROM {found.relation} LIMIT {most}"
                )
            data = database.table("data")
            if not data.rows:
                raise BadData(
                    [Fault(str(source.path), "there are no records", "a draft needs some to count")]
                )
            yield data, told
        finally:
            database.close()


def _present(held: SourceColumn, told: ColumnMetadata) -> str:
    """A column without the values that stand for missing, in SQL."""
    if not told.missing_codes:
        return held.expression
    codes = ", ".join(map(sql.text, told.missing_codes))
    text = sql.as_text(held.expression, held.type)
    return f"CASE WHEN {text} IN ({codes}) THEN NULL ELSE {held.expression} END"
