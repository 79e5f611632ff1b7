"""Is every record read as declared, and every fault named with its count and no value?"""

import datetime as dt
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sdc.data.warehouse import Warehouse
from sdc.errors import BadData
from sdc.ingest import Ingested, ingest, ingest_candidate
from sdc.ingest.readers.text_encoding import as_utf_8
from sdc.profile.plan import Limits, Profile
from sdc.run.secret import NO_SECRET

CANARY = "CANARY_5d1c"
PLAIN = {"region": "quasi_identifier", "age": {"role": "quasi_identifier", "type": "numeric"}}


class Release:
    """A profile, its data and its warehouse."""

    def __init__(self, directory: Path, threads: int | None = None) -> None:
        self.base = directory
        self.warehouse: Warehouse | None = None
        self.threads = threads

    def take(
        self, data: bytes | str | None, variables: dict[str, Any], *, file: str = "data.csv", **source: Any
    ) -> Ingested:
        if data is not None:
            (self.base / file).write_bytes(data.encode() if isinstance(data, str) else data)
        profile = Profile(
            name="test", seed=1, source={"path": file, **source}, variables=variables, candidates={}
        )
        if self.warehouse is None:
            readable = [path for path in self.base.iterdir() if path.is_file()]
            self.warehouse = Warehouse.create(
                self.base / "run", limits=Limits(threads=self.threads), readable=readable
            )
        return ingest(profile, self.base, self.warehouse, NO_SECRET)

    def refuse(self, data: bytes | str | None, variables: dict[str, Any], **source: Any) -> str:
        """The words of the refusal, which hold no value and leave no table."""
        with pytest.raises(BadData) as bad:
            self.take(data, variables, **source)
        assert bad.value.__cause__ is None
        assert CANARY not in str(bad.value)
        assert self.warehouse is not None
        assert not any(self.warehouse.database.has(table) for table in ("original", "holdout", "population"))
        return str(bad.value)

    def rows(self, query: str = "FROM original") -> list[tuple[Any, ...]]:
        assert self.warehouse is not None
        return self.warehouse.database.table("original").fetch(query)

    def types(self, table: str = "original") -> dict[str, str]:
        assert self.warehouse is not None
        return self.warehouse.database.table(table).types


@pytest.fixture
def release(tmp_path: Path) -> Iterator[Release]:
    made = Release(tmp_path)
    yield made
    if made.warehouse is not None:
        made.warehouse.close()


# What is read


def test_a_csv_file_is_read_in_its_order_and_with_declared_types(release: Release) -> None:
    data = "region,age,paid,born\nnorth,23,1.5,2001-02-03\nsüd,,2,1999-12-31\n"
    ingested = release.take(data, PLAIN | {"paid": {"type": "numeric"}, "born": {"type": "date"}})
    assert release.rows() == [
        ("north", 23, 1.5, dt.date(2001, 2, 3)),
        ("süd", None, 2.0, dt.date(1999, 12, 31)),
    ]
    assert release.types() == {"region": "VARCHAR", "age": "BIGINT", "paid": "DOUBLE", "born": "DATE"}
    assert (ingested.rows, ingested.holdout_rows, ingested.population_rows) == (2, 0, 0)
    assert (ingested.sha256, ingested.bytes) == (
        hashlib.sha256(data.encode()).hexdigest(),
        len(data.encode()),
    )
    assert ingested.columns == ("region", "age", "paid", "born")


def test_columns_have_the_order_of_the_profile(release: Release) -> None:
    release.take("age,region\n1,north\n", PLAIN)
    assert list(release.types()) == ["region", "age"]


def test_a_direct_identifier_is_never_a_column_and_never_in_the_file(release: Release) -> None:
    variables = {"person": "direct_identifier", "name": "direct_identifier", **PLAIN}
    release.take(
        f"person,name,region,age\n1,{CANARY},north,2\n2,{CANARY}x,north,2\n", variables, record_key=["person"]
    )
    assert list(release.types()) == ["region", "age"]
    assert release.warehouse is not None
    release.warehouse.close()
    assert CANARY.encode() not in (release.base / "run" / "warehouse.duckdb").read_bytes()


def test_codes_with_leading_zeros_stay_text(release: Release) -> None:
    release.take("region,age\n01,1\n1,2\n", PLAIN)
    assert release.rows("SELECT region FROM original") == [("01",), ("1",)]


@pytest.mark.parametrize(
    ("encoding", "bytes_of"),
    [
        ("utf-8", lambda text: text.encode("utf-8")),
        ("utf-8", lambda text: text.encode("utf-8-sig")),
        ("utf-8-sig", lambda text: text.encode("utf-8-sig")),
        ("latin-1", lambda text: text.encode("latin-1")),
        ("windows-1252", lambda text: (text + "€,3\n").encode("cp1252")),
        ("cp1252", lambda text: text.encode("cp1252")),
        ("utf-16", lambda text: text.encode("utf-16")),
        ("utf-16-be", lambda text: text.encode("utf-16-be")),
        ("iso8859-15", lambda text: text.encode("iso8859-15")),
    ],
)
def test_every_encoding_gives_the_same_characters(
    release: Release, encoding: str, bytes_of: Callable[[str], bytes]
) -> None:
    release.take(
        bytes_of('région,âge\nÎle de "France",1\nÅland,2\n'),
        {"région": "quasi_identifier", "âge": {"type": "numeric"}},
        encoding=encoding,
        quote="'",
    )
    assert release.rows()[:2] == [('Île de "France"', 1), ("Åland", 2)]


