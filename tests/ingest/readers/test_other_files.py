"""Are Arrow, JSON lines, fixed-width text, folders of Parquet and SQLite read, and other kinds told apart?"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from sdc.catalogue.readers import readers
from sdc.ingest.files import Fingerprint
from sdc.ingest.readers.file_kind import IN_WORDS

FILES = Path(__file__).parent / "files"
TABLE = pa.table({"id": [1, 2, 3], "code": ["007", "08", "x"]})
RECORDS = [(1, "007"), (2, "08"), (3, "x")]


def test_arrow_is_read_as_file_and_as_stream(read: Callable[..., Any], tmp_path: Path) -> None:
    pyarrow.feather.write_feather(TABLE, tmp_path / "a.feather")
    with pa.OSFile(str(tmp_path / "a.arrow"), "wb") as sink, pa.ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)
    for name in ("a.feather", "a.arrow"):
        assert read(tmp_path / name).records == RECORDS


@pytest.mark.parametrize("name", ["a.feather", "a.arrow"])
def test_arrow_that_breaks_off_is_a_fault(refused: Callable[..., str], tmp_path: Path, name: str) -> None:
    pyarrow.feather.write_feather(TABLE, tmp_path / "whole.feather")
    held = (tmp_path / "whole.feather").read_bytes()
    if name == "a.arrow":
        with pa.OSFile(str(tmp_path / name), "wb") as sink, pa.ipc.new_stream(sink, TABLE.schema) as writer:
            writer.write_table(TABLE)
        held = (tmp_path / name).read_bytes()[:-60]
    (tmp_path / name).write_bytes(held[: len(held) - 20])
    assert f"{tmp_path / name}: " in refused(tmp_path / name)


def test_parts_of_a_folder_come_in_the_order_of_their_names(read: Callable[..., Any], tmp_path: Path) -> None:
    for region, name, part in (("02", "a", TABLE.slice(2)), ("01", "b", TABLE.slice(0, 2))):
        (tmp_path / "d" / f"region={region}").mkdir(parents=True)
        pq.write_table(part, tmp_path / "d" / f"region={region}" / f"{name}.parquet")
    found = read(tmp_path / "d")
    assert found.records == [(1, "007", "01"), (2, "08", "01"), (3, "x", "02")]
    before = Fingerprint.of(tmp_path / "d")
    (tmp_path / "d" / "region=02").rename(tmp_path / "d" / "region=03")
    assert Fingerprint.of(tmp_path / "d").sha256 != before.sha256


def test_parts_with_other_columns_are_a_fault(refused: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    pq.write_table(TABLE, tmp_path / "d" / "a.parquet")
    pq.write_table(TABLE.select(["code"]), tmp_path / "d" / "b.parquet")
    assert "b.parquet: it has 1 columns, and not the 2 of the first part" in refused(tmp_path / "d")


def test_a_part_that_breaks_off_is_a_fault(refused: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    pq.write_table(TABLE, tmp_path / "d" / "a.parquet")
    (tmp_path / "d" / "b.parquet").write_bytes((tmp_path / "d" / "a.parquet").read_bytes()[:-9])
    assert "b.parquet: this is no Parquet file, or not a whole one; write it again" in refused(tmp_path / "d")


def test_json_lines_keep_codes_and_mix_types_as_text(read: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id":1,"code":"007","m":1}\n{"id":2,"code":"08","m":"a"}\n')
    assert read(tmp_path / "a.jsonl").records == [(1, "007", "1"), (2, "08", "a")]


def test_a_line_that_is_no_object_is_named(refused: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id":1}\n{"id":"CANARY",\n')
    said = refused(tmp_path / "a.jsonl")
    assert "line 2 is no JSON object" in said
    assert "CANARY" not in said


LAYOUT = ({"name": "region", "start": 1, "width": 5}, {"name": "age", "start": 7, "width": 2})


def test_fixed_width_text_is_cut_by_characters(read: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.fwf").write_text('nörd  44\nsüd   07\n"x",  1 \n', encoding="utf-8")
    assert read(tmp_path / "a.fwf", layout=LAYOUT).records == [("nörd", "44"), ("süd", "07"), ('"x",', "1")]
    (tmp_path / "l.fwf").write_bytes("nörd  44\n".encode("latin-1"))
    assert read(tmp_path / "l.fwf", layout=LAYOUT, encoding="latin-1").records == [("nörd", "44")]


def test_lines_that_do_not_fit_the_layout_are_counted(refused: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "a.fwf").write_text("north 44\nsout\nwest\n")
    assert "2 lines end before the last column does, line 2 first" in refused(
        tmp_path / "a.fwf", layout=LAYOUT
    )
    (tmp_path / "a.fwf").write_text("north 444\n")
    assert "1 line go on after the last column" not in refused(tmp_path / "a.fwf", layout=LAYOUT)
    assert "1 line goes on after the last column" in refused(tmp_path / "a.fwf", layout=LAYOUT)
    assert "source.layout must tell them" in refused(tmp_path / "a.fwf")


def sqlite(path: Path) -> Path:
    held = sqlite3.connect(path)
    held.execute("CREATE TABLE persons (id INTEGER, code TEXT)")
    held.executemany("INSERT INTO persons VALUES (?, ?)", RECORDS)
    held.commit()
    held.close()
    return path


def test_sqlite_is_read_by_table_and_by_query(read: Callable[..., Any], tmp_path: Path) -> None:
    file = sqlite(tmp_path / "a.sqlite")
    assert read(file).records == RECORDS
    assert read(file, query="SELECT code FROM persons WHERE id < 3").records == [("007",), ("08",)]


def test_a_query_of_sqlite_neither_writes_nor_looks_elsewhere(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    file = sqlite(tmp_path / "a.sqlite")
    assert "not a single SELECT" in refused(file, query="DELETE FROM persons")
    assert "no table of its file" in refused(file, query="SELECT * FROM sqlite_scan('b.sqlite', 'persons')")
    held = sqlite3.connect(file)
    assert held.execute("SELECT count(*) FROM persons").fetchone() == (3,)


def test_a_value_of_another_type_in_sqlite_is_a_fault(refused: Callable[..., str], tmp_path: Path) -> None:
    file = sqlite(tmp_path / "a.sqlite")
    held = sqlite3.connect(file)
    held.execute("INSERT INTO persons VALUES ('CANARY', 'y')")
    held.commit()
    said = refused(file)
    assert "cannot be read to their end" in said
    assert "CANARY" not in said


@pytest.mark.parametrize(
    ("held", "ending", "said"),
    [
        ("people.dta", ".sav", "this is a file of Stata, not SPSS"),
        ("people.sav", ".csv", "this is a file of SPSS, not CSV"),
        ("people.sav", ".xlsx", "this is a file of SPSS, not Excel"),
        ("people.sas7bdat", ".dta", "this is a file of SAS, not Stata"),
        ("people.xpt", ".sas7bdat", "this is a file of SAS transport, not SAS"),
    ],
)
def test_a_wrong_ending_is_told_by_the_first_bytes(
    refused: Callable[..., str], tmp_path: Path, held: str, ending: str, said: str
) -> None:
    file = tmp_path / f"a{ending}"
    file.write_bytes((FILES / held).read_bytes())
    assert said in refused(file)


def test_text_that_is_called_spss_and_a_zip_that_is_called_so_are_refused(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    (tmp_path / "a.sav").write_bytes(b"region,age\n")
    assert "this is no file of SPSS" in refused(tmp_path / "a.sav")
    (tmp_path / "a.sav").write_bytes(b"PK\x03\x04" + bytes(100))
    assert "this is a zip archive, not SPSS" in refused(tmp_path / "a.sav")


def test_every_format_of_files_has_words() -> None:
    assert {name for name, each in readers().items() if not each.schemes} <= {*IN_WORDS}
