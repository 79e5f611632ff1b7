"""Is every person joined with its household, and every gap between the two files counted?"""

import gzip
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sdc.data.warehouse import Warehouse
from sdc.errors import BadData, BadProfile
from sdc.ingest import Ingested, ingest
from sdc.profile.list_files import ProfileFiles
from sdc.profile.load import load_profile
from sdc.run.directory import RunDirectory
from sdc.run.secret import NO_SECRET

PERSONS = "hid,name,age\n7,Ann,30\n3,Bob,40\n7,Cy,5\n9,Di,80\n"
HOUSEHOLDS = "hid;region;rent\n3;North;100,5\n9;;\n7;South;80\n"
PROFILE = """
name: survey
source:
  households: {path: h.csv, separator: ";", decimal: ","}
  persons: {path: p.csv, key: hid}
variables:
  hid: household
  name: direct_identifier
  age: {role: quasi_identifier, type: numeric}
  region: quasi_identifier
  rent: {role: sensitive, type: numeric}
candidates: {plain: [{method: local_suppression, with: {k: 2}}]}
risk: [{measure: k_anonymity, at_least: 2, because: house rule}]
"""


def take(
    tmp_path: Path,
    persons: str = PERSONS,
    households: str = HOUSEHOLDS,
    profile: str = PROFILE,
    select: str = "*",
) -> tuple[Ingested, list[tuple[Any, ...]]]:
    (tmp_path / "p.csv").write_text(persons)
    (tmp_path / "h.csv").write_text(households)
    (tmp_path / "profile.yaml").write_text(profile)
    read = load_profile(tmp_path / "profile.yaml")
    run = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
    warehouse = Warehouse.create(run, readable=[tmp_path / path for path in read.files])
    try:
        found = ingest(read, tmp_path, warehouse, NO_SECRET)
        return found, warehouse.database.cursor().execute(f"SELECT {select} FROM original").fetchall()
    finally:
        warehouse.close()


def test_each_person_has_the_columns_of_its_household_in_the_order_of_persons(tmp_path: Path) -> None:
    """Each file is read in its own way: a comma is the decimal sign of one of them."""
    found, rows = take(tmp_path)
    assert rows == [
        ("7", 30, "South", 80.0),
        ("3", 40, "North", 100.5),
        ("7", 5, "South", 80.0),
        ("9", 80, None, None),
    ]
    assert found.columns == ("hid", "age", "region", "rent")


def test_variables_of_the_household_file_are_per_household(tmp_path: Path) -> None:
    take(tmp_path)
    profile = load_profile(tmp_path / "profile.yaml")
    per = {name: plan.per for name, plan in profile.variables.items()}
    assert per == {
        "hid": "record",
        "name": "record",
        "age": "record",
        "region": "household",
        "rent": "household",
    }


def test_a_run_knows_them_after_the_files_are_gone(tmp_path: Path) -> None:
    take(tmp_path)
    directory = RunDirectory(tmp_path / "kept")
    directory.path.mkdir()
    ProfileFiles.read(tmp_path / "profile.yaml").keep(directory)
    (tmp_path / "h.csv").unlink()
    (tmp_path / "p.csv").unlink()
    assert load_profile(directory.profile).variables["region"].per == "household"


def test_the_digest_of_the_source_is_that_of_both_files(tmp_path: Path) -> None:
    first, _ = take(tmp_path)
    second, _ = take(tmp_path, households=HOUSEHOLDS.replace("80", "81"))
    third, _ = take(tmp_path, persons=PERSONS.replace("80", "81"))
    assert len({first.sha256, second.sha256, third.sha256}) == 3
    assert take(tmp_path)[0].sha256 == first.sha256


def test_a_household_file_may_have_its_own_name_for_the_key(tmp_path: Path) -> None:
    profile = PROFILE.replace("path: h.csv, separator", "path: h.csv, key: number, separator")
    _, rows = take(tmp_path, households=HOUSEHOLDS.replace("hid", "number"), profile=profile)
    assert [row[2] for row in rows] == ["South", "North", "South", None]


def test_columns_are_derived_from_both_files_and_records_selected(tmp_path: Path) -> None:
    profile = PROFILE.replace(
        "key: hid}", "key: hid, where: age >= 18 AND region IS NOT NULL, derived: {each: rent / age}}"
    ).replace("variables:", "variables:\n  each: {role: other, type: numeric}")
    found, rows = take(tmp_path, profile=profile, select="hid, each")
    assert rows == [("7", 80 / 30), ("3", 100.5 / 40)]
    assert found.left_out_rows == 2