def test_another_encoding_leaves_no_copy_of_the_data(release: Release) -> None:
    release.take(f"region,age\n{CANARY},1\n".encode("utf-16"), PLAIN, encoding="utf-16")
    assert release.warehouse is not None
    assert list(release.warehouse.spill.iterdir()) == []


@pytest.mark.slow
def test_a_long_file_in_another_encoding_is_read_to_its_end(release: Release) -> None:
    release.take(
        ("region,age\n" + "é,1\n" * 500_000 + "last,2\n").encode("latin-1"), PLAIN, encoding="latin-1"
    )
    assert release.rows("SELECT count(*), max(age) FROM original") == [(500_001, 2)]


def test_separator_quote_and_decimal_sign_are_those_of_the_source(release: Release) -> None:
    release.take("region;age\n'no;rth';1,5\nsouth;-2\n", PLAIN, separator=";", quote="'", decimal=",")
    assert release.rows() == [("no;rth", 1.5), ("south", -2.0)]


def test_with_a_decimal_comma_a_point_is_no_number(release: Release) -> None:
    words = release.refuse("region;age\nnorth;1.234\nnorth;1,5\n", PLAIN, separator=";", decimal=",")
    assert "column 'age': values that are not numbers in 1 record" in words


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_and_line_breaks_within_quotes_are_told_apart(release: Release, ending: str) -> None:
    release.take(f'region,age{ending}"two\nlines",1{ending}south,2{ending}', PLAIN)
    assert release.rows() == [("two\nlines", 1), ("south", 2)]


def test_missing_codes_of_the_source_and_of_a_variable(release: Release) -> None:
    variables = {
        "region": {"role": "quasi_identifier", "missing_codes": ["unknown"]},
        "age": {"type": "numeric", "missing_codes": ["-9", "-8"]},
    }
    release.take('region,age\nNA,-9\nunknown,1\n"",-8\nnorth,NA\n-9,3\n', variables, missing_codes=["", "NA"])
    assert release.rows() == [(None, None), (None, 1), (None, None), ("north", None), ("-9", 3)]


def test_without_missing_codes_an_empty_field_is_a_value(release: Release) -> None:
    release.take("region,age\n,1\n", PLAIN, missing_codes=[])
    assert release.rows() == [("", 1)]


def test_a_number_is_whole_only_where_all_are(release: Release) -> None:
    variables = {name: {"type": "numeric"} for name in "abcd"}
    release.take("a,b,c,d\n1,1.0,1.5,\n2,2e1,2,\n", variables)
    assert release.types() == {"a": "BIGINT", "b": "BIGINT", "c": "DOUBLE", "d": "DOUBLE"}
    assert release.rows() == [(1, 1, 1.5, None), (2, 20, 2.0, None)]


@pytest.mark.parametrize("file", ["data[1].csv", "d*.csv", "d?.csv", "it's ä.csv"])
def test_a_file_name_is_no_pattern(release: Release, file: str) -> None:
    for other in ("data1.csv", "da.csv", "dx.csv"):
        (release.base / other).write_text("region,age\nother,1\n")
    release.take("region,age\nnorth,1\n", PLAIN, file=file)
    assert release.rows() == [("north", 1)]
    assert release.warehouse is not None
    assert list(release.warehouse.spill.iterdir()) == []


def test_the_name_of_a_parquet_file_is_no_pattern(release: Release) -> None:
    for file, region in (("data1.parquet", "other"), ("data[1].parquet", "north")):
        pq.write_table(pa.table({"region": [region], "age": [1]}), release.base / file)
    release.take(None, PLAIN, file="data[1].parquet")
    assert release.rows() == [("north", 1)]


# Parquet and DuckDB files


def test_a_parquet_file_keeps_what_its_types_say(release: Release) -> None:
    rows = pa.table(
        {
            "age": pa.array([23.0, None], pa.float64()),
            "member": [True, None],
            "rooms": pa.array([1, 2], pa.int32()),
            "born": pa.array([np.datetime64("2001-02-03", "ns"), None], pa.timestamp("ns")),
            "paid": pa.array([None, "1.5"]),
            "score": pa.array([1.0, 2.5]),
        }
    )
    pq.write_table(rows, release.base / "data.parquet")
    variables = {
        "age": {"type": "numeric"},
        "member": "other",
        "rooms": "other",
        "born": {"type": "date"},
        "paid": {"type": "numeric"},
        "score": "other",
    }
    release.take(None, variables, file="data.parquet")
    assert release.types() == {
        "age": "BIGINT",
        "member": "BOOLEAN",
        "rooms": "BIGINT",
        "born": "DATE",
        "paid": "DOUBLE",
        "score": "VARCHAR",
    }
    assert release.rows() == [
        (23, True, 1, dt.date(2001, 2, 3), None, "1"),
        (None, None, 2, None, 1.5, "2.5"),
    ]


