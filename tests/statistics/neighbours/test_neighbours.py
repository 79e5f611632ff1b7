from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.neighbours.search import Neighbours, between
from sdc.statistics.neighbours.space import ABSOLUTE, CODE, SQUARED, Axis, Space, points


def columns(number, seed, numbers, categories, levels=4):
    rng = np.random.default_rng(seed)
    made = [
        np.where(rng.random(number) < 0.1, np.nan, rng.integers(0, 30, number) * 0.1) for _ in range(numbers)
    ]
    return [*made, *(rng.integers(-1, levels, number) for _ in range(categories))]


def every_pair(space, one, other):
    """All sums, a term at a time and by the definition."""
    total = np.zeros((one.shape[1], other.shape[1]))
    for kind, factor, mine, theirs in zip(space.kinds, space.factors, one, other, strict=True):
        a, b = mine[:, None], theirs[None, :]
        blank, either = (a == 0, b == 0) if kind == CODE else (np.isnan(a), np.isnan(b))
        away = (a != b) * 1.0 if kind == CODE else np.abs(a - b) * factor
        away = away**2 if kind == SQUARED else np.minimum(away, 1.0)
        one_blank = 0.0 if space.wildcard else 1.0
        total += np.where(blank & either, 0.0, np.where(blank | either, one_blank, away))
    return total


@pytest.fixture(params=["gower", "euclidean"])
def distance(request):
    return request.param


@pytest.fixture(
    params=[(3, 3, 4), (0, 4, 3), (2, 0, 0), (1, 2, 300)],
    ids=["mixed", "categories", "numbers", "many categories"],
)
def tables(request, distance):
    """Axes, 300 queries and 500 records, with ties and duplicates in plenty."""
    numbers, categories, levels = request.param
    mine, theirs = columns(300, 1, numbers, categories, levels), columns(500, 2, numbers, categories, levels)
    axes = [
        Axis.of_numbers(a, b, distance) if place < numbers else Axis(CODE)
        for place, (a, b) in enumerate(zip(mine, theirs, strict=True))
    ]
    kinds = Space.of(axes).kinds
    return axes, points(mine, kinds), points(theirs, kinds)


@pytest.fixture(params=[False, True], ids=["own_category", "wildcard"])
def searched(request, tables):
    axes, mine, theirs = tables
    space = Space.of(axes, wildcard=request.param)
    return Neighbours(space, theirs), mine, every_pair(space, mine, theirs)


def test_the_nearest_records_are_those_of_a_search_through_all(searched):
    neighbours, queries, all_sums = searched
    assert np.array_equal(neighbours.nearest(queries, 3), np.sort(all_sums, axis=1)[:, :3])


def test_ranks_are_those_of_a_search_through_all(searched):
    neighbours, queries, all_sums = searched
    own = between(neighbours.space, queries, neighbours.points[:, :300])
    assert np.array_equal(own, np.diagonal(all_sums))
    nearer, as_near = neighbours.ranks(queries, own, enough=10_000)
    closer = all_sums < own[:, None] * (1 - 1e-9)
    assert np.array_equal(nearer, closer.sum(axis=1))
    assert np.array_equal(as_near, ((all_sums <= own[:, None] * (1 + 1e-9)) & ~closer).sum(axis=1))


def test_counting_may_end_once_enough_are_nearer(searched):
    neighbours, queries, all_sums = searched
    own = np.median(all_sums, axis=1)
    nearer, _ = neighbours.ranks(queries, own, enough=2)
    assert ((nearer >= 2) == ((all_sums < own[:, None] * (1 - 1e-9)).sum(axis=1) >= 2)).all()


def test_guesses_are_the_mode_or_the_lower_median_of_all_nearest(searched):
    neighbours, queries, all_sums = searched
    rng = np.random.default_rng(3)
    codes, numbers = rng.integers(0, 5, 500), rng.normal(size=500)
    nearest = all_sums <= all_sums.min(axis=1, keepdims=True) * (1 + 1e-9)
    assert neighbours.guesses(queries, codes, 5).tolist() == [
        np.bincount(codes[row], minlength=5).argmax() for row in nearest
    ]
    assert neighbours.guesses(queries, numbers).tolist() == [
        np.sort(numbers[row])[(row.sum() - 1) // 2] for row in nearest
    ]


def test_records_near_on_two_sets_of_variables_are_found(searched):
    neighbours, queries, _ = searched
    space, split = neighbours.space, 1
    halves = [
        Space(space.kinds[part], space.factors[part], space.wildcard)
        for part in (slice(split), slice(split, None))
    ]
    sums = [
        every_pair(half, queries[part], neighbours.points[part])
        for half, part in zip(halves, (slice(split), slice(split, None)), strict=True)
    ]
    radius = np.column_stack([each.min(axis=1) for each in sums])
    met = (sums[0] <= radius[:, :1] * (1 + 1e-9)) & (sums[1] <= radius[:, 1:] * (1 + 1e-9))
    assert np.array_equal(neighbours.meet(queries, split, radius), met.any(axis=1))


def test_distances_do_not_depend_on_the_threads(searched, monkeypatch):
    neighbours, queries, _ = searched
    first = neighbours.nearest(queries, 2)
    monkeypatch.setattr("sdc.kernels.processors.in_parts.__defaults__", (7,))
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    assert np.array_equal(neighbours.nearest(queries, 2), first)


def test_a_number_outside_the_range_counts_no_more_than_a_whole_difference():
    axis = Axis.of_numbers(np.array([0.0, 10.0]), np.array([5.0]), "gower")
    space = Space.of([axis])
    assert between(space, np.array([[25.0]]), np.array([[0.0]])).tolist() == [1.0]
    assert between(space, np.array([[7.0]]), np.array([[5.0]])) == pytest.approx([0.2])


def test_infinite_numbers_are_missing():
    assert np.isnan(points([np.array([np.inf, -np.inf, np.nan])], np.array([1]))).all()


def test_a_single_record_is_its_own_neighbour_and_has_no_second():
    space = Space.of([Axis(CODE)])
    assert Neighbours(space, np.array([[1.0]])).nearest(np.array([[2.0]]), 2).tolist() == [[1.0, np.inf]]


def test_lengths_are_means_for_gower_and_roots_for_euclid():
    assert Space.of([Axis(CODE), Axis(CODE)]).lengths(np.array([1.0])).tolist() == [0.5]
    assert Space.of([Axis(SQUARED), Axis(CODE)]).lengths(np.array([4.0])).tolist() == [2.0]


def test_records_that_are_all_equal_can_be_searched():
    same = np.vstack([np.full(500, 0.1), np.full(500, 3.0), np.full(500, np.nan)])
    space = Space.of([Axis(ABSOLUTE), Axis(CODE), Axis(ABSOLUTE)])
    assert Neighbours(space, same).nearest(same[:, :2], 2).tolist() == [[0.0, 0.0]] * 2
    nearer, as_near = Neighbours(space, same).ranks(same[:, :2], np.zeros(2), enough=3)
    assert (nearer.tolist(), as_near.tolist()) == ([0, 0], [500, 500])
