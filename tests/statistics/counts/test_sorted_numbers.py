"""Sorted numbers are counted as numpy counts them, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.counts import sorted_numbers
from sdc.statistics.counts.sorted_numbers import (
    count_of,
    frequent_values,
    furthest_apart,
    has_few_values,
    pooled_quantiles,
    without_values,
)

SMALL = np.array([1.0, 2.0, 2.0, 2.0, 5.0])


def test_values_and_their_counts_by_hand():
    assert [has_few_values(SMALL, most) for most in (0, 2, 3)] == [False, False, True]
    assert has_few_values(SMALL[:0], 0)
    assert [count_of(SMALL, value) for value in (0.0, 2.0, 5.0, 9.0)] == [0, 3, 1, 0]
    assert frequent_values(SMALL, 2.5) == [2.0]
    assert frequent_values(SMALL, 0.25) == [1.0, 2.0, 5.0]
    assert frequent_values(SMALL[:0], 0.05) == []
    assert without_values(SMALL, [2.0, 7.0]).tolist() == [1.0, 5.0]
    assert without_values(SMALL, []) is SMALL


def test_where_the_distribution_functions_are_furthest_apart_by_hand():
    assert furthest_apart(SMALL, np.array([2.0, 5.0])) == 2.0, "four fifths beside one half"
    assert furthest_apart(np.array([1.0, 3.0]), np.array([2.0, 4.0])) == 1.0, "of equal gaps the first"


@pytest.mark.parametrize("seed", range(40))
def test_they_are_what_numpy_makes_of_all_numbers_together(seed: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sorted_numbers, "AT_ONCE", 7)
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 60, 2)
    digits = int(rng.integers(0, 4))
    first, second = (np.sort(np.round(rng.normal(size=size), digits)) for size in sizes)
    both = np.concatenate([first, second])
    shares = (0.0, 0.01, 0.02, 0.5, 0.95, 0.99, 1.0, float(rng.random()))
    assert pooled_quantiles(first, second, shares) == tuple(np.quantile(both, shares).tolist())
    assert pooled_quantiles(first, second[:0], shares) == tuple(np.quantile(first, shares).tolist())
    values, counts = np.unique(first, return_counts=True)
    assert frequent_values(first, 0.05 * first.size) == values[counts >= 0.05 * first.size].tolist()
    assert has_few_values(first, 12) == (values.size <= 12)
    gone = values[:: 2 + seed % 3].tolist()
    assert without_values(first, gone).tolist() == first[~np.isin(first, gone)].tolist()
    every = np.unique(both)
    one, other = (np.searchsorted(held, every, "right") / held.size for held in (first, second))
    assert furthest_apart(first, second) == every[np.argmax(np.abs(one - other))]
