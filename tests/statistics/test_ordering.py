"""Orders and ranks of many numbers, against numpy's."""

import numpy as np
import pytest

from sdc.statistics.dependence import Correlation, correlation
from sdc.statistics.ordering import key_order, lexicographic, plane_order, ranked, sorting_order

RNG = np.random.default_rng(4)


def numbers(rows: int) -> list[np.ndarray]:
    """Ties, none, signs, sizes that fall on one whole number, and ranges that overflow."""
    return [
        RNG.random(rows),
        np.zeros(rows),
        RNG.integers(-3, 3, rows).astype(float),
        np.exp(50 * RNG.normal(size=rows)),
        np.append(1e300, RNG.random(rows))[:rows],
        RNG.normal(size=rows) * 1e-310,
        np.where(RNG.random(rows) < 0.5, 1e308, -1e308),
        np.where(RNG.random(rows) < 0.5, 0.0, -0.0),
    ]


@pytest.mark.parametrize("rows", [0, 1, 2, 7, 3000, 20_001])
def test_the_order_is_that_of_a_stable_sort_and_ranks_are_places_among_the_distinct(rows: int) -> None:
    for values in numbers(rows):
        assert sorting_order(values).tolist() == np.argsort(values, kind="stable").tolist()
        distinct, ranks = ranked(values)
        expected, places = np.unique(values, return_inverse=True)
        assert distinct.tolist() == expected.tolist()
        assert ranks.tolist() == places.tolist()


@pytest.mark.parametrize("largest", [5, 2**40, 2**62])
def test_keys_are_ordered_whether_or_not_they_leave_room_for_places(largest: int) -> None:
    keys = RNG.integers(0, largest, 5000)
    assert key_order(keys).tolist() == np.argsort(keys, kind="stable").tolist()


def test_points_are_in_lexicographic_order_with_the_ranks_of_their_second_coordinate() -> None:
    for x in numbers(400):
        y = RNG.integers(0, 9, 400).astype(float)
        order, ranks, starts = plane_order(x, y)
        assert order.tolist() == np.lexsort([y, x]).tolist()
        assert ranks.tolist() == np.unique(y, return_inverse=True)[1][order].tolist()
        assert starts.size == np.unique(np.column_stack([x, y]) + 0.0, axis=0).shape[0]


def test_a_lexicographic_key_ascends_as_rows_do_however_many_columns() -> None:
    ranks = RNG.integers(0, 50_000, (6, 300)).astype(np.int32)
    ranks[0] %= 3
    assert np.argsort(lexicographic(ranks), kind="stable").tolist() == np.lexsort(ranks[::-1]).tolist()


@pytest.mark.parametrize("levels", [2, 5, 10_000_000])
def test_kendalls_tau_is_scipys_with_and_without_ties(levels: int) -> None:
    from scipy.stats import kendalltau

    for rows in (3, 20, 500, 3000):
        x = RNG.integers(0, levels, rows).astype(float)
        x[0], x[1] = 0, 1
        y = RNG.permutation(x) + x * RNG.integers(-1, 2)
        y[0], y[1] = 5, 6
        assert correlation(x, y, Correlation.KENDALL) == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


def test_tau_is_one_in_order_and_minus_one_against_it() -> None:
    x = np.arange(70_000.0)
    assert correlation(x, x**2, Correlation.KENDALL) == 1.0
    assert correlation(x, -x, Correlation.KENDALL) == -1.0
