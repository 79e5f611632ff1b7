"""Where does a file lie, and which table is meant?"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sdc import sql
from sdc.database import Database
from sdc.errors import BadData, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.profile.plan import Source
    from sdc.table import Table


MOST_RECORDS = 1_000_000


@contextmanager
def opened(source: Source) -> Iterator[tuple[Source, Table]]:
    """The first records of a source in memory, enough for guesses, and the source with the name of its table."""
    database = Database.in_memory()
    try:
        if source.format == "duckdb":
            database.cursor().execute(f"ATTACH {sql.text(str(source.path))} AS source (READ_ONLY)")
            if source.table is None and source.query is None:
                source = source.model_copy(update={"table": _only_table(database, source)})
        database.cursor().execute(f"CREATE TABLE data AS {_selection(source)} LIMIT {MOST_RECORDS}")
        data = database.table("data")
        if not data.rows:
            raise BadData([Fault(source.path.name, "there are no records", "a draft needs some to count")])
        yield source, data
    finally:
        database.close()


def _selection(source: Source) -> str:
    place = sql.text(str(source.path))
    if source.format == "parquet":
        return f"SELECT * FROM read_parquet({place})"
    if source.format == "duckdb":
        return f"SELECT * FROM ({source.query})" if source.query else f"SELECT * FROM source.{sql.name(source.table or '')}"
    options = f"all_varchar = true, header = true, delim = {sql.text(source.separator)}, encoding = {sql.text(source.encoding)}"
    return f"SELECT * FROM read_csv({place}, {options})"


def _only_table(database: Database, source: Source) -> str:
    found = database.cursor().execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'source' ORDER BY table_name").fetchall()
    if len(found) != 1:
        names = ", ".join(name for (name,) in found) or "none"
        raise BadData([Fault(source.path.name, f"the database has {len(found)} tables: {names}", "say which with --table")])
    return str(found[0][0])
