from __future__ import annotations

import numpy as np
import pytest

from sdc.kernels.mdav import mdav
from sdc.statistics.microaggregation.grouping import (
    Features,
    TooFew,
    consecutive,
    grouped,
    projection,
    representative,
)


def distances(points, q, kinds):
    parts = np.zeros((len(points), len(kinds)))
    for j, kind in enumerate(kinds):
        difference = points[:, j] - q[j]
        parts[:, j] = difference**2 if kind == 0 else np.abs(difference) if kind == 1 else difference != 0
    total = np.zeros(len(points))
    for j in range(len(kinds)):
        total += parts[:, j]
    return total


def brute_force(points, kinds, k):
    """The rule of Domingo-Ferrer and Torra, every distance computed; of equals the lowest row."""
    group = np.full(len(points), -1)
    made = 0

    def take(start):
        nonlocal made
        rows = np.flatnonzero(group < 0)
        near = rows[
            np.lexsort([rows, np.where(rows == start, -1.0, distances(points[rows], points[start], kinds))])
        ][:k]
        group[near] = made
        made += 1

    def far(q):
        rows = np.flatnonzero(group < 0)
        away = distances(points[rows], q, kinds)
        return rows[np.flatnonzero(away == away.max())[0]]

    while (left := np.count_nonzero(group < 0)) >= 2 * k:
        rows = np.flatnonzero(group < 0)
        centre = [
            np.bincount(points[rows, j].astype(int)).argmax() if kind == 2 else points[rows, j].sum() / left
            for j, kind in enumerate(kinds)
        ]
        first = far(np.array(centre, dtype=float))
        take(first)
        if left >= 3 * k:
            take(far(points[first]))
    group[group < 0] = made
    return group


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("columns", [1, 2, 5])
def test_mdav_makes_the_groups_of_brute_force(k, columns):
    for seed in range(4):
        rng = np.random.default_rng([seed, k, columns])
        points = rng.normal(size=(int(rng.integers(1, 400)), columns))
        kinds = np.zeros(columns, dtype=np.int8)
        assert mdav(points, kinds, k).tolist() == brute_force(points, kinds, k).tolist()


@pytest.mark.parametrize("k", [2, 3, 4])
def test_mdav_makes_the_groups_of_brute_force_where_nearly_all_distances_tie(k):
    for seed in range(6):
        rng = np.random.default_rng([seed, k])
        points = rng.integers(0, 4, size=(300, 3)).astype(float)
        for kinds in ([0, 0, 0], [1, 1, 1], [1, 2, 2], [2, 2, 2]):
            held = np.array(kinds, dtype=np.int8)
            assert mdav(points, held, k).tolist() == brute_force(points, held, k).tolist()


def test_heavy_tails_and_clusters_are_grouped_like_by_brute_force():
    rng = np.random.default_rng(2)
    tails = rng.standard_t(1.5, size=(600, 4))
    clusters = rng.normal(size=(600, 4)) * 0.01 + rng.integers(0, 3, size=(600, 1)) * 10
    for points in (tails, clusters):
        kinds = np.zeros(4, dtype=np.int8)
        assert mdav(points, kinds, 3).tolist() == brute_force(points, kinds, 3).tolist()


def test_runs_of_k_end_in_a_group_that_takes_the_rest():
    assert consecutive(np.array([5.0, 1, 4, 2, 3, 9, 8, 7]), 3).tolist() == [1, 0, 1, 0, 0, 1, 1, 1]
    assert consecutive(np.array([2.0, 1.0]), 3).tolist() == [0, 0]


def test_the_first_principal_component_has_the_variance_scipy_finds():
    from scipy import linalg

    points = np.random.default_rng(0).normal(size=(200, 3)) @ np.array(
        [[1.0, 0.5, 0], [0, 1, 0.3], [0, 0, 2]]
    )
    largest = linalg.eigvalsh(np.corrcoef(points.T))[-1]
    assert np.var(projection(points, "principal_component")) == pytest.approx(largest)
    scores = (points - points.mean(axis=0)) / points.std(axis=0)
    assert projection(points, "z_score_projection") == pytest.approx(scores.sum(axis=1))


def test_every_group_has_k_values_of_each_column_whatever_is_missing():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(int(rng.integers(10, 60)), 4))
        values[rng.random(values.shape) < rng.choice([0.05, 0.3, 0.7])] = np.nan
        k = int(rng.integers(2, 5))
        if any(0 < count < k for count in (~np.isnan(values)).sum(axis=0)):
            continue
        for grouping in ("mdav", "z_score_projection", "principal_component", "univariate"):
            group = grouped(Features.numeric(list(values.T)), np.arange(len(values)), k, grouping)
            assert ((group < 0) == np.isnan(values)).all()
            for column in group.T:
                assert np.unique(column[column >= 0], return_counts=True)[1].min(initial=k) >= k


def test_a_column_with_fewer_values_than_k_is_refused():
    values = np.array([[1.0, np.nan], [2.0, 5.0], [3.0, np.nan]])
    with pytest.raises(TooFew) as refused:
        grouped(Features.numeric(list(values.T)), np.arange(3), 2, "mdav")
    assert (refused.value.column, refused.value.observed) == (1, 1)


def test_what_stands_for_a_group_is_its_mean_lower_median_or_first_mode():
    values, group = np.array([0.1, 0.1, 0.1, 4.0, 1.0, 7.0, 2.0, np.nan]), np.array([0, 0, 0, 1, 1, 1, 1, -1])
    mean = representative(values, group, nominal=False)
    assert mean[:3].tolist() == [0.1, 0.1, 0.1]
    assert mean[3:7].tolist() == [3.5] * 4
    assert np.isnan(mean[7])
    assert representative(values, group, nominal=False, median=True)[3:7].tolist() == [2.0] * 4
    codes = np.array([2.0, 1, 1, 2, 0, 3, 3, np.nan])
    assert representative(codes, group, nominal=True)[:7].tolist() == [1, 1, 1, 3, 3, 3, 3]