def test_missing_codes_hold_for_typed_columns(release: Release) -> None:
    pq.write_table(pa.table({"region": [1, -9], "age": [-9.0, float("nan")]}), release.base / "data.parquet")
    release.take(None, PLAIN, file="data.parquet", missing_codes=["-9", "nan"])
    assert release.rows() == [(1, None), (None, None)]


def test_a_time_of_day_is_no_date(release: Release) -> None:
    pq.write_table(
        pa.table({"born": [np.datetime64("2001-02-03T04:05", "us")]}), release.base / "data.parquet"
    )
    words = release.refuse(None, {"born": {"type": "date"}}, file="data.parquet")
    assert "column 'born': values that are not days written YYYY-MM-DD in 1 record" in words


def test_lists_and_structures_are_refused(release: Release) -> None:
    pq.write_table(pa.table({"region": [[1], [2]], "age": [{"a": 1}, None]}), release.base / "data.parquet")
    words = release.refuse(None, PLAIN, file="data.parquet")
    assert (
        "column 'region': lists, structures, or numbers too large to be held exactly (2^53 or more) in 2 records"
        in words
    )
    assert "column 'age': values that are not numbers in 1 record" in words


@pytest.mark.parametrize("file", ["broken.parquet", "broken.duckdb"])
def test_a_file_that_is_not_what_its_name_says_is_refused(release: Release, file: str) -> None:
    words = release.refuse(f"{CANARY}," * 2000, PLAIN, file=file)
    assert f"{file}: this is no " in words


def test_a_parquet_file_that_breaks_off_is_refused(release: Release) -> None:
    pq.write_table(pa.table({"region": [CANARY] * 1000, "age": range(1000)}), release.base / "whole.parquet")
    whole = (release.base / "whole.parquet").read_bytes()
    damaged = whole[:4] + b"\xff" * 600 + whole[604:]
    words = release.refuse(damaged, PLAIN, file="data.parquet")
    assert "data.parquet: " in words


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "survey.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT 'north' AS region, 20 + i AS age FROM range(5) r(i)"
        )
        connection.execute("CREATE TABLE other AS SELECT 1 AS x")
        connection.execute(
            "CREATE SCHEMA wave2; CREATE TABLE wave2.people2 AS SELECT 'south' AS region, 1 AS age"
        )
        connection.execute("CREATE VIEW old AS SELECT * FROM people WHERE age > 22")
    return path


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ({"table": "people"}, 5),
        ({"table": "wave2.people2"}, 1),
        ({"table": "old"}, 2),
        ({"query": "SELECT * FROM people WHERE age < 22 -- the young"}, 2),
        ({"query": "WITH a AS (FROM people) SELECT region, age FROM a WHERE age = 20;"}, 1),
    ],
)
@pytest.mark.usefixtures("database")
def test_a_table_or_query_of_a_duckdb_file_is_read(
    release: Release, source: dict[str, str], rows: int
) -> None:
    assert release.take(None, PLAIN, file="survey.duckdb", **source).rows == rows
    assert release.warehouse is not None
    assert release.warehouse.database.cursor().execute("SELECT current_database()").fetchall() == [
        ("warehouse",)
    ]


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ({}, "holds 4 tables to choose from"),
        ({"table": "persons"}, "holds no table 'persons'"),
        ({"query": "SELECT 1; DROP TABLE people"}, "not a single SELECT"),
        ({"query": "DROP TABLE people"}, "not a single SELECT"),
        ({"query": "CREATE TABLE x AS SELECT 1"}, "not a single SELECT"),
        ({"query": f"SELECT '{CANARY}' FROM"}, "not a single SELECT"),
        ({"query": ""}, "holds 4 tables"),
        ({"query": "SELECT nothing FROM people"}, "cannot be read (BinderException)"),
        (
            {"query": "SELECT * FROM read_csv('/etc/passwd')"},
            "reads from a function that is no table of its file",
        ),
        (
            {"query": f"SELECT CAST('{CANARY}' || region AS INTEGER) AS region, age FROM people"},
            "cannot be read to their end (ConversionException)",
        ),
        ({"query": "SELECT region, age, region AS REGION FROM people"}, "columns 1 and 3 have one name"),
    ],
)
@pytest.mark.usefixtures("database")
def test_a_query_that_cannot_be_is_refused(release: Release, source: dict[str, str], problem: str) -> None:
    assert problem in release.refuse(None, PLAIN, file="survey.duckdb", **source)


def test_the_source_database_is_left_as_it_was(release: Release, database: Path) -> None:
    before = database.read_bytes()
    release.take(None, PLAIN, file="survey.duckdb", table="people")
    assert database.read_bytes() == before


