"""Two linked files leave as two again: the same table, joined, in every format, and no other."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import frictionless
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from csvw import CSVW
from lxml import etree
from published_survey import PROFILE, SYNTHETIC, plan_of
from test_metadata import DDI, SCHEMA

from sdc.errors import CannotPublish
from sdc.profile import Profile
from sdc.publish import BundlePlan, publish

FORMATS = ["csv", "parquet", "sav", "dta", "xpt", "xlsx"]
NUMBERS = ["2", "11", "2", "10", "11", "1", "11"]
"""Of the households of seven persons: four households, in an order that no number or text has."""
COLUMNS: dict[str, Any] = {
    "age": pa.array([30, 40, 5, 80, 41, 22, None], pa.int64()),
    "rent": pa.array([80.5, 0.0, 80.5, None, 0.0, 7.25, 0.0], pa.float64()),
    "hid": pa.array(NUMBERS),
    "region": pa.array(["S", "N", "S", None, "N", "=1+1", "N"]),
    "status": pa.array(["a", "b", None, "a", "b", "a", "a"]),
}
VARIABLES = {
    "hid": "household",
    "age": {"role": "quasi_identifier", "type": "numeric"},
    "status": "quasi_identifier",
    "region": {"role": "quasi_identifier", "per": "household"},
    "rent": {"role": "sensitive", "type": "numeric", "per": "household"},
}
SOURCE = {"path": "persons.csv", "key": "hid", "households": {"path": "households.csv"}}


def linked(tmp_path: Path, columns: dict[str, Any] = COLUMNS, **told: Any) -> BundlePlan:
    profile = {**PROFILE, "variables": VARIABLES, "source": SOURCE}
    profile["publish"] = {**PROFILE["publish"], "formats": FORMATS, "formulas": "escape", **told}
    return replace(plan_of(tmp_path, columns=columns), profile=Profile.model_validate(profile), steps=())


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "outbox").mkdir()
    every = ["ddi", "csvw", "dcat", "ro_crate", "citation"]
    return publish(linked(tmp_path, metadata=every), tmp_path / "outbox").path


READERS = {
    "csv": lambda place: pd.read_csv(place, dtype={"hid": str}),
    "parquet": pd.read_parquet,
    "sav": lambda place: pyreadstat.read_sav(place)[0],
    "dta": pd.read_stata,
    "xpt": lambda place: pyreadstat.read_xport(place)[0],
    "xlsx": lambda place: pd.read_excel(place, engine="openpyxl"),
}


def plainly(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    """Every record as texts, as far as all formats can tell: whole numbers are whole, no text is missing."""

    def plain(value: object) -> str:
        if pd.isna(value) or value == "":
            return ""
        return f"{float(value):g}" if isinstance(value, (int, float)) else str(value).removeprefix("'")

    return [tuple(map(plain, row)) for row in frame[list(COLUMNS)].itertuples(index=False)]


@pytest.mark.parametrize("name", FORMATS)
def test_the_two_files_joined_are_the_judged_table(bundle: Path, name: str) -> None:
    persons, households = (
        READERS[name](bundle / f"survey.{part}.{name}") for part in ("persons", "households")
    )
    assert list(persons.columns) == ["hid", "age", "status"]
    assert list(households.columns) == ["hid", "rent", "region"]
    assert len(persons) == 7
    assert list(map(float, households["hid"])) == [1, 2, 10, 11]
    again = persons.merge(households, on="hid", validate="many_to_one")
    assert plainly(again) == plainly(pa.table(COLUMNS).to_pandas().assign(hid=list(map(int, NUMBERS))))


def test_only_these_files_leave(bundle: Path) -> None:
    data = {f"survey.{part}.{name}" for part in ("persons", "households") for name in FORMATS}
    beside = {place.name for place in bundle.iterdir()} - data
    assert data <= {place.name for place in bundle.iterdir()}
    assert not [name for name in beside if name.startswith("survey")]
    assert {each["path"] for each in json.loads((bundle / "MANIFEST.json").read_bytes())["files"]} == {
        *data,
        *beside,
    } - {"MANIFEST.json"}


def test_nothing_is_left_beside_the_stored_candidate(tmp_path: Path, bundle: Path) -> None:
    assert {place.name for place in tmp_path.iterdir()} == {"candidate.parquet", "outbox"}


def test_names_of_synthetic_files_say_so(tmp_path: Path) -> None:
    (tmp_path / "outbox").mkdir()
    made = publish(replace(linked(tmp_path), steps=SYNTHETIC), tmp_path / "outbox")
    assert {"survey.synthetic.persons.csv", "survey.synthetic.households.csv"} <= {*made.files}


def test_the_same_table_gives_the_same_files(tmp_path: Path, bundle: Path) -> None:
    (tmp_path / "again").mkdir()
    again = publish(linked(tmp_path), tmp_path / "again").path
    for place in bundle.glob("survey.*"):
        assert place.read_bytes() == (again / place.name).read_bytes()


CONFLICT = {**COLUMNS, "region": pa.array(["S", "N", "N", None, "N", "=1+1", "N"])}
GAP = {**COLUMNS, "rent": pa.array([80.5, 0.0, None, None, 0.0, 7.25, 0.0], pa.float64())}
NOBODYS = {**COLUMNS, "hid": pa.array(["2", "11", "2", "10", "11", None, "11"])}


@pytest.mark.parametrize(
    "columns", [CONFLICT, GAP, NOBODYS], ids=["differs", "missing for some", "no number"]
)
def test_members_who_differ_cannot_be_split(tmp_path: Path, columns: dict[str, Any]) -> None:
    (tmp_path / "outbox").mkdir()
    with pytest.raises(CannotPublish, match="persons and households: 1 household too many: members differ"):
        publish(linked(tmp_path, columns), tmp_path / "outbox")
    assert not list((tmp_path / "outbox").iterdir())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ORDER BY {order}", "HAVING {number} <> '10' ORDER BY {order}"),
        ("(SELECT {columns} FROM {relation} GROUP", "(SELECT {columns} FROM {relation} WHERE rent > 0 GROUP"),
    ],
)
def test_households_that_are_lost_stop_publishing(tmp_path: Path, monkeypatch, old: str, new: str) -> None:
    """The SQL that selects households is broken on purpose."""
    import inspect
    import textwrap

    from sdc.publish import parts

    (tmp_path / "outbox").mkdir()
    text = textwrap.dedent(inspect.getsource(parts.BundlePart.selected))
    assert old in text
    names: dict[str, Any] = {}
    exec(text.replace(old, new), vars(parts), names)  # noqa: S102 - our own text with one change
    monkeypatch.setattr(parts.BundlePart, "selected", names["selected"])
    with pytest.raises(
        CannotPublish, match=r"persons and households: there are [23] households, and persons of 4"
    ):
        publish(linked(tmp_path), tmp_path / "outbox")


def test_a_value_that_moved_to_another_household_stops_publishing(tmp_path: Path, monkeypatch) -> None:
    """The households' file has the right numbers, and the rents of two of them changed places."""
    from sdc.publish import parts

    right = parts.BundlePart.selected

    def wrong(self: parts.BundlePart, relation: str) -> str:
        moved = "CASE hid WHEN '1' THEN 0.0 WHEN '11' THEN 7.25 ELSE rent END AS rent"
        return f"(SELECT * REPLACE ({moved}) FROM {right(self, relation)})"

    (tmp_path / "outbox").mkdir()
    monkeypatch.setattr(parts.BundlePart, "selected", wrong)
    with pytest.raises(CannotPublish, match="joined again they differ from the candidate in 4 records"):
        publish(linked(tmp_path), tmp_path / "outbox")


