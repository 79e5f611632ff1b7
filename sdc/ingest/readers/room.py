"""A database of its own for what a query reads: one source attached read-only, and nothing else in reach."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.errors import BadData, Fault

if TYPE_CHECKING:
    import duckdb

    from sdc.profile.plan import Source

CATALOGUE = "source"
INTERNAL_SCHEMAS = ("information_schema", "pg_catalog", "pg_toast", "mysql", "performance_schema", "sys")


@contextmanager
def room(
    place: str,
    attach: str,
    cursor: duckdb.DuckDBPyConnection,
    scratch: Path,
    *,
    why_closed: Callable[[str], str],
    extension: str | None = None,
    files: Sequence[Path] = (),
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The source attached read-only to a database without anything else.

    It may use as much of the machine as the cursor. Where the cursor encrypts what it spills to disk, nothing
    is spilled here. `why_closed` says in words why it cannot be opened: the words of a driver may hold what
    is secret.
    """
    import duckdb

    settings = ("memory_limit", "threads", "temp_file_encryption", "TimeZone")
    memory, threads, encrypts, zone = cursor.execute(
        f"SELECT {', '.join(f'current_setting({sql.text(name)})' for name in settings)}"
    ).fetchall()[0]
    with tempfile.TemporaryDirectory(dir=scratch, prefix="query-") as private:
        made = duckdb.connect(
            ":memory:", config={"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        )
        try:
            made.execute(
                f"SET memory_limit = {sql.text(memory)}; SET threads = {threads}; SET TimeZone ="
                f" {sql.text(zone)}"
            )
            made.execute(
                f"SET temp_directory = {sql.text('' if encrypts else private)}; SET preserve_insertion_order"
                " = true"
            )
            if extension:
                made.execute(f"LOAD {sql.text(str(extension_file(extension, place)))}")
            try:
                made.execute(attach)
            except duckdb.Error as error:
                raise BadData([Fault(place, why_closed(str(error)))]) from None
            allowed = ", ".join(sql.text(str(each)) for each in files)
            made.execute(f"SET allowed_directories = [{sql.text(private)}]; SET allowed_paths = [{allowed}]")
            made.execute("SET enable_external_access = false; SET lock_configuration = true")
            made.execute(f"USE {CATALOGUE}")
            yield made
        finally:
            made.close()


def extension_file(name: str, place: str) -> Path:
    """An extension of DuckDB that came as a package: nothing is fetched from elsewhere."""
    found = importlib.util.find_spec(f"duckdb_extension_{name}")
    folders = (found.submodule_search_locations or []) if found else []
    files = [file for folder in folders for file in Path(folder).rglob(f"{name}.duckdb_extension")]
    if not files:
        package = f"duckdb-extension-{name.replace('_', '-')}"
        raise BadData([Fault(place, f"this needs the package {package}", "install it")])
    return files[0]


def table_of(source: Source, place: str, made: duckdb.DuckDBPyConnection) -> str:
    """The table or view by its name, with or without its schema; the only one where none is named."""
    listed = (
        f"SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = '{CATALOGUE}'"
    )
    found = [row for row in made.execute(listed).fetchall() if row[0] not in INTERNAL_SCHEMAS]
    match = [(schema, name) for schema, name in found if source.table in (None, name, f"{schema}.{name}")]
    if len(match) == 1:
        return f"{sql.name(match[0][0])}.{sql.name(match[0][1])}"
    holds = "the file holds" if Path(place).is_file() else "the database holds"
    if source.table and not match:
        raise BadData([Fault(place, f"{holds} no table {source.table!r}")])
    raise BadData(
        [
            Fault(
                place,
                f"{holds} {len(match)} tables to choose from",
                "say which in source.table, or give a source.query",
            )
        ]
    )
