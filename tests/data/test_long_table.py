"""A table that is read, changed and kept a part of the records at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdc.data import long_column, long_table
from sdc.data.database import Database
from sdc.data.long_column import NumberedColumn
from sdc.data.long_table import LongTable, can_be_long
from sdc.data.roles import Role, Roles, Variable, VariableType

ROLES = Roles.of(
    [
        Variable("home", Role.HOUSEHOLD),
        Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
        Variable("school", Role.OTHER, VariableType.ORDINAL, ("none", "high")),
        Variable("born", Role.OTHER, VariableType.DATE),
    ]
)
PEOPLE = pa.table(
    {
        "home": ["b", "a", None, "b", "c"],
        "age": [3, None, 1, 3, 2],
        "school": ["high", None, "none", "high", "high"],
        "born": pa.array(["2001-02-03", None, "2001-02-05", "1999-01-01", "2020-12-31"]).cast(pa.date32()),
    }
)


@pytest.fixture
def people(monkeypatch: pytest.MonkeyPatch) -> Iterator[LongTable]:
    """Five people in parts of two."""
    monkeypatch.setattr(long_column, "PART", 2)
    database = Database.in_memory()
    table = database.write("original", PEOPLE)
    with LongTable.of(table, table.columns, ROLES, "c") as held:
        yield held


def numbers(table: LongTable) -> list[int]:
    column = table.held["home"]
    assert isinstance(column, NumberedColumn)
    return column.numbers(0, len(table)).tolist()


def test_parts_have_the_types_of_a_frame(people: LongTable) -> None:
    whole = people.scratch.database.table("original").frame(people.columns, ROLES)
    pd.testing.assert_frame_equal(people.frame(people.columns), whole)
    parts = list(people.parts(people.columns))
    assert [len(part) for part in parts] == [2, 2, 1]
    assert [str(dtype) for dtype in parts[1].dtypes] == [str(dtype) for dtype in whole.dtypes]
    assert pd.concat([part["age"] for part in parts]).tolist()[2:] == [1.0, 3.0, 2.0]
    assert list(parts[0]["school"].cat.categories) == ["none", "high"]


def test_a_change_is_seen_by_the_next_and_not_by_the_table_before(people: LongTable) -> None:
    older = people.changed(["age"], lambda part: {"age": part["age"].to_numpy() + 1})
    oldest = older.changed(["age"], lambda part: {"age": part["age"].to_numpy() * 2})
    assert people.frame(["age"])["age"].tolist()[2:] == [1, 3, 2]
    assert older.frame(["age"])["age"].tolist()[2:] == [2, 4, 3]
    assert oldest.frame(["age"])["age"].tolist()[2:] == [4, 8, 6]
    assert np.isnan(oldest.frame(["age"])["age"][1])
    assert (older.rewritten(people), people.rewritten(people)) == (["age"], [])


def test_a_change_of_the_whole_column_sees_all_records_at_once(people: LongTable) -> None:
    seen = []

    def halved(part: pd.DataFrame) -> dict[str, pd.Series]:
        seen.append(len(part))
        return {"age": part["age"] / 2}

    made = people.changed(["age"], halved, whole=True)
    assert seen == [5]
    assert made.frame(["age"])["age"].tolist()[2:] == [0.5, 1.5, 1.0]


def test_chosen_records_are_those_of_the_places_given_also_twice(people: LongTable) -> None:
    fewer = people.chosen(np.array([0, 2, 3, 4])).chosen(np.array([1, 3]))
    assert len(fewer) == 2
    assert fewer.frame(["age", "home"]).astype(object).to_numpy().tolist()[1] == [2.0, "c"]
    assert fewer.frame(["age"])["age"].tolist() == [1.0, 2.0]
    doubled = fewer.changed(["age"], lambda part: {"age": part["age"] * 2})
    assert doubled.frame(["age"])["age"].tolist() == [2.0, 4.0]
    assert fewer.frame(["born"])["born"].dt.year.tolist() == [2001, 2020]


def test_equal_homes_get_equal_numbers_and_a_missing_one_none(people: LongTable) -> None:
    """The homes are a, b, c in this order, and the numbers those of one permutation."""
    drawn = np.random.default_rng(7).permutation(3) + 1
    expected = [drawn[1], drawn[0], 0, drawn[1], drawn[2]]
    assert numbers(people.numbered_anew("home", np.random.default_rng(7))) == expected


def test_homes_that_no_chosen_record_has_get_no_number(people: LongTable) -> None:
    few = people.chosen(np.array([0, 2, 4]))
    drawn = np.random.default_rng(7).permutation(2) + 1
    assert numbers(few.numbered_anew("home", np.random.default_rng(7))) == [drawn[0], 0, drawn[1]]


def test_a_table_is_long_above_so_many_records_if_they_can_be_reached_by_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    database = Database.in_memory()
    table = database.write("original", PEOPLE)
    monkeypatch.setattr(long_table, "LONG", 5)
    assert not can_be_long(table)
    monkeypatch.setattr(long_table, "LONG", 4)
    assert can_be_long(table)
    assert not can_be_long(database.write("hidden", PEOPLE.append_column("RowId", [[1, 2, 3, 4, 5]])))
    database.cursor().execute("DELETE FROM original WHERE home = 'a'")
    monkeypatch.setattr(long_table, "LONG", 3)
    assert not can_be_long(database.table("original"))


def test_no_more_than_a_part_is_read_at_a_time_of_a_small_sample(
    people: LongTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    fetched = long_column.LongColumn._fetched

    def noted(column: long_column.LongColumn, first: int, last: int) -> pa.Array:
        read.append(last - first)
        return fetched(column, first, last)

    monkeypatch.setattr(long_column.LongColumn, "_fetched", noted)
    few = people.chosen(np.array([0, 4]))
    assert few.frame(["age"])["age"].tolist() == [3.0, 2.0]
    assert people.frame(["home"])["home"].tolist()[3:] == ["b", "c"]
    assert max(read) == 2


def test_columns_of_a_sample_share_the_places_of_its_records(people: LongTable) -> None:
    fewer = people.chosen(np.array([0, 2, 3])).chosen(np.array([1, 2]))
    assert fewer.held["age"].kept is fewer.held["home"].kept
    assert fewer.held["home"].labels is people.held["home"].labels


def test_a_column_of_too_few_records_is_refused(people: LongTable) -> None:
    with pytest.raises(RuntimeError, match="age was not made for as many records as there are"):
        people.changed(["age"], lambda part: {"age": part["age"].to_numpy()[:1]})
