"""Are the records and columns those that the profile asks for, and is what was left out counted?"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sdc.data.expressions import BadExpression, RecordExpression
from sdc.data.warehouse import Warehouse
from sdc.errors import BadData, BadProfile
from sdc.ingest import Ingested, ingest
from sdc.profile.load import examine
from sdc.profile.plan import Profile
from sdc.run.secret import NO_SECRET

DATA = """hid,born,postcode,income,note
1,1990-05-01,01234,100,x
1,2015-01-31,01234,,x
2,1950-12-31,98765,250.5,x
3,2001-07-07,01999,-9,x
"""
VARIABLES: dict[str, Any] = {
    "hid": {"role": "household"},
    "born": {"role": "dropped", "type": "date"},
    "postcode": "direct_identifier",
    "income": {"role": "sensitive", "type": "numeric", "missing_codes": ["-9"]},
    "note": "other",
}


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[Warehouse]:
    (tmp_path / "data.csv").write_text(DATA)
    made = Warehouse.create(tmp_path / "run", readable=[tmp_path / "data.csv"])
    yield made
    made.close()


def take(warehouse: Warehouse, tmp_path: Path, variables: dict[str, Any], **source: Any) -> Ingested:
    profile = Profile(
        name="test", seed=1, source={"path": "data.csv", **source}, variables=variables, candidates={}
    )
    return ingest(profile, tmp_path, warehouse, NO_SECRET)


def rows(warehouse: Warehouse, columns: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = (
        warehouse.database.cursor().execute(f"SELECT {columns} FROM original").fetchall()
    )
    return found


def test_derived_columns_are_computed_from_what_was_declared(warehouse: Warehouse, tmp_path: Path) -> None:
    """Days are days and codes keep their zeros, also of columns that stay behind; -9 is missing."""
    derived = {
        "year": "year(born)",
        "area": "left(postcode, 2)",
        "has_income": "income IS NOT NULL",
        "size": "count(*) OVER (PARTITION BY hid)",
    }
    numbers = {"role": "quasi_identifier", "type": "numeric"}
    variables = {
        **VARIABLES,
        "year": numbers,
        "area": "quasi_identifier",
        "has_income": "other",
        "size": numbers,
    }
    found = take(warehouse, tmp_path, variables, derived=derived)
    assert rows(warehouse, "hid, year, area, has_income, size, income") == [
        ("1", 1990, "01", True, 2, 100.0),
        ("1", 2015, "01", False, 2, None),
        ("2", 1950, "98", True, 1, 250.5),
        ("3", 2001, "01", False, 1, None),
    ]
    assert "born" not in found.columns
    assert "postcode" not in found.columns


def test_where_selects_records_and_counts_the_others(warehouse: Warehouse, tmp_path: Path) -> None:
    found = take(warehouse, tmp_path, VARIABLES, where="born < DATE '2010-01-01' AND income > 0")
    assert rows(warehouse, "income") == [(100.0,), (250.5,)]
    assert (found.rows, found.left_out_rows) == (2, 2)
    assert "where selects 2 of 4 records" in found.notes
    assert found.in_words == "2 records, 2 left out by where"


def test_a_group_is_counted_before_records_are_left_out(warehouse: Warehouse, tmp_path: Path) -> None:
    variables = {**VARIABLES, "size": {"role": "other", "type": "numeric"}}
    take(
        warehouse,
        tmp_path,
        variables,
        derived={"size": "count(*) OVER (PARTITION BY hid)"},
        where="count(*) OVER (PARTITION BY hid) > 1 AND income IS NOT NULL",
    )
    assert rows(warehouse, "size, income") == [(2, 100.0)]


def test_a_person_keeps_its_pseudonym_whatever_is_left_out(warehouse: Warehouse, tmp_path: Path) -> None:
    """Otherwise an earlier release of the same source would be compared with other people."""

    def persons() -> list[str]:
        return [
            row[0] for row in warehouse.database.cursor().execute("SELECT person FROM persons").fetchall()
        ]

    take(warehouse, tmp_path, VARIABLES)
    everybody = persons()
    take(warehouse, tmp_path, VARIABLES, where="hid <> '1'")
    assert persons() == everybody[2:]


def test_a_holdout_is_drawn_from_the_selected_records(warehouse: Warehouse, tmp_path: Path) -> None:
    found = take(warehouse, tmp_path, VARIABLES, where="hid <> '1'", holdout_share=0.5)
    assert (found.rows, found.holdout_rows, found.left_out_rows) == (1, 1, 2)


def test_columns_that_are_not_asked_for_need_no_declaration(warehouse: Warehouse, tmp_path: Path) -> None:
    variables = {name: VARIABLES[name] for name in ("hid", "income")}
    with pytest.raises(BadData, match="3 columns the profile does not declare"):
        take(warehouse, tmp_path, variables)
    assert take(warehouse, tmp_path, variables, columns=["hid", "income"]).columns == ("hid", "income")
    with pytest.raises(BadData, match="column 'wealth': columns asks for it and the data do not have it"):
        take(warehouse, tmp_path, variables, columns=["hid", "income", "wealth"])


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ({"where": "income > 1000"}, "where selects no record"),
        ({"where": "CAST(note AS INTEGER) > 0"}, "where or derived fails on some record"),
        ({"derived": {"note": "1"}}, "it is derived, and the data have it too"),
    ],
)
def test_what_cannot_be_selected_or_derived_is_a_fault(
    warehouse: Warehouse, tmp_path: Path, source: dict[str, Any], problem: str
) -> None:
    with pytest.raises(BadData, match=problem) as bad:
        take(warehouse, tmp_path, VARIABLES, **source)
    assert "x" not in str(bad.value).replace(str(tmp_path), "").split()


def test_a_value_that_cannot_be_read_does_not_leave_its_record_out_in_silence(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("age,x\n30,a\nCANARY,b\n")
    warehouse = Warehouse.create(tmp_path / "run", readable=[tmp_path / "data.csv"])
    variables = {"age": {"role": "quasi_identifier", "type": "numeric"}, "x": "other"}
    with pytest.raises(BadData, match="column 'age': values that are not numbers in 1 record") as bad:
        take(warehouse, tmp_path, variables, where="age >= 18")
    assert "CANARY" not in str(bad.value)
    warehouse.close()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("random() < 0.5", "does not give the same value every time"),
        ("(SELECT 1)", "it has a query inside"),
        ("getenv('HOME')", "tells of the program"),
        ("row_number() OVER (PARTITION BY a)", "depends on their order"),
        ("sum(a) OVER (PARTITION BY a)", "depends on their order"),
        ("age(a)", "depends on today"),
        ("a); DROP TABLE x", "no expression"),
        ("1), (2", "more than one expression"),
        ("*", "star"),
        ("records.a", "table before it"),
        ("max(a)", "does not give the same value"),
        ("error('no')", "does not give the same value"),
    ],
)
def test_an_expression_does_nothing_but_compute(text: str, problem: str) -> None:
    with pytest.raises(BadExpression, match=problem):
        RecordExpression.of(text)


PROFILE = """
name: test
source:
  path: data.csv
  {source}
