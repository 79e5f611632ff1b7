"""Tables of coded columns, counted a part of the records at a time."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.counts import contingency
from sdc.statistics.counts.contingency import joint_cells, joint_counts

ORIGINAL = [np.array([0, 1, -1, 1, 0], np.int8), np.array([0, 0, 1, 0, -1], np.int8)]
CANDIDATE = [np.array([1, 1, 0], np.int8), np.array([0, 1, 0], np.int8)]
"""Cells of the two columns, the first most significant: missing is 0, then come the two categories."""


def test_the_cell_of_a_record_is_a_number_with_a_digit_for_each_column() -> None:
    assert joint_cells(ORIGINAL, [2, 2]).tolist() == [3 * 1 + 1, 3 * 2 + 1, 0 + 2, 3 * 2 + 1, 3 * 1 + 0]


def test_the_largest_code_of_a_byte_has_its_cell() -> None:
    assert joint_cells([np.array([-1, 125], np.int8)], [126]).tolist() == [0, 126]


@pytest.mark.parametrize("copies", [1, 2, 5])
def test_parts_count_what_all_records_count(monkeypatch: pytest.MonkeyPatch, copies: int) -> None:
    """By hand: cells 2, 3, 4, 7 and 8, those that either table has. A part is nine records."""
    monkeypatch.setattr(contingency, "PART", 9)
    original, candidate = ([np.tile(column, copies) for column in table] for table in (ORIGINAL, CANDIDATE))
    counts = joint_counts(original, candidate, [2, 2])
    assert counts.original.tolist() == [copies, copies, copies, 2 * copies, 0]
    assert counts.candidate.tolist() == [0, 0, copies, copies, copies]


def test_more_cells_than_records_of_a_part_are_counted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contingency, "PART", 8)
    counts = joint_counts(ORIGINAL, CANDIDATE, [2, 2])
    assert (counts.original.tolist(), counts.candidate.tolist()) == ([1, 1, 1, 2, 0], [0, 0, 1, 1, 1])
