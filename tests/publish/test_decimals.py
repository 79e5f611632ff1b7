"""Numbers leave with the decimals of the source."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sdc.data.database import Database
from sdc.data.decimals import decimals_of
from sdc.data.warehouse import Warehouse
from sdc.errors import BadProfile
from sdc.ingest import ingest
from sdc.profile.load import load_profile
from sdc.publish.candidates import make
from sdc.run.randomness import Randomness
from sdc.run.secret import NO_SECRET

PROFILE = """
name: people
seed: 3
source: {path: people.csv}
variables:
  age: {role: quasi_identifier, type: numeric}
  income: {role: sensitive, type: numeric}
  price: {role: sensitive, type: numeric}
candidates:
  averaged:
    - {method: microaggregation, with: {variables: [age, income, price], k: 3}}
  halves:
    - {method: rounding, with: {age: {to: 0.5}}}
  file: {path: elsewhere.csv, protection: perturbative, aligned: true}
risk:
  - {measure: interval_disclosure, at_most: 0.9, because: rule}
"""
ROWS = "age,income,price\n30,0.0,1.25\n31,6474.5,1.5\n33,9.0,2\n"
"""The mean age is 31 and a third, that of incomes 2161.1666..., that of prices 1.5833..."""


def made(tmp_path: Path, candidate: str, profile: str = PROFILE) -> dict[str, list[object]]:
    (tmp_path / "people.csv").write_text(ROWS)
    (tmp_path / "elsewhere.csv").write_text("age,income,price\n30.125,1,1\n31,2,2\n33,3,3\n")
    place = tmp_path / "profile.yaml"
    place.write_text(profile)
    read = load_profile(place)
    readable = [tmp_path / each for each in read.files]
    with Warehouse.create(tmp_path / "run", readable=readable) as warehouse:
        ingest(read, tmp_path, warehouse, NO_SECRET)
        found = make(read, tmp_path, warehouse, candidate, Randomness.from_seed(3))
        judged = warehouse.database.table(found.tables[0]).arrow(f"FROM {found.tables[0]}")
    left = pq.read_table(found.path)
    assert {name: sorted(left[name].to_pylist()) for name in left.column_names} == {
        name: sorted(judged[name].to_pylist()) for name in judged.column_names
    }
    return {name: [left.schema.field(name).type, *left[name].to_pylist()] for name in left.column_names}


def test_averages_have_the_decimals_of_the_source_and_whole_numbers_stay_whole(tmp_path: Path) -> None:
    left = made(tmp_path, "averaged")
    assert left["age"] == [pa.int64(), 31, 31, 31]
    assert left["income"] == [pa.float64(), 2161.2, 2161.2, 2161.2]
    assert left["price"] == [pa.float64(), 1.58, 1.58, 1.58]


def test_the_profile_may_say_another_number_of_decimals(tmp_path: Path) -> None:
    told = PROFILE.replace("income: {role: sensitive, ", "income: {role: sensitive, decimals: 0, ")
    assert made(tmp_path, "averaged", told)["income"] == [pa.int64(), 2161, 2161, 2161]


SURVEY = """
name: people
seed: 3
source: {path: survey.csv}
variables:
  age: {role: quasi_identifier, type: numeric, decimals: 0}
  region: quasi_identifier
  gross: {role: sensitive, type: numeric, decimals: 0}
  net: {type: numeric, decimals: 0}
candidates:
  drawn:
    - {method: sequential, with: {constraints: ["gross > net"]}}
  diverse:
    - {method: k_anonymise, with: {k: 2, l: 3, keys: [region], suppression: 0}}
  banded:
    - {method: global_recode, with: {age: {width: 10}}}
risk:
  - {measure: class_attribution, at_most: 0.9, because: rule}
"""


def survey(tmp_path: Path, candidate: str) -> dict[str, list[object]]:
    """Wages 1.1 to 3.4 in each region: many as they are, three in whole numbers, and two in region d."""
    lines = ["age,region,gross,net"]
    for place in range(240):
        region = "abcd"[place % 4]
        gross = (1 + place // 4 % (2 if region == "d" else 3)) + place % 5 / 10
        lines.append(f"{29.6 if place % 2 else 41.2},{region},{gross:.1f},{gross - 0.6:.1f}")
    (tmp_path / "survey.csv").write_text("\n".join(lines) + "\n")
    return made(tmp_path, candidate, SURVEY)


def test_steps_see_numbers_as_they_leave(tmp_path: Path) -> None:
    left = survey(tmp_path, "drawn")
    assert all(gross > net for gross, net in zip(left["gross"][1:], left["net"][1:], strict=True))


def test_a_class_is_as_diverse_in_what_leaves_as_the_step_found_it(tmp_path: Path) -> None:
    """Region d has two wages in whole numbers, so it cannot stay by itself."""
    left = survey(tmp_path, "diverse")
    found: dict[object, set[object]] = {}
    for region, gross in zip(left["region"][1:], left["gross"][1:], strict=True):
        found.setdefault(region, set()).add(gross)
    assert min(map(len, found.values())) >= 3


def test_a_variable_that_becomes_coarser_is_not_rounded_before(tmp_path: Path) -> None:
    """29.6 is in the band from 20 to below 30, and 30 is not."""
    assert set(survey(tmp_path, "banded")["age"][1:]) == {"[20,30)", "[40,50)"}


def test_a_step_that_rounds_to_a_finer_base_keeps_it(tmp_path: Path) -> None:
    finer = PROFILE.replace(
        "{method: rounding, with: {age: {to: 0.5}}}",
        "{method: microaggregation, with: {variables: [age], k: 3}}\n"
        "    - {method: rounding, with: {age: {to: 0.5}}}",
    )
    assert made(tmp_path, "halves", finer)["age"] == [pa.float64(), 31.5, 31.5, 31.5]


def test_a_file_made_elsewhere_keeps_its_digits(tmp_path: Path) -> None:
    assert sorted(made(tmp_path, "file")["age"][1:]) == [30.125, 31.0, 33.0]


def test_decimals_are_counted_by_the_value_that_has_most() -> None:
    columns = {
        "whole": [1.0, None, -3.0],
        "tenths": [0.1, 2.0, 0.3],
        "six": [0.000001, 1234567.891234, None],
        "computed": [1 / 3, 1.0, 2.0],
        "large": [1e300, 2.0, 3.0],
        "empty": pa.array([None, None, None], pa.float64()),
        "counts": pa.array([1, 2, 3], pa.int32()),
        "words": ["1.5", "2", "3"],
    }
    table = Database.in_memory().write("original", pa.table(columns))
    found = decimals_of(table, tuple(columns))
    assert found == {"whole": 0, "tenths": 1, "six": 6, "large": 0, "empty": 0, "counts": 0}


def test_decimals_of_words_are_a_fault(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(ROWS)
    place = tmp_path / "profile.yaml"
    place.write_text(PROFILE.replace("type: numeric}\n  income", "type: categorical, decimals: 1}\n  income"))
    with pytest.raises(BadProfile, match="'age' is categorical and has decimals"):
        load_profile(place)
