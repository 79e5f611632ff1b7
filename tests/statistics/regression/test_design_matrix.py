"""A regression matrix holds what its blocks say, in as little memory as their number of columns allows."""

import numpy as np
import pytest

from sdc.statistics.regression.design import MOST_NARROW, Block, design


def indicators(levels: int) -> Block:
    return Block(np.arange(levels, dtype=np.int32), None, levels, 0)


@pytest.mark.parametrize(("levels", "kind"), [(MOST_NARROW - 1, np.int16), (MOST_NARROW, np.int32)])
def test_columns_are_numbered_in_two_bytes_as_long_as_these_suffice(levels: int, kind: type) -> None:
    matrix = design([indicators(levels)], levels)
    assert matrix.columns.dtype == kind
    assert matrix.columns[-1].tolist() == [0, levels]
    assert matrix.width == levels + 1


def test_only_numbers_have_values_and_all_can_be_had() -> None:
    half = Block(np.zeros(2, dtype=np.int32), np.array([0.5, 1.5]), 1, 1)
    blocks = [Block(np.array([0, -1], dtype=np.int32), None, 1, 0), half]
    matrix = design(blocks, 2)
    assert matrix.columns.tolist() == [[0, 1, 2], [0, -1, 2]]
    assert matrix.values.tolist() == [[0.5], [1.5]]
    assert matrix.held.tolist() == [-1, -1, 0]
    assert matrix.all_values().tolist() == [[1, 1, 0.5], [1, 1, 1.5]]
    assert matrix.binary.tolist() == [True, True, False]
    assert blocks == [], "they are not in memory beside the matrix"
