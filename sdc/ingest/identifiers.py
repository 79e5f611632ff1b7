"""What values have the direct identifiers of a source? Read again where they must be recognised, and kept nowhere."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc import sql
from sdc.database import Database
from sdc.errors import BadData, Fault
from sdc.ingest.files import Fingerprint
from sdc.ingest.intake import opened_source
from sdc.roles import Role

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.opened import Held
    from sdc.profile.plan import Profile

AT_A_TIME = 10_000
CHANGED = "the source is no longer the file that was read, so nobody can tell whether the report names a person of it"


@contextmanager
def identifier_values(profile: Profile, base: Path, sha256: str, scratch: Path) -> Iterator[Mapping[str, Iterator[str]]]:
    """Values of each direct identifier as texts, one variable after the other.

    BadData where the source is gone or is no longer the one that was read: what cannot be looked for cannot be found absent.
    `scratch` is a private place for a copy in another encoding; it is empty again afterwards.
    """
    names = [name for name, plan in profile.variables.items() if plan.role is Role.DIRECT_IDENTIFIER]
    if not names:
        yield {}
        return
    path = (base / profile.source.path).resolve()
    changed = BadData([Fault(str(path), CHANGED, "put the file back, or release anew")])
    try:
        fingerprint = Fingerprint.of(path)
    except BadData:
        raise changed from None
    if fingerprint.sha256 != sha256:
        raise changed
    database = Database.in_memory()
    try:
        with tempfile.TemporaryDirectory(dir=scratch, prefix="identifiers-") as private:
            cursor = database.cursor()
            cursor.execute(f"SET temp_directory = {sql.text(private)}")
            with opened_source(profile.source, path, cursor, Path(private)) as opened:
                # A copy in another encoding is a pipe: it can be read once.
                columns = ", ".join(f'{_text(opened.columns[name])} AS "v{place}"' for place, name in enumerate(names))
                cursor.execute(f"CREATE TEMP TABLE identifiers AS SELECT {columns} FROM {opened.relation}")
            fingerprint.confirm()
            yield {name: _values(cursor, f'"v{place}"') for place, name in enumerate(names)}
    finally:
        database.close()


def _text(held: Held) -> str:
    return sql.as_text(held.expression, held.type)


def _values(cursor: duckdb.DuckDBPyConnection, column: str) -> Iterator[str]:
    cursor.execute(f"SELECT {column} FROM identifiers WHERE {column} IS NOT NULL")
    while rows := cursor.fetchmany(AT_A_TIME):
        yield from (row[0] for row in rows if row[0])