variables:
  hid: household
  born: {{role: dropped, type: date}}
  postcode: direct_identifier
  income: {{role: sensitive, type: numeric}}
  note: other
  {variables}
candidates:
  plain: []
risk:
  - {{measure: k_anonymity, at_least: 3, because: house rule}}
"""


@pytest.mark.parametrize(
    ("source", "variables", "fault"),
    [
        ("where: incom > 3", "", "it reads 'incom', which is no variable of the profile"),
        ("where: income + 1", "", "not true or false"),
        ("where: income > 'a' + 1", "", "it cannot be computed"),
        ("derived: {year: year(born)}", "", "'year' is derived and no variable of the profile"),
        ("derived: {a: year(born), b: a + 1}", "{a: other, b: other}", "it reads 'a', which is derived too"),
        ("columns: [hid, income]", "", "columns leaves out 'born', which is a variable"),
        ("columns: [hid, hid]", "", "2nd column is there before"),
    ],
)
def test_the_check_names_what_cannot_be_read(tmp_path: Path, source: str, variables: str, fault: str) -> None:
    more = variables.strip("{}").replace(", ", "\n  ")
    path = tmp_path / "profile.yaml"
    path.write_text(PROFILE.format(source=source, variables=more))
    with pytest.raises(BadProfile, match=fault):
        examine(path)


def test_a_column_derived_from_an_identifier_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "profile.yaml"
    path.write_text(
        PROFILE.format(source="derived: {area: 'left(postcode, 2)'}", variables="area: quasi_identifier")
    )
    _, notes = examine(path)
    assert any("'area' is derived from 'postcode', a direct identifier" in str(note) for note in notes)


TYPED = """n,flag,start,moment,code
3,TRUE,8:05,2026-01-02 03:04:05,007
4,no,23:59:30,2026-01-02T03:04:05,010
"""
TYPES: dict[str, Any] = {
    "n": {"role": "other", "type": "integer"},
    "flag": {"role": "other", "type": "boolean"},
    "start": {"role": "other", "type": "time"},
    "moment": {"role": "other", "type": "datetime"},
    "code": "quasi_identifier",
}


def read_typed(tmp_path: Path, data: str, variables: dict[str, Any], **source: Any) -> list[tuple[Any, ...]]:
    (tmp_path / "data.csv").write_text(data)
    warehouse = Warehouse.create(tmp_path / "run", readable=[tmp_path / "data.csv"])
    try:
        take(warehouse, tmp_path, variables, **source)
        return rows(warehouse, "*")
    finally:
        warehouse.close()


def test_values_of_one_kind_have_one_spelling(tmp_path: Path) -> None:
    assert read_typed(tmp_path, TYPED, TYPES) == [
        (3, "true", "08:05:00", "2026-01-02 03:04:05", "007"),
        (4, "false", "23:59:30", "2026-01-02 03:04:05", "010"),
    ]


def test_expressions_see_times_as_times(tmp_path: Path) -> None:
    variables = {**TYPES, "hour": {"role": "other", "type": "integer"}}
    found = read_typed(tmp_path, TYPED, variables, derived={"hour": "hour(start)"}, where="flag")
    assert [row[-1] for row in found] == [8]


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        ("n", "3.5", "column 'n': numbers that are not whole in 1 record"),
        ("flag", "maybe", "column 'flag': values that are neither true nor false in 1 record"),
        ("start", "25:00", "column 'start': values that are not times written HH:MM or HH:MM:SS in 1 record"),
        ("moment", "yesterday", "column 'moment': values that are not moments written"),
        ("code", "x" * 201, "column 'code': texts of more than 200 characters"),
    ],
)
def test_a_value_of_another_kind_is_a_fault(tmp_path: Path, column: str, value: str, problem: str) -> None:
    cells = {"n": "3", "flag": "true", "start": "8:05", "moment": "2026-01-02 03:04:05", "code": "007"}
    line = ",".join({**cells, column: value}.values())
    with pytest.raises(BadData, match=problem) as bad:
        read_typed(tmp_path, f"{','.join(cells)}\n{','.join(cells.values())}\n{line}\n", TYPES)
    assert value not in str(bad.value)


def test_text_is_released_by_no_profile(tmp_path: Path) -> None:
    path = tmp_path / "profile.yaml"
    path.write_text(PROFILE.format(source="", variables="story: {role: other, type: text}"))
    with pytest.raises(BadProfile, match="'story' is text, which may say anything of anyone"):
        examine(path)
    path.write_text(
        PROFILE.format(source="", variables="story: {role: dropped, type: text}\n  age: quasi_identifier")
    )
    profile, _ = examine(path)
    assert profile.variables["story"].written == "text"