@pytest.mark.parametrize(
    ("persons", "households", "problem"),
    [
        (
            PERSONS + "8,Ed,1\n",
            HOUSEHOLDS,
            r"p.csv, column 'hid': a key that h.csv does not have in 1 record",
        ),
        (PERSONS, HOUSEHOLDS + "8;a;1\n", r"h.csv, column 'hid': a key that p.csv does not have in 1 record"),
        (
            PERSONS,
            HOUSEHOLDS + "3;a;1\n",
            r"h.csv, column 'hid': a key shared with another household in 2 records",
        ),
        (PERSONS + ",Ed,1\n", HOUSEHOLDS, r"p.csv, column 'hid': no key in 1 record"),
        (PERSONS, HOUSEHOLDS + ";a;1\n", r"h.csv, column 'hid': no key in 1 record"),
        (
            PERSONS,
            HOUSEHOLDS.replace("rent", "age"),
            r"h.csv, column 'age': p.csv has a column of this name too",
        ),
        (PERSONS, HOUSEHOLDS.replace("hid", "home"), r"h.csv, column 'hid': it links persons to households"),
    ],
)
def test_gaps_between_the_files_are_faults_with_counts(
    tmp_path: Path, persons: str, households: str, problem: str
) -> None:
    with pytest.raises(BadData, match=problem) as bad:
        take(tmp_path, persons, households)
    assert "Ed" not in str(bad.value)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (", key: hid}", "}", "no key links persons to them"),
        ("key: hid}", "key: hld}", "key names 'hld', which is no variable of the profile"),
        ("hid: household", "hid: other", "'hid' links persons to households and is not the household"),
        ('  households: {path: h.csv, separator: ";", decimal: ","}\n', "", "no file of households is named"),
        (
            "persons: {path: p.csv,",
            "persons: {path: p.csv, separator: ab,",
            "profile.yaml:5: separator must be",
        ),
        (
            "persons: {path: p.csv,",
            "persons: {path: p.csv, colour: red,",
            "profile.yaml:5: unknown key 'colour'",
        ),
    ],
)
def test_faults_of_the_link_are_named(tmp_path: Path, old: str, new: str, fault: str) -> None:
    take(tmp_path)
    (tmp_path / "profile.yaml").write_text(PROFILE.replace(old, new))
    with pytest.raises(BadProfile, match=fault):
        load_profile(tmp_path / "profile.yaml")


@pytest.mark.parametrize(
    ("households", "name", "fault"),
    [
        (None, "h.csv", "profile.yaml:4: there is no such file: h.csv; paths are relative to the profile$"),
        ("x;y\n1;2\n", "h.csv", "profile.yaml:4: h.csv has no column that the profile declares"),
        ("", "h.csv", "profile.yaml:4: h.csv cannot be read: "),
        ("\x1f", "h.csv.gz", "profile.yaml:4: h.csv.gz cannot be read: this cannot be unpacked to its end"),
    ],
    ids=["gone", "another header", "empty", "broken off"],
)
def test_a_household_file_whose_columns_are_unknown_is_the_one_fault(
    tmp_path: Path, households: str | None, name: str, fault: str
) -> None:
    """Else its variables would be taken for those of persons."""
    take(tmp_path)
    (tmp_path / "h.csv").unlink()
    if households is not None:
        (tmp_path / name).write_text(households)
    by_household = PROFILE.replace("k: 2}", "k: 2, by_household: true}").replace("h.csv", name)
    (tmp_path / "profile.yaml").write_text(by_household)
    with pytest.raises(BadProfile, match=fault) as bad:
        load_profile(tmp_path / "profile.yaml")
    assert len(bad.value.faults) == 1


def test_a_changed_header_names_both_files(tmp_path: Path) -> None:
    with pytest.raises(BadData, match=r"p.csv and h.csv, column 'rent': the profile declares it") as bad:
        take(tmp_path, households=HOUSEHOLDS.replace("rent", "rentt"))
    assert "column 5 of both files joined has nearly this name" in str(bad.value)


def test_each_file_lists_the_columns_to_read_of_it(tmp_path: Path) -> None:
    profile = PROFILE.replace("key: hid}", "key: hid, columns: [hid, age]}")
    profile = profile.replace("path: h.csv,", "path: h.csv, columns: [hid, region],")
    profile = profile.replace("  name: direct_identifier\n", "")
    profile = profile.replace("  rent: {role: sensitive, type: numeric}\n", "")
    found, rows = take(tmp_path, profile=profile)
    assert found.columns == ("hid", "age", "region")
    assert rows[0] == ("7", 30, "South")


def test_a_column_that_the_household_file_lacks_is_a_fault(tmp_path: Path) -> None:
    profile = PROFILE.replace("path: h.csv,", "path: h.csv, columns: [hid, region, rent, garden],")
    with pytest.raises(BadData, match=r"h.csv, column 'garden': columns asks for it"):
        take(tmp_path, profile=profile)


@pytest.mark.parametrize("key", [None, "a" * 32], ids=["in the clear", "encrypted"])
@pytest.mark.parametrize("packed", ["h.csv.gz", "h.csv.zip"])
def test_a_packed_household_file_is_read_as_the_plain_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: str, key: str | None
) -> None:
    if key is not None:
        pytest.importorskip("duckdb_extension_httpfs")
        monkeypatch.setenv("SDC_WAREHOUSE_KEY", key)
    plain = take(tmp_path)
    (tmp_path / "again").mkdir()
    data = HOUSEHOLDS.encode()
    with zipfile.ZipFile(tmp_path / "again" / "h.csv.zip", "w") as archive:
        archive.writestr("h.csv", data)
    (tmp_path / "again" / "h.csv.gz").write_bytes(gzip.compress(data))
    _, again = take(tmp_path / "again", profile=PROFILE.replace("h.csv", packed))
    assert again == plain[1]