def test_a_table_without_the_key_does_not_leave_as_one_file(tmp_path: Path) -> None:
    (tmp_path / "outbox").mkdir()
    columns = {name: held for name, held in COLUMNS.items() if name != "hid"}
    with pytest.raises(CannotPublish, match="the candidate has no hid, by which persons and households"):
        publish(linked(tmp_path, columns), tmp_path / "outbox")


def test_a_data_package_links_the_two_and_is_valid(bundle: Path) -> None:
    report = frictionless.validate(str(bundle / "datapackage.json"))
    assert report.valid, report.to_summary()
    resources = {
        each["name"]: each for each in json.loads((bundle / "datapackage.json").read_bytes())["resources"]
    }
    assert len(resources) == 2 * len(FORMATS)
    assert resources["survey_households_csv"]["schema"]["primaryKey"] == ["hid"]
    assert resources["survey_persons_csv"]["schema"]["foreignKeys"] == [
        {"fields": ["hid"], "reference": {"resource": "survey_households_csv", "fields": ["hid"]}}
    ]


def test_a_person_of_no_household_breaks_the_key_of_the_data_package(bundle: Path) -> None:
    place = bundle / "survey.persons.csv"
    place.write_text(place.read_text().replace("\n10,", "\n99,"))
    found = frictionless.validate(str(bundle / "datapackage.json")).flatten(["type"])
    assert ["foreign-key"] in found


