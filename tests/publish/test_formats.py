"""Every format holds the judged values, with labels, and the same bytes for the same table."""

from __future__ import annotations

import contextlib
import math
import zipfile
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import duckdb
import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from published_survey import PROFILE, plan_of

from sdc.catalogue.writers import find_writer, writers
from sdc.errors import BadProfile, CannotPublish
from sdc.profile import Profile
from sdc.profile.load import examine
from sdc.profile.surroundings import size_faults
from sdc.publish import BundlePlan, publish
from sdc.publish.splitting import StoredPart

FORMATS = ["sav", "dta", "xpt", "xlsx"]
COLUMNS = {
    "region": pa.array(["N", "S", None, "S", "Ø"]),
    "work": pa.array(["1", "2", "1", None, "2"]),
    "postcode": pa.array(["0150", "1010", "0150", None, "7"]),
    "income": pa.array([0.1, 1e-7, 123456789.123456789, None, 1 / 3], pa.float64()),
    "children": pa.array([0, 1, None, 2, -12], pa.int64()),
    "member": pa.array([True, False, None, True, True]),
    "born": pa.array([date(2025, 1, 31), None, date(2024, 2, 29), date(1900, 1, 1), date(1601, 1, 1)]),
    "note": pa.array([" two  spaces", "=1+1", "<&>", None, "é\nnext"]),
}
VARIABLES = {
    "region": {
        "role": "quasi_identifier",
        "label": "Région",
        "values": {"N": "North", "S": "South", "X": "None"},
    },
    "work": {"label": "Work", "values": {"1": "full time", "2": "part time", "3": "no work"}},
    "postcode": "other",
    "income": {"role": "sensitive", "type": "numeric", "label": "Income"},
    "children": {"type": "numeric"},
    "member": "other",
    "born": {"type": "date"},
    "note": "other",
}


def plan(tmp_path: Path, formats: list[str], columns=COLUMNS, variables=VARIABLES) -> BundlePlan:
    told = {**PROFILE, "variables": variables, "publish": {**PROFILE["publish"], "formats": formats}}
    return replace(plan_of(tmp_path, columns=columns), profile=Profile.model_validate(told), steps=())


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "outbox").mkdir()
    return publish(plan(tmp_path, FORMATS), tmp_path / "outbox").path


def held(values: list[object]) -> list[object]:
    return [
        None if value is None or (isinstance(value, float) and math.isnan(value)) else value
        for value in values
    ]


@pytest.mark.parametrize(
    ("name", "reading"),
    [("sav", pyreadstat.read_sav), ("dta", pyreadstat.read_dta), ("xpt", pyreadstat.read_xport)],
)
def test_a_statistical_package_reads_values_and_labels(bundle: Path, name: str, reading) -> None:
    frame, told = reading(str(bundle / f"survey.{name}"))
    assert list(frame) == list(COLUMNS)
    assert frame["region"].tolist() == ["N", "S", "", "S", "Ø"]
    assert held(frame["work"].tolist()) == [1, 2, 1, None, 2], "codes that are whole numbers are numbers"
    assert frame["postcode"].tolist() == ["0150", "1010", "0150", "", "7"], "leading zeros stay"
    assert held(frame["income"].tolist()) == [0.1, 1e-7, 123456789.123456789, None, 1 / 3]
    assert held(frame["children"].tolist()) == [0, 1, None, 2, -12]
    assert held(frame["member"].tolist()) == [1, 0, None, 1, 1]
    assert held(frame["born"].tolist()) == COLUMNS["born"].to_pylist()
    assert frame["note"].tolist() == [" two  spaces", "=1+1", "<&>", "", "é\nnext"]
    assert told.column_names_to_labels["region"] == "Région"
    assert told.column_names_to_labels["work"] == "Work"
    words = told.variable_value_labels.get("work", {})
    assert words == ({1: "full time", 2: "part time"} if name != "xpt" else {}), (
        "no words for what is not there"
    )
    spss = {"N": "North", "S": "South"}
    assert told.variable_value_labels.get("region", {}) == (spss if name == "sav" else {})