# Files that cannot be read


def test_a_missing_file_is_named(release: Release) -> None:
    assert "data.csv: there is no such file; paths are relative to the profile" in release.refuse(None, PLAIN)


def test_a_candidate_named_on_the_command_line_is_not_said_to_be_relative_to_the_profile(
    release: Release,
) -> None:
    release.take("region,age\nnorth,1\n", PLAIN)
    assert release.warehouse is not None
    profile = Profile(name="test", seed=1, source={"path": "data.csv"}, variables=PLAIN, candidates={})
    with pytest.raises(BadData) as bad:
        ingest_candidate(profile, release.base / "absent.csv", release.warehouse, "given")
    assert str(bad.value.faults[0]).endswith("absent.csv: there is no such file")


def test_a_directory_instead_of_a_file_is_named(release: Release) -> None:
    (release.base / "data.csv").mkdir()
    assert "data.csv: this is a directory" in release.refuse(None, PLAIN)


def test_an_unreadable_file_is_named(release: Release, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("sdc.run.digest.of_file", refused)
    assert "data.csv: the file cannot be read: this user may not" in release.refuse("region,age\n", PLAIN)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_named(release: Release) -> None:
    (release.base / "data.csv").write_text("region,age\n")
    (release.base / "data.csv").chmod(0)
    assert "data.csv: the file cannot be read" in release.refuse(None, PLAIN)


@pytest.mark.parametrize("file", ["data.csv", "data.parquet", "data.duckdb"])
def test_an_empty_file_is_named(release: Release, file: str) -> None:
    assert f"{file}: the file is empty" in release.refuse("", PLAIN, file=file)


@pytest.mark.parametrize("data", ["region,age\n", "region,age"])
def test_a_header_without_records_is_refused(release: Release, data: str) -> None:
    assert "data.csv: there are no records" in release.refuse(data, PLAIN)


def test_a_parquet_file_without_records_is_refused(release: Release) -> None:
    pq.write_table(
        pa.table({"region": pa.array([], pa.string()), "age": pa.array([], pa.int64())}),
        release.base / "data.parquet",
    )
    assert "data.parquet: there are no records" in release.refuse(None, PLAIN, file="data.parquet")


def test_ragged_lines_are_counted_and_the_first_is_named(release: Release) -> None:
    words = release.refuse(f"region,age\nnorth,1\n{CANARY}\nsouth,2,3\nwest,4\n{CANARY},5,6\n", PLAIN)
    assert "data.csv: 3 lines do not have 2 fields as the header has, the first is line 3" in words


def test_one_ragged_line_among_many_is_found(release: Release) -> None:
    lines = ["north,1"] * 200_000
    lines[150_000] = CANARY
    assert "1 line does not have 2 fields as the header has, the first is line 150002" in release.refuse(
        "region,age\n" + "\n".join(lines), PLAIN
    )


def test_ragged_lines_are_counted_in_any_encoding(release: Release) -> None:
    assert "2 lines do not have 2 fields" in release.refuse(
        "region,age\nné\né,1\nx\n".encode("latin-1"), PLAIN, encoding="latin-1"
    )


def test_a_quote_that_is_never_closed_is_named(release: Release) -> None:
    words = release.refuse(f'region,age\nnorth,1\n"{CANARY},2\nsouth,3\n', PLAIN)
    assert "1 line does not end as they should, the first is line 3" in words


def test_lines_that_end_differently_are_named(release: Release) -> None:
    assert "some lines end in CR LF and some in LF" in release.refuse(
        "region,age\r\nnorth,1\nsouth,2\r\n", PLAIN
    )


@pytest.mark.parametrize(
    ("data", "encoding", "line"),
    [
        ("region,age\nnorth,1\nÅland,2\n".encode("latin-1"), "utf-8", 3),
        ("région,age\nnorth,1\n".encode("latin-1"), "utf-8", 1),
        ("region,age\nnorth,1\n".encode("utf-16"), "utf-8", 1),
        (b"region,age\nnorth,1\n\x81,2\n", "cp1252", 3),
        ("region,age\nnorth,1\n".encode("utf-16") + b"\x00", "utf-16", 3),
    ],
)
def test_a_wrong_encoding_is_named_with_its_first_line(
    release: Release, data: bytes, encoding: str, line: int
) -> None:
    words = release.refuse(data, PLAIN, encoding=encoding)
    assert f"data.csv: this is not {encoding}: line {line} has bytes that are no characters in it" in words


def test_wrong_bytes_far_down_a_transcoded_file_do_not_cut_it_short(release: Release) -> None:
    data = b"region,age\n" + b"north,1\n" * 300_000 + b"\x81,2\n"
    assert "line 300002" in release.refuse(data, PLAIN, encoding="cp1252")


@pytest.mark.parametrize("encoding", ["klingon", "rot13", "hex"])
def test_an_encoding_that_is_none_is_named(release: Release, encoding: str) -> None:
    assert f"no encoding is called '{encoding}'" in release.refuse(
        "region,age\nnorth,1\n", PLAIN, encoding=encoding
    )


@pytest.mark.parametrize("header", ["region,age,region", "region,age,Region", "region,age,REGION"])
def test_duplicate_column_names_are_refused_even_where_only_capitals_differ(
    release: Release, header: str
) -> None:
    words = release.refuse(f"{header}\nnorth,1,south\n", PLAIN)
    assert "columns 1 and 3 have one name, which capitals do not tell apart" in words


def test_duplicate_column_names_in_parquet_are_refused(release: Release) -> None:
    pq.write_table(
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["age", "Age"]),
        release.base / "data.parquet",
    )
    assert "columns 1 and 2 have one name" in release.refuse(None, PLAIN, file="data.parquet")


