"""Candidates as they are stored, and those made elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from sdc.catalogue.candidate import Candidate
from sdc.data.warehouse import Warehouse
from sdc.errors import BadData
from sdc.ingest import ingest
from sdc.methods.protect import leaving_order
from sdc.profile import Profile
from sdc.profile.load import load_profile
from sdc.publish.candidates import make
from sdc.run.randomness import Randomness
from sdc.run.secret import NO_SECRET

PROFILE = """
name: people
seed: 3
source: {path: people.csv}
variables:
  person: direct_identifier
  region: quasi_identifier
  age: {role: quasi_identifier, type: numeric}
  income: {role: sensitive, type: numeric}
candidates:
  plain:
    - {method: global_recode, with: {age: {width: 10}}}
  file: FILE
risk:
  - {measure: class_attribution, with: {target: income}, at_most: 0.9, because: rule}
"""
PEOPLE = pd.DataFrame(
    {
        "person": ["a", "b", "c", "d"],
        "region": ["north", "south", "north", "south"],
        "age": [31, 38, 52, 57],
        "income": [1000, 2500, 2500, 4000],
    }
)
RELEASED = PEOPLE.drop(columns="person")
TRUE = "{path: file.csv, protection: non_perturbative, aligned: true}"
BLURRED = "{path: file.csv, protection: perturbative, aligned: true}"
INVENTED = "{path: file.csv, protection: synthetic}"


@pytest.fixture
def made(tmp_path: Path) -> Iterator[object]:
    opened: list[Warehouse] = []

    def made(said: str, file: pd.DataFrame, name: str = "file") -> tuple[Profile, Candidate]:
        PEOPLE.to_csv(tmp_path / "people.csv", index=False)
        file.to_csv(tmp_path / "file.csv", index=False)
        path = tmp_path / "profile.yaml"
        path.write_text(PROFILE.replace("FILE", said))
        profile = load_profile(path)
        warehouse = Warehouse.create(
            tmp_path / f"run{len(opened)}",
            limits=profile.limits,
            readable=[tmp_path / each for each in profile.files],
        )
        opened.append(warehouse)
        ingest(profile, tmp_path, warehouse, NO_SECRET)
        return profile, make(profile, tmp_path, warehouse, name, Randomness.from_seed(3))

    made.warehouses = opened
    yield made
    for warehouse in opened:
        warehouse.close()


def test_a_file_in_place_is_stored_with_its_changes_counted(made) -> None:
    coarse = RELEASED.assign(age=["30-39", "30-39", "50-59", "50-59"], income=[1000, None, 2500, None])
    _, found = made(TRUE, coarse)
    (step,) = found.steps
    assert step.changed == {"region": 0, "age": 4, "income": 2}
    assert step.options == {"path": "file.csv", "protection": "non_perturbative", "aligned": True}
    assert step.record["records"] == 4
    published = pd.read_parquet(found.path)
    assert sorted(published["age"]) == ["30-39", "30-39", "50-59", "50-59"]
    assert found.rows == 4


def test_its_records_leave_in_another_order_and_are_judged_in_place(made) -> None:
    profile, found = made(BLURRED, RELEASED.assign(income=[900, 2600, 2400, 4100]))
    table = made.warehouses[-1].database.table(found.tables[0])
    judged = [row[0] for row in table.fetch(f'SELECT "income" FROM "{table.name}"')]
    assert judged == [900, 2600, 2400, 4100]
    published = pd.read_parquet(found.path)["income"].tolist()
    randomness = Randomness.from_seed(3).of_candidate(found.name, profile.candidates[found.name])
    assert published == [judged[place] for place in leaving_order(randomness, found.rows)]


def test_a_synthetic_file_may_have_another_number_of_records(made) -> None:
    _, found = made(INVENTED, pd.concat([RELEASED, RELEASED.head(1)]))
    assert found.rows == 5
    assert not found.aligned
    assert found.synthetic


def test_a_file_said_to_be_in_place_must_have_the_original_records(made) -> None:
    with pytest.raises(BadData, match="said to be aligned and has 3 records, the original 4"):
        made(BLURRED, RELEASED.head(3))


@pytest.mark.parametrize(
    ("column", "values", "count"),
    [
        ("income", [1000, 2500, 2600, 4001], 2),
        ("region", ["north", "south", "south", "south"], 1),
        ("age", ["30-39", "50-59", "50-59", "30-39"], 2),
        ("age", ["30-34"] * 2 + ["50-59"] * 2, 1),
    ],
)
def test_a_false_value_in_a_file_said_to_be_true_is_refused(
    made, column: str, values: list[object], count: int
) -> None:
    with pytest.raises(BadData, match=f"'{column}'.*{count} values are neither missing nor the original's"):
        made(TRUE, RELEASED.assign(**{column: values}))


def test_a_file_without_a_released_variable_is_refused(made) -> None:
    with pytest.raises(BadData, match="'income': the file lacks this released variable"):
        made(INVENTED, RELEASED.drop(columns="income"))


def test_a_file_with_a_direct_identifier_is_refused(made) -> None:
    with pytest.raises(BadData, match="'person': a candidate must not have a direct identifier"):
        made(INVENTED, PEOPLE)


def test_the_same_file_gives_the_same_bytes(made) -> None:
    hashes = {made(BLURRED, RELEASED)[1].sha256 for _ in range(2)}
    assert len(hashes) == 1
