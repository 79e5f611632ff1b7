"""Writes the data files of a bundle, and compares them value by value with the judged candidate."""

from __future__ import annotations

import contextlib
import csv
import shutil
from typing import TYPE_CHECKING

from sdc.data import sql
from sdc.data.spreadsheet_cells import escaped_value, unescaped_value
from sdc.errors import CannotPublish
from sdc.run import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import duckdb

    from sdc.publish.bundle_plan import BundlePlan

ROWS_AT_A_TIME = 100_000
BALANCE = sql.name("of the candidate less of the file")
CSV_WRITTEN = "FORMAT csv, HEADER true, DELIM ',', QUOTE '\"', ESCAPE '\"', NULLSTR ''"
CSV_READ = (
    "header = true, delim = ',', quote = '\"', escape = '\"', nullstr = '', allow_quoted_nulls = false,"
    " auto_detect = false, comment = ''"
)
"""One dialect, twice: a missing value is an empty cell, an empty text a quoted one."""


def write_data_files(plan: BundlePlan, folder: Path) -> None:
    """The candidate in the declared formats, read back from the folder and compared."""
    check_declared(plan, folder)
    with _reader(plan, folder) as reader:
        _compare_records(reader, plan, folder)
        check_nothing_hidden(plan, folder)
        for file_format in plan.profile.publish.formats:
            place = folder / plan.data_file(file_format)
            if file_format == "csv":
                reader.execute(
                    f"COPY (SELECT {_cells(plan)} FROM {_stored(plan)}) TO {sql.text(str(place))}"
                    f" ({CSV_WRITTEN})"
                )
                _check_header(plan, place)
                _compare_places(reader, plan, folder, place)
            else:
                shutil.copyfile(plan.parquet, place)
                if digest.of_file(place) != plan.sha256:
                    raise CannotPublish(
                        folder.parent, f"{place.name} is not, byte for byte, the candidate that was judged"
                    )


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


def check_nothing_hidden(plan: BundlePlan, folder: Path) -> None:
    """Refuses a Parquet file that carries more than its cells.

    That is notes on the file, or categories no record has any more.
    """
    import pyarrow.parquet as pq

    texts = [column for column in plan.table.columns if plan.is_text(column)]
    with pq.ParquetFile(plan.parquet, read_dictionary=texts) as file:
        notes = sorted(key.decode() for key in file.metadata.metadata or {} if key != b"ARROW:schema")
        if notes:
            raise CannotPublish(
                folder.parent, f"{plan.parquet.name} carries notes of its own: {', '.join(notes)}"
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
                        f"{plan.parquet.name} lists {unused} categories of {column} that no record has",
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
    _check_shape(reader, plan, folder, plan.parquet.name, _stored(plan))
    held = plan.table.database.cursor().sql(f"SELECT {_columns(plan)} FROM {sql.name(plan.table.name)}")
    reader.register("candidate", held.to_arrow_reader(ROWS_AT_A_TIME))
    both = (
        f'SELECT *, 1 AS {BALANCE} FROM "candidate" UNION ALL SELECT {_columns(plan)}, -1 FROM'
        f" {_stored(plan)}"
    )
    # sums by record need not hold all rows at once; both have as many rows, so what the file lacks it has
    # elsewhere in excess
    by_record = f'SELECT sum({BALANCE}) AS "excess" FROM ({both}) GROUP BY {sql.names(plan.table.columns)}'
    query = f'SELECT coalesce(sum("excess"), 0) FROM ({by_record}) WHERE "excess" > 0'
    different = int((reader.execute(query).fetchone() or (0,))[0])
    reader.unregister("candidate")
    if different:
        raise CannotPublish(
            folder.parent, f"{plan.parquet.name} differs from the candidate in {different} rows"
        )


def _compare_places(reader: duckdb.DuckDBPyConnection, plan: BundlePlan, folder: Path, place: Path) -> None:
    """Compares every value of the stored file with the same place in a written one.

    Rows are counted separately, because a join fills gaps with nulls.
    """
    _check_shape(reader, plan, folder, place.name, _written(plan, place))
    differs = " OR ".join(
        f'"held".{sql.name(column)} IS DISTINCT FROM "file".{sql.name(column)}'
        for column in plan.table.columns
    )
    stored = f"(SELECT {_columns(plan)} FROM {_stored(plan)})"
    query = (
        f'SELECT count(*) FROM {stored} AS "held" POSITIONAL JOIN {_written(plan, place)} AS "file" WHERE'
        f" {differs}"
    )
    different = (reader.execute(query).fetchone() or (0,))[0]
    if different:
        raise CannotPublish(folder.parent, f"{place.name} differs from the candidate in {different} rows")


def _check_shape(
    reader: duckdb.DuckDBPyConnection, plan: BundlePlan, folder: Path, what: str, relation: str
) -> None:
    described = {row[0]: row[1] for row in reader.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()}
    if tuple(described) != plan.table.columns:
        raise CannotPublish(folder.parent, f"{what} has other columns than the candidate")
    rows = (reader.execute(f"SELECT count(*) FROM {relation}").fetchone() or (0,))[0]
    if rows != plan.rows:
        raise CannotPublish(folder.parent, f"{what} has {rows} rows, the candidate {plan.rows}")


def _check_header(plan: BundlePlan, place: Path) -> None:
    with place.open(encoding="utf-8", newline="") as file:
        header: Sequence[str] = next(csv.reader(file))
    if tuple(header) != plan.table.columns:
        raise CannotPublish(place.parent.parent, f"{place.name} has other columns than the candidate")


def _columns(plan: BundlePlan) -> str:
    """All columns, categories as plain text."""
    return _each_text(plan, lambda column: f"CAST({sql.name(column)} AS VARCHAR)")


def _cells(plan: BundlePlan) -> str:
    """All columns as a CSV file has them.

    If the profile says so, texts that a spreadsheet would run are escaped.
    """
    if plan.profile.publish.formulas != "escape":
        return _columns(plan)
    return _each_text(plan, lambda column: escaped_value(f"CAST({sql.name(column)} AS VARCHAR)"))


def _each_text(plan: BundlePlan, written: Callable[[str], str]) -> str:
    selected = {
        column: written(column) if plan.is_text(column) else sql.name(column) for column in plan.table.columns
    }
    return ", ".join(f"{value} AS {sql.name(column)}" for column, value in selected.items())


def _stored(plan: BundlePlan) -> str:
    return f"read_parquet({sql.text(str(plan.parquet.absolute()))})"


def _written(plan: BundlePlan, place: Path) -> str:
    types = {column: "VARCHAR" if plan.is_text(column) else kind for column, kind in plan.table.types.items()}
    columns = ", ".join(f"{sql.text(column)}: {sql.text(kind)}" for column, kind in types.items())
    read = f"read_csv({sql.text(str(place))}, {CSV_READ}, columns = {{{columns}}})"
    if plan.profile.publish.formulas != "escape":
        return read
    return f"(SELECT {_each_text(plan, lambda column: unescaped_value(sql.name(column)))} FROM {read})"