def test_a_column_without_a_name_is_refused(release: Release) -> None:
    assert "column 1 has no name" in release.refuse(",region,age\n0,north,1\n", PLAIN)


def test_a_file_that_changes_while_it_is_read_is_refused(
    release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sdc.ingest import intake

    stage = intake.stage

    def slow(*arguments: Any) -> Any:
        with (release.base / "data.csv").open("a") as file:
            file.write("south,2\n")
        return stage(*arguments)

    monkeypatch.setattr(intake, "stage", slow)
    assert "the file changed while it was read" in release.refuse("region,age\nnorth,1\n", PLAIN)


# Records that are not as declared


def test_columns_only_the_profile_or_only_the_data_have_are_both_named_with_the_nearest(
    release: Release,
) -> None:
    words = release.refuse("regoin,Age,extra,sex\nnorth,1,2,f\n", PLAIN | {"sex": "other"})
    assert (
        "column 'region': the profile declares it and the data do not have it; column 1 of the file has nearly this name"
        in words
    )
    assert (
        "column 'age': the profile declares it and the data do not have it; column 2 of the file has nearly this name"
        in words
    )
    assert (
        "the data have 3 columns the profile does not declare, columns 1, 2 and 3 of the file; declare them"
        in words
    )


def test_many_columns_nobody_declared_are_counted(release: Release) -> None:
    words = release.refuse(f"region,age,{','.join(f'x{place}' for place in range(20))}\n", PLAIN)
    assert (
        "the data have 20 columns the profile does not declare, columns 3, 4, 5, 6, 7, 8, 9, 10 and 12 more of the file"
        in words
    )


def test_all_faults_are_reported_at_once_with_their_counts(release: Release) -> None:
    variables = {
        "person": "direct_identifier",
        "house": "household",
        "weight": "weight",
        "region": {"allowed": ["north", "south"], "per": "household"},
        "level": {"type": "ordinal", "order": ["low", "high"]},
        "age": {"type": "numeric", "at_least": 0, "at_most": 120, "missing": "forbidden"},
        "born": {"type": "date"},
        "absent": "other",
    }
    data = (
        "person,house,weight,region,level,age,born,spare\n"
        f"1,1,1.5,north,low,{CANARY},2001-01-01,0\n"
        f"1,1,0,south,{CANARY},-1,{CANARY},0\n"
        f"2,,-2,{CANARY},high,121,2001-02-30,0\n"
        f",2,,north,low,,2001-1-1,0\n"
        f"3,2,1,,{CANARY},5,,0\n"
    )
    words = release.refuse(data, variables, record_key=["person"])
    for expected in (
        "column 'absent': the profile declares it",
        "the data have 1 column the profile does not declare, column 8 of the file",
        "column 'house': no value, where there must be one, in 1 record",
        "column 'weight': no value, where there must be one, in 1 record",
        "column 'weight': weights that are not above 0 in 2 records",
        "column 'region': values that are not declared in 1 record; see allowed",
        "column 'region': members of a household differ, though it is declared per household, in 4 records",
        "column 'level': values that are not declared in 2 records; see order",
        "column 'age': values that are not numbers in 1 record",
        "column 'age': values below at_least (0) in 1 record",
        "column 'age': values above at_most (120) in 1 record",
        "column 'age': no value, where there must be one, in 1 record",
        "column 'born': values that are not days written YYYY-MM-DD in 3 records",
        "record_key 'person': no key in 1 record",
        "record_key 'person': a key shared with another record in 2 records",
    ):
        assert expected in words
    assert words.startswith("15 faults in the data")


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-inf", "Infinity", "1e999"])
def test_numbers_that_are_not_finite_are_faults(release: Release, text: str) -> None:
    assert "column 'age': numbers that are not finite in 1 record" in release.refuse(
        f"region,age\nnorth,{text}\nnorth,1\n", PLAIN
    )


def test_not_a_number_in_a_parquet_column_is_a_fault(release: Release) -> None:
    pq.write_table(
        pa.table({"region": ["a", "b"], "age": [float("nan"), 1.0]}), release.base / "data.parquet"
    )
    assert "column 'age': numbers that are not finite in 1 record" in release.refuse(
        None, PLAIN, file="data.parquet"
    )


@pytest.mark.parametrize("text", ["1_000", "0x1F", "1,5", "1 2", "12abc", "true", "１２"])
def test_texts_that_only_look_like_numbers_are_faults(release: Release, text: str) -> None:
    assert "column 'age': values that are not numbers in 1 record" in release.refuse(
        f'region,age\nnorth,"{text}"\nnorth,1\n', PLAIN
    )


@pytest.mark.parametrize("text", ["9007199254740993", "9007199254740992", "-9007199254740993", "1e17"])
def test_numbers_too_large_to_be_held_exactly_are_faults(release: Release, text: str) -> None:
    assert "column 'age': numbers too large to be held exactly (2^53 or more) in 1 record" in release.refuse(
        f"region,age\nnorth,{text}\n", PLAIN
    )


def test_large_whole_numbers_in_parquet_are_faults_in_a_number_and_kept_in_a_code(release: Release) -> None:
    pq.write_table(pa.table({"region": [2**53 + 1], "age": [2**53 + 1]}), release.base / "data.parquet")
    assert "column 'age': numbers too large" in release.refuse(None, PLAIN, file="data.parquet")
    release.take(None, {"region": "other", "age": "other"}, file="data.parquet")
    assert release.rows() == [(2**53 + 1, 2**53 + 1)]


def test_the_largest_exact_number_passes(release: Release) -> None:
    release.take("region,age\nnorth,9007199254740991\n", PLAIN)
    assert release.rows() == [("north", 9007199254740991)]


def test_negative_zero_and_missing_weights_are_refused(release: Release) -> None:
    words = release.refuse("region,w\na,-1\na,0\na,\na,2\n", {"region": "other", "w": "weight"})
    assert "column 'w': weights that are not above 0 in 2 records" in words
    assert "column 'w': no value, where there must be one, in 1 record" in words


def test_a_key_of_several_columns_may_repeat_in_each_of_them(release: Release) -> None:
    variables = {"house": "household", "line": "other"}
    assert release.take("house,line\n1,1\n1,2\n2,1\n", variables, record_key=["house", "line"]).rows == 3


def test_a_household_variable_missing_for_some_members_differs(release: Release) -> None:
    variables = {
        "house": "household",
        "region": {"per": "household"},
        "size": {"type": "numeric", "per": "household"},
    }
    words = release.refuse("house,region,size\n1,north,2\n1,,2\n2,,1\n", variables)
    assert (
        "column 'region': members of a household differ, though it is declared per household, in 2 records"
        in words
    )
    assert "column 'size'" not in words


def test_numbers_may_have_a_list_of_allowed_values(release: Release) -> None:
    variables = {"region": "other", "age": {"type": "numeric", "allowed": ["1", "2.0"]}}
    assert "column 'age': values that are not declared in 1 record" in release.refuse(
        "region,age\na,1.0\na,2\na,3\n", variables
    )


# Allowed, and noted


def test_a_column_without_any_value_is_noted(release: Release) -> None:
    ingested = release.take("region,age\nnorth,\nsouth,\n", PLAIN)
    assert ingested.notes == ("column 'age' has no value in any record",)


def test_a_constant_column_is_noted(release: Release) -> None:
    ingested = release.take(f"region,age\n{CANARY},1\n{CANARY},2\n", PLAIN)
    assert ingested.notes == ("column 'region' has one and the same value in all records that have one",)


def test_one_record_is_noted(release: Release) -> None:
    assert release.take("region,age\nnorth,1\n", PLAIN).notes == ("there is one record only",)


@pytest.mark.slow
def test_a_quasi_identifier_with_a_million_levels_works(release: Release) -> None:
    release.take("region,age\n" + "".join(f"r{row},{row % 90}\n" for row in range(1_000_000)), PLAIN)
    assert release.rows("SELECT count(DISTINCT region) FROM original") == [(1_000_000,)]


NAMES = [
    "select",
    'a"b',
    "a'b",
    "count",
    "n",
    "k0",
    "o",
    "c",
    "t",
    "rowid",
    "w0",
    "d0",
    "x",
    "code",
    "side",
    "värde ök",
    "a b",
    "v0",
    "u1",
    "c0",
    "drawn",
    "total",
    "p-q",
    "(",
    "*",
    "%",
    "日本",
    "null",
    "weight",
]


def test_columns_may_be_called_anything(release: Release) -> None:
    header = ",".join('"' + name.replace('"', '""') + '"' for name in NAMES)
    lines = [",".join(f'{row}\'""{place}'.join('""') for place in range(len(NAMES))) for row in range(4)]
    variables = {name: {"role": "quasi_identifier", "missing": "forbidden"} for name in NAMES}
    ingested = release.take("\n".join([header, *lines]), variables, holdout_share=0.5, record_key=NAMES[:2])
    assert (ingested.rows, ingested.holdout_rows) == (2, 2)
    assert list(release.types()) == NAMES
    assert {row[5] for row in release.rows()} | {row[5] for row in release.rows("FROM holdout")} == {
        f"{row}'\"5" for row in range(4)
    }


# Holdout


def people(rows: int) -> str:
    return "person,house,region,age\n" + "".join(
        f"{row},{row // 3},r{row % 4},{row % 80}\n" for row in range(rows)
    )


PEOPLE = {"person": {"type": "numeric"}, "house": "other", **PLAIN}


def test_a_share_of_the_records_is_held_out_and_the_rest_keeps_its_order(release: Release) -> None:
    ingested = release.take(people(1000), PEOPLE, holdout_share=0.1, record_key=["person"])
    assert (ingested.rows, ingested.holdout_rows) == (900, 100)
    assert ingested.in_words == "900 records, 100 more held out"
    kept, held = (
        [row[0] for row in release.rows(f"SELECT person FROM {table}")] for table in ("original", "holdout")
    )
    assert kept == sorted(kept)
    assert held == sorted(held)
    assert sorted(kept + held) == list(range(1000))
    assert held != list(range(100))


def test_whole_households_are_held_out(release: Release) -> None:
    ingested = release.take(people(999), {**PEOPLE, "house": "household"}, holdout_share=0.1)
    held = {row[0] for row in release.rows("SELECT house FROM holdout")}
    kept = {row[0] for row in release.rows("SELECT house FROM original")}
    assert not held & kept
    assert ingested.holdout_rows == 3 * len(held)
    assert 100 <= ingested.holdout_rows <= 102


def test_a_household_number_may_be_missing_only_where_the_profile_allows_it(release: Release) -> None:
    data = "person,house,region,age\n1,,r1,30\n2,7,r1,40\n"
    with pytest.raises(BadData, match="'house': no value, where there must be one, in 1 record"):
        release.take(data, {**PEOPLE, "house": "household"})
    assert release.take(data, {**PEOPLE, "house": {"role": "household", "missing": "allowed"}}).rows == 2


def test_a_record_without_a_household_number_is_held_out_by_itself(release: Release) -> None:
    rows = "".join(f"{row},,r{row % 4},{row % 80}\n" for row in range(200))
    homes = {"role": "household", "missing": "allowed"}
    ingested = release.take("person,house,region,age\n" + rows, {**PEOPLE, "house": homes}, holdout_share=0.1)
    assert (ingested.rows, ingested.holdout_rows) == (180, 20)


@pytest.mark.slow
def test_the_holdout_is_the_same_on_any_number_of_threads(tmp_path: Path) -> None:
    chosen = []
    header, *lines = people(150_000).splitlines()
    for number, (threads, rows) in enumerate([(1, lines), (4, lines), (2, lines)]):
        (tmp_path / str(number)).mkdir()
        release = Release(tmp_path / str(number), threads)
        release.take("\n".join([header, *rows]), PEOPLE, holdout_share=0.2, record_key=["person"])
        chosen.append({row[0] for row in release.rows("SELECT person FROM holdout")})
        assert release.warehouse is not None
        release.warehouse.close()
    assert len(chosen[0]) == 30_000
    assert chosen[0] == chosen[1] == chosen[2]


def test_another_seed_holds_out_others(release: Release) -> None:
    (release.base / "data.csv").write_text(people(1000))
    chosen = []
    with Warehouse.create(release.base / "run", readable=[release.base / "data.csv"]) as warehouse:
        for seed in (1, 2, 1):
            profile = Profile(
                name="test",
                seed=seed,
                source={"path": "data.csv", "holdout_share": 0.1},
                variables=PEOPLE,
                candidates={},
            )
            ingest(profile, release.base, warehouse, NO_SECRET)
            chosen.append(warehouse.database.table("holdout").fetch("SELECT person FROM holdout"))
    assert chosen[0] == chosen[2] != chosen[1]


def test_a_share_too_small_for_one_record_holds_none_out(release: Release) -> None:
    assert release.take(people(4), PEOPLE, holdout_share=0.1).holdout_rows == 0
    assert release.warehouse is not None
    assert not release.warehouse.database.has("holdout")


def test_a_holdout_of_everything_is_refused(release: Release) -> None:
    assert "would hold out every record" in release.refuse(
        people(3), {**PEOPLE, "house": "household"}, holdout_share=0.5
    )


def test_a_holdout_has_the_types_of_the_original(release: Release) -> None:
    release.take("region,age\n" + "n,1\n" * 50 + "n,1.5\n", PLAIN, holdout_share=0.5)
    assert release.types("holdout") == release.types("original") == {"region": "VARCHAR", "age": "DOUBLE"}


def test_ingesting_again_replaces_all_tables(release: Release) -> None:
    release.take(people(100), PEOPLE, holdout_share=0.1)
    assert release.take(None, PEOPLE).rows == 100
    assert release.warehouse is not None
    assert not release.warehouse.database.has("holdout")


# Population


def test_of_a_population_only_keys_household_and_weight_are_read(release: Release) -> None:
    (release.base / "population.csv").write_text(
        f"name,region,age,house,health\n{CANARY},north,50,1,bad\n{CANARY},south,51,2,good\n"
    )
    variables = {"name": "direct_identifier", "house": "household", "health": "sensitive", **PLAIN}
    data = "name,region,age,house,health\nx,north,5,1,bad\n"
    ingested = release.take(data, variables, population={"path": "population.csv"})
    assert release.types("population") == {"house": "VARCHAR", "region": "VARCHAR", "age": "BIGINT"}
    assert ingested.population_rows == 2
    assert (
        ingested.population_sha256
        == hashlib.sha256((release.base / "population.csv").read_bytes()).hexdigest()
    )


def test_faults_of_the_population_are_reported_with_those_of_the_records(release: Release) -> None:
    (release.base / "population.csv").write_text(f"region,age\nnorth,{CANARY}\n")
    words = release.refuse("region,age\nnorth,old\n", PLAIN, population={"path": "population.csv"})
    assert "data.csv, column 'age': values that are not numbers in 1 record" in words
    assert "population.csv, column 'age': values that are not numbers in 1 record" in words


def test_a_population_coded_otherwise_is_a_fault(release: Release) -> None:
    (release.base / "population.csv").write_text("region,age\n1,2\n2,3\n")
    variables = {**PLAIN, "region": {"role": "quasi_identifier", "allowed": ["north", "south"]}}
    words = release.refuse("region,age\nnorth,1\n", variables, population={"path": "population.csv"})
    assert "population.csv, column 'region': values that are not declared in 2 records" in words


def test_a_population_without_some_keys_is_noted_and_without_any_refused(release: Release) -> None:
    (release.base / "population.csv").write_text("region,x\nnorth,1\n")
    (release.base / "useless.csv").write_text("x\n1\n")
    assert (
        "the population has no column 'age'"
        in release.take("region,age\nnorth,1\nsouth,2\n", PLAIN, population={"path": "population.csv"}).notes
    )
    with pytest.raises(BadData, match="none of the quasi-identifiers"):
        release.take(None, PLAIN, population={"path": "useless.csv"})


def test_a_missing_population_file_is_named(release: Release) -> None:
    assert "population.csv: there is no such file" in release.refuse(
        "region,age\nnorth,1\n", PLAIN, population={"path": "population.csv"}
    )


def test_a_file_in_the_directory_of_the_profile_that_is_not_the_source_stays_closed(release: Release) -> None:
    release.take("region,age\nnorth,1\n", PLAIN)
    (release.base / "later.csv").write_text("region,age\nnorth,1\n")
    with pytest.raises(duckdb.PermissionException):
        release.rows(f"FROM read_csv('{release.base}/later.csv')")


ON_A_SMALL_DISK = """
import resource, sys
from pathlib import Path
from sdc.ingest import ingest
from sdc.profile.plan import Profile
from sdc.run.secret import NO_SECRET
from sdc.data.warehouse import Warehouse
base = Path(sys.argv[1])
profile = Profile(name="test", seed=1, source={"path": "data.csv"}, variables={"region": "other", "age": {"type": "numeric"}}, candidates={})
warehouse = Warehouse.create(base / "run", readable=[base / "data.csv"])
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
ingest(profile, base, warehouse, NO_SECRET)
"""


@pytest.mark.slow
def test_a_disk_that_cannot_take_the_records_is_named_without_a_value(tmp_path: Path) -> None:
    texts = (f"{CANARY}{hashlib.md5(str(row).encode()).hexdigest()},{row}\n" for row in range(300_000))  # noqa: S324
    (tmp_path / "data.csv").write_text("region,age\n" + "".join(texts))
    filled = subprocess.run(
        [sys.executable, "-c", ON_A_SMALL_DISK, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert "sdc.errors.WarehouseUnusable: the warehouse" in filled.stderr
    assert "a file may not grow any further" in filled.stderr
    assert CANARY not in filled.stderr


def test_the_demonstration_data_are_as_their_profile_says(tmp_path: Path) -> None:
    from sdc.profile.load import load_profile
    from tests.conftest import DEMO

    profile = load_profile(DEMO / "published.yaml")
    lines = len((DEMO / "households.csv").read_text().splitlines()) - 1
    with Warehouse.create(
        tmp_path / "run", readable=[DEMO / "households.csv", DEMO / "population.csv"]
    ) as warehouse:
        ingested = ingest(profile, DEMO, warehouse, NO_SECRET)
    assert ingested.rows + ingested.holdout_rows == lines
    assert ingested.holdout_rows >= round(profile.source.holdout_share * lines)


@pytest.mark.slow
def test_a_pipe_that_nobody_reads_is_closed(tmp_path: Path) -> None:
    """The thread that fills it may come to it after the reader has given up."""
    (tmp_path / "data.csv").write_bytes("größe\n".encode("latin-1"))
    for _ in range(200):
        with as_utf_8(tmp_path / "data.csv", "latin-1", tmp_path):
            pass
    assert [place.name for place in tmp_path.iterdir()] == ["data.csv"]
