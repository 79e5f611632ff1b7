"""Orders and ranks of many numbers, against numpy's."""

import numpy as np
import pytest

from sdc.statistics.distances.dependence import Correlation, correlation
from sdc.statistics.distances.ordering import canonical_order, key_order, lexicographic, ranked

RNG = np.random.default_rng(4)


def numbers(rows: int) -> list[np.ndarray]:
    """Ties, none, signs, all sizes, sizes that differ in their last bits, ranges that overflow, and infinities."""
    return [
        RNG.random(rows),
        np.zeros(rows),
        RNG.integers(-3, 3, rows).astype(float),
        np.exp(50 * RNG.normal(size=rows)),
        np.append(1e300, RNG.random(rows))[:rows],
        RNG.normal(size=rows) * 1e-310,
        np.where(RNG.random(rows) < 0.5, 1e308, -1e308),
        np.where(RNG.random(rows) < 0.5, 0.0, -0.0),
        1e9 + np.round(RNG.random(rows) * 1e-4, 7),
        np.where(RNG.random(rows) < 0.1, np.inf, RNG.random(rows)),
        np.where(RNG.random(rows) < 0.1, -np.inf, RNG.random(rows)),
    ]


@pytest.mark.parametrize("rows", [0, 1, 2, 7, 3000, 20_001])
def test_ranks_are_places_among_the_distinct(rows: int) -> None:
    for values in numbers(rows):
        assert ranked(values).tolist() == np.unique(values, return_inverse=True)[1].tolist()


@pytest.mark.parametrize("largest", [5, 2**40, 2**62])
def test_keys_are_ordered_whether_or_not_they_leave_room_for_places(largest: int) -> None:
    keys = RNG.integers(0, largest, 5000)
    assert key_order(keys).tolist() == np.argsort(keys, kind="stable").tolist()


def test_a_lexicographic_key_ascends_as_rows_do_however_many_columns() -> None:
    ranks = RNG.integers(0, 50_000, (6, 300)).astype(np.int32)
    ranks[0] %= 3
    assert np.argsort(lexicographic(ranks), kind="stable").tolist() == np.lexsort(ranks[::-1]).tolist()


def records(rows: int) -> list[np.ndarray]:
    """Many equal records, some that differ in one value, missing ones, and zeros of both signs."""
    number = RNG.integers(0, 4, rows) / 4
    number[RNG.random(rows) < 0.2] = np.nan
    number[RNG.random(rows) < 0.2] = -0.0
    return [RNG.integers(-1, 3, rows).astype(np.int32), number, RNG.integers(0, 2, rows).astype(bool)]


def along(columns: list[np.ndarray]) -> list[tuple[float, ...]]:
    order = canonical_order(columns)
    assert sorted(order.tolist()) == list(range(order.size))
    told = [
        np.where(np.isnan(column[order]), -9, column[order]) + 0.0
        for column in (each.astype(float) for each in columns)
    ]
    return list(zip(*(each.tolist() for each in told), strict=True))


@pytest.mark.parametrize("mixed", [True, False])
def test_the_canonical_order_is_one_of_values_whatever_order_records_came_in(
    mixed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where all records share a mix, so that their values decide."""
    if not mixed:
        monkeypatch.setattr("sdc.kernels.ordering.mix_in", lambda *_: None)
    columns = records(2000)
    found = along(columns)
    shuffled = RNG.permutation(2000)
    assert along([column[shuffled] for column in columns]) == found
    first = {record: place for place, record in reversed(list(enumerate(found)))}
    assert all(place - first[record] < found.count(record) for place, record in enumerate(found)), (
        "equal records are together"
    )


@pytest.mark.parametrize("mixed", [True, False])
def test_the_canonical_order_is_the_same_in_any_unit(mixed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not mixed:
        monkeypatch.setattr("sdc.kernels.ordering.mix_in", lambda *_: None)
    code, number, truth = records(2000)
    order = canonical_order([code, number, truth]).tolist()
    for other in (1024 * number, number / 7, 9 * number / 5 + 32):
        assert canonical_order([code, other, truth]).tolist() == order


def test_equal_records_keep_the_order_they_came_in() -> None:
    assert canonical_order([np.zeros(50), np.ones(50)]).tolist() == list(range(50))


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