def test_csv_on_the_web_has_a_group_of_two_tables(bundle: Path) -> None:
    group = CSVW(str(bundle / "csv-metadata.json"))
    assert not group.common_props.get("errors")
    persons, households = group.tables
    assert [len(list(table)) for table in (persons, households)] == [7, 4]
    (key,) = persons.tableSchema.foreignKeys
    assert (key.columnReference, key.reference.resource.string) == (["hid"], "survey.households.csv")
    assert households.tableSchema.primaryKey == ["hid"]


@pytest.mark.skipif(not SCHEMA.exists(), reason="the schema of DDI-Codebook 2.5 is not beside this checkout")
def test_ddi_of_two_files_is_valid(bundle: Path) -> None:
    etree.XMLSchema(etree.parse(SCHEMA)).assertValid(etree.parse(bundle / "ddi.xml"))


def test_ddi_describes_each_file_with_its_own_variables_and_counts(bundle: Path) -> None:
    book = etree.parse(bundle / "ddi.xml")
    files = {
        each.findtext("d:fileTxt/d:fileName", namespaces=DDI): each
        for each in book.iterfind("d:fileDscr", DDI)
    }
    assert len(files) == 2 * len(FORMATS)
    counts = {name: each.findtext(".//d:caseQnty", namespaces=DDI) for name, each in files.items()}
    assert (counts["survey.persons.sav"], counts["survey.households.sav"]) == ("7", "4")
    homes = files["survey.households.csv"].get("ID")
    held = {
        each.get("name"): each.findtext("d:sumStat[@type='vald']", namespaces=DDI)
        for each in book.iterfind(".//d:var", DDI)
        if homes in each.get("files").split()
    }
    assert held == {"hid": "4", "rent": "3", "region": "3"}
    assert Counter(each.get("name") for each in book.iterfind(".//d:var", DDI))["hid"] == 2


def test_dictionary_note_and_crate_name_both(bundle: Path) -> None:
    told = json.loads((bundle / "dictionary.json").read_bytes())
    assert (told["records"], told["persons"], told["households"]) == (7, 7, 4)
    assert {each["name"]: each["part"] for each in told["variables"]} == {
        "age": ["persons"],
        "rent": ["households"],
        "hid": ["persons", "households"],
        "region": ["households"],
        "status": ["persons"],
    }
    note = (bundle / "RELEASE_NOTE.md").read_text()
    assert "- Persons: 7\n- Households: 4\n" in note
    assert (
        "- `survey.households.csv`: the data as text (UTF-8, commas, empty cells where missing); one record a household;"
        in note
    )
    assert "linked by `hid`" in note
    for name in ("ro-crate-metadata.json", "dcat.jsonld"):
        assert all(f"survey.{part}.dta" in (bundle / name).read_text() for part in ("persons", "households"))
