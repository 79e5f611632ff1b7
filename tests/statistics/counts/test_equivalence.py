from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.counts import equivalence
from sdc.statistics.counts.equivalence import (
    alike,
    classes_in_parts,
    classes_of_records,
    joined,
    numbered,
    packed,
)


@pytest.fixture
def columns():
    rng = np.random.default_rng(0)
    return [rng.integers(-1, levels, 500).astype(np.int32) for levels in (3, 7, 2)]


def test_packed_numbers_are_equal_where_all_columns_are_and_in_their_order(columns):
    rows, key = list(zip(*(column.tolist() for column in columns), strict=True)), packed(columns)
    assert len(set(rows)) == len(set(key.tolist()))
    assert [rows[place] for place in np.argsort(key, kind="stable")] == sorted(rows)


def test_packing_more_than_a_word_holds_keeps_classes_apart(columns, monkeypatch):
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    monkeypatch.setattr(equivalence, "WORD", 10)
    key = packed(columns)
    assert len(set(rows)) == len(set(zip(rows, key.tolist(), strict=True)))
    assert [rows[place] for place in np.argsort(key, kind="stable")] == sorted(rows)


def test_places_are_in_the_order_of_the_numbers():
    distinct, place = numbered(np.array([7, 3, 7, 5]))
    assert (distinct.tolist(), place.tolist()) == ([3, 5, 7], [2, 0, 2, 1])


@pytest.mark.parametrize("levels", [2, 10_000])
def test_alike_records_have_one_number(levels):
    rng = np.random.default_rng(1)
    columns = [rng.integers(-1, levels, 200) for _ in range(2)]
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    place, size = alike(columns)
    assert len(set(rows)) == len(set(place.tolist())) == len(set(zip(rows, place.tolist(), strict=True)))
    assert place.max() < size


def test_classes_of_records_have_their_codes_and_counts(columns):
    place, codes, count = classes_of_records(columns)
    assert np.array_equal(codes[place], np.column_stack(columns))
    assert count.tolist() == np.bincount(place).tolist()
    assert np.array_equal(codes, np.unique(codes, axis=0))


def test_rows_of_two_tables_are_numbered_together():
    mine, theirs = np.array([[0, 1], [2, 2]]), np.array([[2, 2], [0, 0]])
    first, second, number = joined(mine, theirs)
    assert number == 3
    assert first[1] == second[0] != first[0]
    assert joined(np.zeros((2, 0)), np.zeros((3, 0)))[2] == 1


def test_nothing_to_pack_is_an_error():
    with pytest.raises(ValueError, match="no columns"):
        packed([])


def test_classes_of_parts_are_those_of_all_records_with_their_sizes() -> None:
    parts = [np.array([[1, 0], [0, 2], [1, 0]]), np.array([[0, 2], [-1, 2]]), np.array([[1, 0]])]
    rows, sizes = classes_in_parts(iter(parts))
    assert {tuple(row): size for row, size in zip(rows.tolist(), sizes.tolist(), strict=True)} == {
        (1, 0): 3,
        (0, 2): 2,
        (-1, 2): 1,
    }


def test_no_part_has_no_class() -> None:
    assert classes_in_parts(iter([]))[1].tolist() == []
