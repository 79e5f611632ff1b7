"""Writes the data files of a bundle, and compares them value by value with the judged candidate."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING

from sdc.catalogue.writers import FormatWriter, find_writer
from sdc.data import sql
from sdc.errors import CannotPublish
from sdc.publish.dictionary import VariableEntry, describe
from sdc.publish.leaving_table import LeavingTable
from sdc.publish.splitting import StoredPart, stored, stored_parts
from sdc.publish.stacking import stacked_parts
from sdc.run import digest
from sdc.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import duckdb

    from sdc.publish.bundle_plan import BundlePlan

ROWS_AT_A_TIME = 100_000
RECORDS_COMPARED = 2**23
"""Of longer files about so many records are compared at a time."""
BALANCE = sql.name("of the candidate less of the file")
FILE = "file_read_back"


def write_data_files(plan: BundlePlan, folder: Path) -> tuple[VariableEntry, ...]:
    """The candidate in the declared formats, read back from the folder and compared; its dictionary."""
    for copy in plan.copies:
        check_declared(copy, folder)
    entries = {entry.name: entry for entry in describe(plan)}
    with _reader(plan, folder) as reader, contextlib.ExitStack() as held:
        parts = []
        for copy in plan.copies:
            _compare_records(reader, copy, folder)
            parts.append((copy, held.enter_context(stored_parts(copy, reader, folder.parent))))
        if plan.stacked:
            parts = [(plan, held.enter_context(stacked_parts(plan, reader, [each for _, each in parts])))]
        for copy, each in ((copy, each) for copy, several in parts for each in several):
            check_nothing_hidden(copy, each, folder)
            told = [entries[name] for name in each.part.columns]
            _write(LeavingTable(copy, reader, told, each), folder)
    return tuple(entries.values())


def _write(table: LeavingTable, folder: Path) -> None:
    for file_format in table.plan.profile.publish.formats:
        writer, place = find_writer(file_format), folder / table.stored.part.data_file(file_format)
        _require_room(table, writer, place)
        writer.write(table, place)
        _compare(table, writer, place)


def _require_room(table: LeavingTable, writer: FormatWriter, place: Path) -> None:
    """CannotPublish where a file of this format cannot hold the table; nothing is cut off unsaid."""
    limits, rows, columns = writer.limits, table.rows, len(table.columns)
    if limits.records is not None and rows > limits.records:
        raise table.fail(place, f"holds at most {limits.records:,} records, and there are {rows:,}")
    if limits.columns is not None and columns > limits.columns:
        raise table.fail(place, f"holds at most {limits.columns:,} variables, and there are {columns:,}")
    for column in table.columns:
        if limits.text is not None and column.longest > limits.text:
            told = f"{limits.text:,} bytes of a text, and {column.name} has up to {column.longest:,}"
            raise table.fail(place, f"holds at most {told}")


def _compare(table: LeavingTable, writer: FormatWriter, place: Path) -> None:
    """Compares a written file with the stored one, place by place."""
    if writer.read_back is None:
        return
    found = writer.read_back(table, place)
    if isinstance(found, str):
        plain = {
            column.name: (sql.name(column.name), _plain(column.held, column.name)) for column in table.columns
        }
        _compare_places(table, place, found, plain)
        return
    try:
        rows = _gathered(table, found)
        if rows != table.rows:
            raise table.fail(place, f"has {counted(rows, 'row')}, the candidate {table.rows}")
        if not rows:
            return
        types = {row[0]: row[1] for row in table.reader.execute(f"DESCRIBE {FILE}").fetchall()}
        restored = {
            column.name: (column.restored(types[column.name]), column.judged) for column in table.columns
        }
        _compare_places(table, place, FILE, restored)
    finally:
        table.reader.execute(f"DROP TABLE IF EXISTS {FILE}")


def _gathered(table: LeavingTable, chunks: Iterator[object]) -> int:
    """What was read back, in a table that spills to disk where it is large; the number of its rows."""
    rows = 0
    for number, chunk in enumerate(chunks):
        table.reader.register("chunk", chunk)
        head = f"INSERT INTO {FILE}" if number else f"CREATE TABLE {FILE} AS"
        table.reader.execute(f'{head} SELECT * FROM "chunk"')
        table.reader.unregister("chunk")
        rows += getattr(chunk, "num_rows", 0)
    return rows


def check_declared(plan: BundlePlan, folder: Path) -> None:
    """Checks columns, direct identifiers, the number of rows and the file itself against what was judged."""
    outbox = folder.parent
    undeclared = [column for column in plan.table.columns if column not in plan.profile.roles.released]
    if undeclared:
        raise CannotPublish(
            outbox, f"the candidate has columns the profile does not release: {', '.join(undeclared)}"
        )
    if not plan.profile.publish.formats:
        raise CannotPublish(outbox, "the profile declares no format")
    if plan.table.rows != plan.rows:
        raise CannotPublish(outbox, f"the candidate has {plan.table.rows} rows, {plan.rows} were judged")
    if not plan.parquet.is_file() or digest.of_file(plan.parquet) != plan.sha256:
        raise CannotPublish(outbox, f"{plan.parquet.name} is not the file that was judged")


def check_nothing_hidden(plan: BundlePlan, held: StoredPart, folder: Path) -> None:
    """Refuses a Parquet file that carries more than its cells.

    That is notes on the file, or categories no record has any more.
    """
    import pyarrow.parquet as pq

    texts = [column for column in held.part.columns if plan.is_text(column)]
    with pq.ParquetFile(held.parquet, read_dictionary=texts) as file:
        notes = sorted(key.decode() for key in file.metadata.metadata or {} if key != b"ARROW:schema")
        if notes:
            raise CannotPublish(
                folder.parent, f"{held.parquet.name} carries notes of its own: {', '.join(notes)}"
            )
        for group in range(file.num_row_groups):
            read = file.read_row_group(group, texts)
            for column in texts:
                unused = sum(
                    len(chunk.dictionary) - len(chunk.indices.drop_null().unique())
                    for chunk in read.column(column).chunks
                )
                if unused:
                    raise CannotPublish(
                        folder.parent,
                        f"{held.parquet.name} lists {unused} categories of {column} that no record has",
                    )


@contextlib.contextmanager
def _reader(plan: BundlePlan, folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A database of its own that sees the candidate's folder and the bundle, and nothing else."""
    import duckdb

    seen = ", ".join(sql.text(f"{place.absolute()}/") for place in (plan.parquet.parent, folder))
    limits = plan.profile.limits
    spill = plan.parquet.absolute().with_suffix(".spill")
    connection = duckdb.connect(":memory:")
    try:
        for setting in (
            "autoinstall_known_extensions = false",
            "autoload_known_extensions = false",
            "preserve_insertion_order = true",
            f"temp_directory = {sql.text(str(spill))}",
            "TimeZone = 'UTC'",
            *([f"memory_limit = {sql.text(limits.memory)}"] if limits.memory else []),
            *([f"threads = {limits.threads}"] if limits.threads else []),
            f"allowed_directories = [{seen}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            connection.execute(f"SET {setting}")
        yield connection
    except duckdb.Error as error:
        full = "No space left" in str(error)
        raise CannotPublish(
            folder.parent,
            "the disk is full" if full else f"DuckDB's {type(error).__name__} while writing the data",
        ) from None
    finally:
        connection.close()
        shutil.rmtree(spill, ignore_errors=True)


def _compare_records(reader: duckdb.DuckDBPyConnection, plan: BundlePlan, folder: Path) -> None:
    """Compares the judged table with the stored file, record by record, in both directions.

    The file has them in another order.
    """
    _check_shape(reader, plan.table.columns, plan.rows, folder, plan.parquet.name, stored(plan.parquet))
    # As many rows in both, so what the file lacks it has elsewhere in excess.
    shares = 1 + plan.rows // RECORDS_COMPARED
    different = sum(_in_excess(reader, plan, share, shares) for share in range(shares))
    if different:
        raise CannotPublish(
            folder.parent, f"{plan.parquet.name} differs from the candidate in {different} rows"
        )


def _in_excess(reader: duckdb.DuckDBPyConnection, plan: BundlePlan, share: int, shares: int) -> int:
    """How many records the candidate has more often than the stored file.

    Of all records it looks at a share, by their hashes: memory is needed for those alone.
    """
    held = plan.table.database.cursor().sql(f"SELECT {_columns(plan)} FROM {sql.name(plan.table.name)}")
    reader.register("candidate", held.to_arrow_reader(ROWS_AT_A_TIME))
    both = (
        f'SELECT *, 1 AS {BALANCE} FROM "candidate" UNION ALL SELECT {_columns(plan)}, -1 FROM'
        f" {stored(plan.parquet)}"
    )
    columns = sql.names(plan.table.columns)
    some = f" WHERE hash({columns}) % {shares} = {share}" if shares > 1 else ""
    by_record = f'SELECT sum({BALANCE}) AS "excess" FROM ({both}){some} GROUP BY {columns}'
    query = f'SELECT coalesce(sum("excess"), 0) FROM ({by_record}) WHERE "excess" > 0'
    different = int((reader.execute(query).fetchone() or (0,))[0])
    reader.unregister("candidate")
    return different


def _compare_places(
    table: LeavingTable, place: Path, relation: str, compared: dict[str, tuple[str, str]]
) -> None:
    """Compares every value of the stored file with the same place in a written one.

    `compared` has, for each column, its value in the file and the judged one, in SQL. Rows are counted
    separately, because a join fills gaps with nulls.
    """
    part = table.stored.part
    _check_shape(table.reader, part.columns, part.rows, place.parent, place.name, relation)
    written = ", ".join(f"{file} AS {sql.name(column)}" for column, (file, _) in compared.items())
    judged = ", ".join(f"{held} AS {sql.name(column)}" for column, (_, held) in compared.items())
    differs = " OR ".join(
        f'"held".{sql.name(column)} IS DISTINCT FROM "file".{sql.name(column)}' for column in compared
    )
    query = (
        f'SELECT count(*) FROM (SELECT {judged} FROM {table.relation}) AS "held" POSITIONAL JOIN'
        f' (SELECT {written} FROM {relation}) AS "file" WHERE {differs}'
    )
    different = (table.reader.execute(query).fetchone() or (0,))[0]
    if different:
        raise table.fail(place, f"differs from the candidate in {different} rows")


def _plain(held: str, column: str) -> str:
    """A column of the stored file, categories as plain text."""
    name = sql.name(column)
    return f"CAST({name} AS VARCHAR)" if held.startswith(("VARCHAR", "ENUM")) else name


def _check_shape(
    reader: duckdb.DuckDBPyConnection,
    columns: tuple[str, ...],
    held: int,
    folder: Path,
    what: str,
    relation: str,
) -> None:
    described = {row[0]: row[1] for row in reader.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()}
    if tuple(described) != columns:
        raise CannotPublish(folder.parent, f"{what} has other columns than the candidate")
    rows = (reader.execute(f"SELECT count(*) FROM {relation}").fetchone() or (0,))[0]
    if rows != held:
        raise CannotPublish(folder.parent, f"{what} has {rows} rows, the candidate {held}")


def _columns(plan: BundlePlan) -> str:
    """All columns, categories as plain text."""
    return ", ".join(
        f"{_plain(held, column)} AS {sql.name(column)}" for column, held in plan.table.types.items()
    )
