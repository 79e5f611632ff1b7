"""What values have the direct identifiers of a source?

Read again where they must be recognised, and kept nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.ingest.reopened import reopened

if TYPE_CHECKING:
    import duckdb

    from sdc.ingest.readers.opened import Opened
    from sdc.profile.plan import Profile

AT_A_TIME = 10_000


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

    def read(cursor: duckdb.DuckDBPyConnection, opened: Opened, _path: Path) -> None:
        # A copy in another encoding is a pipe: it can be read once.
        held = [opened.columns[name] for name in names]
        columns = ", ".join(
            f'{sql.as_text(each.expression, each.type)} AS "v{place}"' for place, each in enumerate(held)
        )
        cursor.execute(f"CREATE TEMP TABLE identifiers AS SELECT {columns} FROM {opened.relation}")

    with reopened(profile, base, sha256, scratch, read) as (cursor, _):
        yield {name: _values(cursor, f'"v{place}"') for place, name in enumerate(names)}


def _values(cursor: duckdb.DuckDBPyConnection, column: str) -> Iterator[str]:
    cursor.execute(f"SELECT {column} FROM identifiers WHERE {column} IS NOT NULL")
    while rows := cursor.fetchmany(AT_A_TIME):
        yield from (row[0] for row in rows if row[0])