def test_the_stata_file_is_of_version_118_and_pandas_reads_it(bundle: Path) -> None:
    place = bundle / "survey.dta"
    assert place.read_bytes().startswith(b"<stata_dta><header><release>118</release>")
    frame = pd.read_stata(place, convert_categoricals=False)
    assert held(frame["children"].tolist()) == [0, 1, None, 2, -12]
    with pd.io.stata.StataReader(place) as reader:
        assert reader.variable_labels()["income"] == "Income"
        assert {1: "full time", 2: "part time"} in list(reader.value_labels().values())


def test_excel_has_the_values_and_a_sheet_of_variables(bundle: Path) -> None:
    book = openpyxl.load_workbook(bundle / "survey.xlsx")
    head, *rows = book["data"].iter_rows(values_only=True)
    assert head == tuple(COLUMNS)
    by_name = {name: [row[place] for row in rows] for place, name in enumerate(head)}
    assert by_name["work"] == [1, 2, 1, None, 2]
    assert by_name["postcode"] == ["0150", "1010", "0150", None, "7"]
    assert by_name["income"] == [0.1, 1e-7, 123456789.123456789, None, 1 / 3]
    assert by_name["member"] == [True, False, None, True, True]
    early = [date(2025, 1, 31), None, date(2024, 2, 29), "1900-01-01", "1601-01-01"]
    shown = [day.date() if isinstance(day, datetime) else day for day in by_name["born"]]
    assert shown == early, "Excel has no days before March 1900"
    assert by_name["note"] == [" two  spaces", "=1+1", "<&>", None, "é\nnext"]
    assert book["data"]["H3"].data_type == "s", "a text that looks like a formula is a text"
    told = list(book["variables"].iter_rows(values_only=True))
    assert ("work", "Work", "1", "full time") in told
    assert not [row for row in told if row[3] in ("no work", "None")]


def test_no_file_says_when_it_was_written(bundle: Path) -> None:
    """The places of the times are those of the formats' descriptions."""
    sav, dta, xpt = ((bundle / f"survey.{name}").read_bytes() for name in FORMATS[:3])
    assert sav[92:109] == b"01 Jan 8000:00:00"
    assert b"<timestamp>\x1101 Jan 1980 00:00</timestamp>" in dta
    assert xpt.count(b"01JAN80:00:00:00") == 4
    with zipfile.ZipFile(bundle / "survey.xlsx") as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    today = datetime.now(UTC)
    for data in (sav[:400], dta[:400], xpt[:800]):
        assert f"{today:%b} ".encode() not in data
        assert f"{today:%d%b%y}".upper().encode() not in data


def test_the_same_table_gives_the_same_files(tmp_path: Path) -> None:
    made = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        made.append(publish(plan(tmp_path, FORMATS), tmp_path / name).files)
    assert [made[0][f"survey.{name}"] for name in FORMATS] == [made[1][f"survey.{name}"] for name in FORMATS]


@pytest.mark.parametrize("name", ["csv", *FORMATS])
def test_a_file_that_reads_back_otherwise_stops_publishing(tmp_path: Path, monkeypatch, name: str) -> None:
    """The writer gets another table than the judged one: one value differs."""
    (tmp_path / "outbox").mkdir()
    judged = plan(tmp_path, [name])
    (tmp_path / "other").mkdir()
    income = pa.array([0.1, 1e-7, 123456789.123456789, None, 0.25], pa.float64())
    other = plan(tmp_path / "other", [name], {**COLUMNS, "income": income})
    writer = find_writer(name)

    def writing(table, place: Path) -> None:
        stored = StoredPart(other.parts[0], other.parquet, other.sha256)
        writer.write(replace(table, plan=other, stored=stored), place)

    monkeypatch.setattr("sdc.publish.data_files.find_writer", lambda _name: replace(writer, write=writing))
    monkeypatch.setattr("sdc.publish.data_files._reader", _seeing_all)
    with pytest.raises(CannotPublish, match=f"survey.{name} differs from the candidate in 1 rows"):
        publish(judged, tmp_path / "outbox")
    assert not list((tmp_path / "outbox").iterdir())


def _seeing_all(_plan, _folder):
    return contextlib.closing(duckdb.connect(":memory:"))


