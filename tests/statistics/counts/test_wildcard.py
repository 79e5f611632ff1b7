from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.counts import wildcard
from sdc.statistics.counts.wildcard import matching_records, pooled_cells


def match(one, other):
    return all(a < 0 or b < 0 or a == b for a, b in zip(one, other, strict=True))


def combinations(rng, rows, levels):
    return np.unique(rng.integers(-1, levels, (rows, 4)), axis=0).astype(np.int32)


@pytest.fixture(params=["by numpy", "compiled"])
def loop(request, monkeypatch):
    if request.param == "compiled":
        monkeypatch.setattr(wildcard, "COMPILED_FROM", 0)


@pytest.mark.parametrize("seed", range(5))
def test_matches_agree_with_comparing_every_pair(loop, seed):
    rng = np.random.default_rng(seed)
    codes = combinations(rng, 60, 3)
    count = rng.integers(1, 9, len(codes))
    expected = [
        sum(number for other, number in zip(codes, count, strict=True) if match(one, other)) for one in codes
    ]
    assert matching_records(codes, count).tolist() == expected


@pytest.mark.parametrize("seed", range(3))
def test_matches_among_other_combinations_agree_with_comparing_every_pair(loop, seed):
    rng = np.random.default_rng(seed)
    codes, others = combinations(rng, 60, 3), combinations(rng, 40, 4)
    count = rng.integers(1, 9, (len(others), 2))
    expected = [
        sum(number for other, number in zip(others, count, strict=True) if match(one, other)) for one in codes
    ]
    found = matching_records(codes, np.ones(len(codes), dtype=int), (others, count))
    assert found.tolist() == [np.broadcast_to(row, 2).tolist() for row in expected]


def test_few_combinations_among_many(loop):
    codes = np.array([[0, -1], [-1, -1]], dtype=np.int32)
    others = np.column_stack([np.repeat(np.arange(3), 3), np.tile(np.arange(3), 3)]).astype(np.int32)
    assert matching_records(codes, np.ones(2, dtype=int), (others, np.arange(9))).tolist() == [0 + 1 + 2, 36]


def test_complete_combinations_match_only_themselves(loop):
    codes = np.array([[0, 1], [1, 0]], dtype=np.int32)
    assert matching_records(codes, np.array([3, 4])).tolist() == [3, 4]


def test_a_combination_that_misses_every_key_matches_all(loop):
    codes = np.array([[-1, -1], [0, 1], [2, -1]], dtype=np.int32)
    assert matching_records(codes, np.array([1, 10, 100])).tolist() == [111, 11, 101]


def test_nothing_matches_nothing():
    assert matching_records(np.zeros((0, 3), dtype=np.int32), np.zeros(0, dtype=int)).size == 0
    assert matching_records(np.zeros((0, 3), dtype=np.int32), np.zeros((0, 2), dtype=int)).shape == (0, 2)


@pytest.mark.parametrize("seed", range(3))
def test_pooled_cells_agree_with_comparing_every_pair(seed):
    rng = np.random.default_rng(seed)
    codes = combinations(rng, 40, 3)
    sizes = rng.integers(0, 4, len(codes))
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    target = np.concatenate([rng.permutation(6)[:size] for size in sizes])
    count = rng.integers(1, 5, target.size)
    found, targets, counts = pooled_cells(codes, offsets, target, count)
    for place, one in enumerate(codes):
        expected = {}
        for other in range(len(codes)):
            if match(one, codes[other]):
                for cell in range(offsets[other], offsets[other + 1]):
                    expected[int(target[cell])] = expected.get(int(target[cell]), 0) + int(count[cell])
        cells = slice(found[place], found[place + 1])
        assert dict(zip(targets[cells].tolist(), counts[cells].tolist(), strict=True)) == expected
