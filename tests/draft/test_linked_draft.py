"""A draft of two linked files: the key found or asked for, and a profile that can be checked at once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from linked_survey import write_csv

from sdc.cli.main import cli
from sdc.draft import draft
from sdc.errors import BadData
from sdc.profile.load import load_profile

PERSONS = "hid,age,sex,name\n7,30,f,Ann\n3,40,m,Bob\n7,5,f,Cy\n9,80,f,Di\n"
HOUSEHOLDS = "hid;region;rent\n3;North;100,5\n9;;\n7;South;80\n"


def pair(folder: Path, persons: str = PERSONS, households: str = HOUSEHOLDS) -> tuple[Path, Path]:
    (folder / "p.csv").write_text(persons)
    (folder / "h.csv").write_text(households)
    return folder / "p.csv", folder / "h.csv"


def test_a_draft_of_two_files_loads_with_its_variables_per_household(tmp_path: Path) -> None:
    persons, households = write_csv(tmp_path, households=60)
    out = tmp_path / "drafted.yaml"
    told = CliRunner().invoke(
        cli, ["draft", str(persons), "--households", str(households), "--out", str(out)]
    )
    assert told.exit_code == 0, told.output
    text = out.read_text()
    assert "per: household" not in text
    assert "links persons with households.csv" in text
    assert "- {measure: household_risk}" in text
    profile = load_profile(out)
    assert profile.roles.household == profile.source.key == "hid"
    per = {name for name, plan in profile.variables.items() if plan.per == "household"}
    assert per == {"region", "tenure", "rooms", "hincome"}
    assert profile.source.record_key == ("pid",)


def test_each_file_is_described_as_it_is_written(tmp_path: Path) -> None:
    """A comma is the decimal sign of one of them, and separates the columns of the other."""
    persons, households = pair(tmp_path)
    out = tmp_path / "p.yaml"
    out.write_text(draft(persons, households=households, kept_in=tmp_path))
    profile = load_profile(out)
    assert profile.source.households is not None
    assert (profile.source.households.separator, profile.source.households.decimal) == (";", ",")
    assert (profile.source.separator, profile.source.decimal) == (",", ".")
    assert profile.variables["rent"].type.value == "numeric"
    assert "it needs a variable with the role weight" in out.read_text()


def test_a_column_that_both_have_is_left_out_of_the_second(tmp_path: Path) -> None:
    households = "hid;age;region\n3;1;North\n9;1;North\n7;1;South\n"
    out = tmp_path / "p.yaml"
    files = pair(tmp_path, households=households)
    out.write_text(draft(files[0], households=files[1], kept_in=tmp_path))
    profile = load_profile(out)
    assert profile.source.households is not None
    assert profile.source.households.columns == ("hid", "region")
    assert profile.variables["age"].per == "record"


@pytest.mark.parametrize(
    ("households", "key", "fault"),
    [
        (HOUSEHOLDS.replace("hid", "home"), None, "no column of both files has another value in every"),
        (HOUSEHOLDS + "3;South;1\n", None, "no column of both files has another value in every household"),
        ("hid;age\n3;1\n9;2\n7;3\n", None, "2 columns of both files tell households apart; say by --key"),
        (HOUSEHOLDS, "home", "not both files have a column 'home'"),
        (HOUSEHOLDS + "3;South;1\n", "hid", "column 'hid': it is missing, or the same in several households"),
    ],
)
def test_a_key_that_does_not_link_is_a_fault(
    tmp_path: Path, households: str, key: str | None, fault: str
) -> None:
    files = pair(tmp_path, households=households)
    with pytest.raises(BadData, match=fault) as bad:
        draft(files[0], households=files[1], key=key)
    assert "North" not in str(bad.value)


def test_two_tables_of_one_database_are_drafted(tmp_path: Path) -> None:
    file = tmp_path / "survey.sqlite"
    with closing(sqlite3.connect(file)) as made:
        made.execute("CREATE TABLE people (hid INTEGER, age INTEGER, sex TEXT)")
        made.execute("CREATE TABLE homes (hid INTEGER, region TEXT)")
        made.executemany("INSERT INTO people VALUES (?, ?, ?)", [(7, 30, "f"), (3, 40, "m"), (7, 5, "f")])
        made.executemany("INSERT INTO homes VALUES (?, ?)", [(3, "North"), (7, "South")])
        made.commit()
    out = tmp_path / "drafted.yaml"
    words = ["--table", "people", "--households", str(file), "--households-table", "homes", "--out", str(out)]
    told = CliRunner().invoke(cli, ["draft", str(file), *words])
    assert told.exit_code == 0, told.output
    profile = load_profile(out)
    assert (profile.source.table, profile.source.key) == ("people", "hid")
    assert profile.source.households is not None
    assert profile.source.households.table == "homes"
    assert profile.variables["region"].per == "household"


def test_a_table_of_households_alone_is_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="name their file or database by --households"):
        draft(pair(tmp_path)[0], households_table="homes")


HOMES_OF = {1: [1], 2: [1], 3: [1], 4: [1, 2], 5: [1, 2]}
"""Persons of each household: three records in households of one, four in households of two."""


def sized(folder: Path, sizes: dict[int, int], **homes_of: list[int]) -> tuple[Path, Path]:
    held = HOMES_OF | {int(number.removeprefix("h")): members for number, members in homes_of.items()}
    persons = [f"{home},{20 + home},{'mf'[person % 2]}" for home, all_ in held.items() for person in all_]
    homes = [f"{home},North,{sizes.get(home, len(members))}" for home, members in held.items()]
    return pair(
        folder,
        "\n".join(["hid,age,sex", *persons]) + "\n",
        "\n".join(["hid,region,hsize", *homes]) + "\n",
    )


def suppression(text: str) -> str:
    return next(line for line in text.splitlines() if "local_suppression" in line)


def test_a_size_that_can_be_counted_is_not_suppressed(tmp_path: Path) -> None:
    persons, households = sized(tmp_path, {})
    drafted = suppression(draft(persons, households=households))
    assert "by_household: true, cap: {hsize: 0}" in drafted
    assert "hsize can be counted, so other keys go" in drafted


def test_a_size_in_one_file_with_the_persons_is_counted_too(tmp_path: Path) -> None:
    records = [f"{home},{20 + home},{len(held)}" for home, held in HOMES_OF.items() for _ in held]
    (tmp_path / "one.csv").write_text("\n".join(["household_id,age,hsize", *records]) + "\n")
    assert "cap: {hsize: 0}" in suppression(draft(tmp_path / "one.csv"))


@pytest.mark.parametrize(
    ("sizes", "more"),
    [({5: 4}, {}), ({}, {"h6": [1, 2, 3, 4], "h7": [1, 2, 3, 4, 5], "h8": []}), ({}, {"h3": [1, 2]})],
    ids=["members who did not answer", "a household of nobody", "two records of one size"],
)
def test_a_size_that_says_more_than_a_count_or_of_too_few_may_go(
    tmp_path: Path, sizes: dict[int, int], more: dict[str, list[int]]
) -> None:
    """Where only two records are in households of one, nothing else could hide them."""
    persons, households = sized(tmp_path, sizes, **more)
    capped = "cap:" in suppression(draft(persons, households=households))
    assert capped is ("h6" in more), "a household that has no person in the file counts for nothing"


def test_a_key_alone_links_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadData, match="name their file by --households"):
        draft(pair(tmp_path)[0], key="hid")