def test_a_text_too_long_for_stata_is_refused(tmp_path: Path) -> None:
    (tmp_path / "outbox").mkdir()
    with pytest.raises(
        CannotPublish, match=r"survey.dta holds at most 2,045 bytes of a text, and x has up to 2,046"
    ):
        publish(plan(tmp_path, ["dta"], {"x": pa.array(["é" * 1023])}, {"x": "other"}), tmp_path / "outbox")


NAMES = [
    ("sav", "with", "SPSS keeps this word for itself"),
    ("sav", "1st", "begins with a letter"),
    ("sav", "x" * 65, "at most 64 bytes"),
    ("dta", "strL", "Stata keeps this word for itself"),
    ("dta", "a b", "begins with a letter or _"),
    ("dta", "x" * 33, "at most 32 characters"),
    ("xpt", "région", "unaccented letters"),
    ("xpt", "_n_", "SAS keeps this word for itself"),
    ("xpt", "x" * 33, "at most 32 characters"),
]


@pytest.mark.parametrize(("name", "variable", "rule"), NAMES)
def test_a_name_that_a_format_cannot_hold_is_a_fault_before_any_run(
    tmp_path: Path, name: str, variable: str, rule: str
) -> None:
    place = tmp_path / "profile.yaml"
    place.write_text(profile_of(variable, name))
    with pytest.raises(BadProfile, match=rule) as caught:
        examine(place)
    assert repr(variable) in str(caught.value)
    assert "profile.yaml:5" in str(caught.value)


def profile_of(variable: str, name: str) -> str:
    return f"""name: people
source: {{path: people.csv}}
variables:
  sex: quasi_identifier
  "{variable}": quasi_identifier
candidates:
  plain: [{{method: global_recode, with: {{sex: {{groups: {{all: [f, m]}}}}}}}}]
risk:
  - {{measure: k_anonymity, at_least: 3, because: rule}}
publish: {{formats: [csv, {name}]}}
"""


def test_more_records_than_a_sheet_has_are_a_fault_before_any_work(tmp_path: Path) -> None:
    place = tmp_path / "profile.yaml"
    place.write_text(profile_of("age", "xlsx"))
    examine(place, lambda reading: size_faults(reading, 1_048_575))
    with pytest.raises(
        BadProfile, match="xlsx has at most 1,048,575 records, and candidate 'plain' has 1,048,576"
    ):
        examine(place, lambda reading: size_faults(reading, 1_048_576))


def test_an_unknown_format_is_named_with_those_there_are(tmp_path: Path) -> None:
    place = tmp_path / "profile.yaml"
    place.write_text(profile_of("age", "spss"))
    with pytest.raises(BadProfile, match="csv, parquet, sav, dta, xpt or xlsx"):
        examine(place)
    assert list(writers()) == ["csv", "parquet", "sav", "dta", "xpt", "xlsx"]


@pytest.mark.parametrize("known", [0, 2])
def test_excel_keeps_last_records_that_are_all_missing(
    tmp_path: Path, known: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sdc.publish.writers.excel.BYTES_AT_A_TIME", 3)
    (tmp_path / "outbox").mkdir()
    columns = {
        "region": pa.array([*["N", "S"][:known], *[None] * (4 - known)], pa.string()),
        "children": pa.array([*[1, 2][:known], *[None] * (4 - known)], pa.int64()),
        "born": pa.array([None] * 4, pa.date32()),
    }
    variables = {name: VARIABLES[name] for name in columns}
    place = publish(plan(tmp_path, ["xlsx"], columns, variables), tmp_path / "outbox").path / "survey.xlsx"
    _, *rows = openpyxl.load_workbook(place)["data"].iter_rows(values_only=True)
    assert rows == [("N", 1, None), ("S", 2, None)][:known] + [(None, None, None)] * (4 - known)


def test_a_row_that_excel_lost_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sdc.publish.writers import excel

    (tmp_path / "outbox").mkdir()
    records = excel._records
    monkeypatch.setattr(excel, "_records", lambda table: list(records(table))[:-1])
    columns = {"region": pa.array(["N", None, None], pa.string())}
    with pytest.raises(CannotPublish, match="has 2 rows, the candidate 3"):
        publish(plan(tmp_path, ["xlsx"], columns, {"region": VARIABLES["region"]}), tmp_path / "outbox")
