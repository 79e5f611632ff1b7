"""Reads the source once more in the same run, if it is still the file that was read."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sdc.data import sql
from sdc.data.database import Database
from sdc.errors import BadData, Fault
from sdc.ingest.files import located, source_fingerprint
from sdc.ingest.intake import opened_records

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.readers.opened import OpenedSource
    from sdc.profile.plan import Profile

CHANGED = "the source is no longer the file that was read, so nobody can tell what it says of single people"

AT_A_TIME = 2**16

Read = TypeVar("Read")


@contextmanager
def reopened(
    profile: Profile,
    base: Path,
    sha256: str,
    scratch: Path,
    read: Callable[[duckdb.DuckDBPyConnection, OpenedSource, Path], Read],
) -> Iterator[tuple[duckdb.DuckDBPyConnection, Read]]:
    """What `read` makes of the open source, in a database in memory that is gone afterwards.

    It may leave tables on the cursor.

    BadData where the source is gone or has changed since: what cannot be looked for cannot be found absent.
    `scratch` is a private place for what does not fit into memory; it is empty again afterwards.
    """
    path = located(base, profile.source.path)
    changed = BadData([Fault(str(path), CHANGED, "put the file back, or release anew")])
    try:
        fingerprint = source_fingerprint(profile.source, base)
    except BadData:
        raise changed from None
    if fingerprint.sha256 and fingerprint.sha256 != sha256:
        raise changed
    database = Database.in_memory()
    try:
        with tempfile.TemporaryDirectory(dir=scratch, prefix="reopened-") as private:
            cursor = database.cursor()
            cursor.execute(f"SET temp_directory = {sql.text(private)}")
            with opened_records(profile, profile.source, base, cursor, Path(private)) as opened:
                fingerprint = fingerprint.completed(opened)
                if fingerprint.sha256 != sha256:
                    raise changed
                made = read(cursor, opened, path)
            fingerprint.confirm()
            yield cursor, made
    finally:
        database.close()


@contextmanager
def identifier_values(
    profile: Profile, base: Path, sha256: str, scratch: Path
) -> Iterator[Mapping[str, Iterator[str]]]:
    """Values of each direct identifier as texts, one variable after the other.

    BadData where the source is gone or is no longer the one that was read. `scratch` is a private place; it
    is empty again afterwards.
    """
    names = profile.roles.direct_identifiers
    if not names:
        yield {}
        return

    def read(cursor: duckdb.DuckDBPyConnection, opened: OpenedSource, _path: Path) -> None:
        # A copy in another encoding is a pipe: it can be read once.
        held = [opened.columns[name] for name in names]
        columns = ", ".join(
            f'{sql.as_text(each.expression, each.type)} AS "v{place}"' for place, each in enumerate(held)
        )
        cursor.execute(f"CREATE TEMP TABLE identifiers AS SELECT {columns} FROM {opened.relation}")

    with reopened(profile, base, sha256, scratch, read) as (cursor, _):
        yield {name: _values(cursor, f'"v{place}"') for place, name in enumerate(names)}


def _values(cursor: duckdb.DuckDBPyConnection, column: str) -> Iterator[str]:
    held = cursor.sql(f"SELECT {column} FROM identifiers WHERE {column} IS NOT NULL AND {column} <> ''")
    for batch in held.to_arrow_reader(AT_A_TIME):
        yield from batch.column(0).to_pylist()
