"""What values have the direct identifiers of a source? Read again where they must be recognised, and kept nowhere."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc import digest, sql
from sdc.database import Database
from sdc.ingest.intake import opened_source
from sdc.roles import Role

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.opened import Held
    from sdc.profile.plan import Profile

AT_A_TIME = 10_000


@contextmanager
def identifier_values(profile: Profile, base: Path, sha256: str, scratch: Path) -> Iterator[Mapping[str, Iterator[str]]]:
    """Values of each direct identifier as texts, one variable after the other; none of a source that is gone or is no longer the one that was read.

    `scratch` is a private place for a copy in another encoding; it is empty again afterwards.
    """
    names = [name for name, plan in profile.variables.items() if plan.role is Role.DIRECT_IDENTIFIER]
    path = (base / profile.source.path).resolve()
    if not names or not path.is_file() or digest.of_file(path) != sha256:
        yield {}
        return
    database = Database.in_memory()
    try:
        with tempfile.TemporaryDirectory(dir=scratch, prefix="identifiers-") as private:
            cursor = database.cursor()
            cursor.execute(f"SET temp_directory = {sql.text(private)}")
            with opened_source(profile.source, path, cursor, Path(private)) as opened:
                # A copy in another encoding is a pipe: it can be read once.
                held = [name for name in names if name in opened.columns]
                columns = ", ".join(f'{_text(opened.columns[name])} AS "v{place}"' for place, name in enumerate(held))
                cursor.execute(f"CREATE TEMP TABLE identifiers AS SELECT {columns} FROM {opened.relation}" if held else "SELECT 1")
            yield {name: _values(cursor, f'"v{place}"') for place, name in enumerate(held)}
    finally:
        database.close()


def _text(held: Held) -> str:
    return sql.as_text(held.expression, held.type)


def _values(cursor: duckdb.DuckDBPyConnection, column: str) -> Iterator[str]:
    cursor.execute(f"SELECT {column} FROM identifiers WHERE {column} IS NOT NULL")
    while rows := cursor.fetchmany(AT_A_TIME):
        yield from (row[0] for row in rows if row[0])
