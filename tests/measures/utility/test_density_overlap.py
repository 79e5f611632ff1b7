"""density_overlap against the normal law and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.utility.density_overlap import density_overlap
from sdc.statistics.distances.density import grid_density, reference_bandwidth


def test_the_density_is_the_sum_of_product_kernels():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 30))
    grid = (np.linspace(-4, 4, 21), np.linspace(-4, 4, 31))
    by_hand = np.array(
        [[sum(stats.norm.pdf(a, x, 0.4) * stats.norm.pdf(b, y, 0.7)) for b in grid[1]] for a in grid[0]]
    )
    found = grid_density(x, y, grid, (0.4, 0.7))
    assert np.abs(found - by_hand / by_hand.sum()).sum() < 0.002


def test_points_on_the_grid_are_smoothed_exactly():
    x, y = np.array([0.0, 1.0]), np.array([1.0, -1.0])
    grid = (np.linspace(-2, 2, 5), np.linspace(-2, 2, 5))
    by_hand = np.array(
        [[sum(stats.norm.pdf(a, x, 1) * stats.norm.pdf(b, y, 1)) for b in grid[1]] for a in grid[0]]
    )
    assert grid_density(x, y, grid, (1.0, 1.0)) == pytest.approx(by_hand / by_hand.sum(), rel=1e-12)


def test_the_bandwidth_is_the_reference_rule():
    values = np.random.default_rng(2).normal(size=1000)
    assert reference_bandwidth(values) == pytest.approx(1.06 * 1000**-0.2, rel=0.1)
    assert reference_bandwidth(np.array([0.0] * 9 + [1.0])) == pytest.approx(
        1.06 * np.std([0] * 9 + [1], ddof=1) * 10**-0.2
    )


def test_two_shifted_normals_overlap_as_their_laws_do(pair_of):
    """Shifted by d in one coordinate, the overlap of unit normals is 2 Phi(-d / 2)."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 20_000))
    found = density_overlap(pair_of({"x": x, "y": y}, {"x": x + 1, "y": y}), grid=80)
    assert found.value == pytest.approx(2 * stats.norm.cdf(-0.5), abs=0.02)


def test_a_permuted_column_loses_the_contours_and_keeps_the_margins(pair_of):
    rng = np.random.default_rng(4)
    x = rng.normal(size=2000)
    y = x + 0.3 * rng.normal(size=2000)
    found = density_overlap(pair_of({"x": x, "y": y}, {"x": x, "y": rng.permutation(y)}))
    assert found.value < 0.6


def test_only_the_pairs_named_are_compared(golden_pair):
    found = density_overlap(golden_pair("noise"), pairs=[("spending", "wealth")])
    assert list(found.parts) == ["mean", "pairs_left_out", "overlap.spending.wealth"]


def test_a_variable_that_does_not_vary_has_no_contours(pair_of):
    table = {"x": [1.0, 1.0, 1.0], "y": [1.0, 2.0, 3.0]}
    assert isinstance(density_overlap(pair_of(table, table)), NotAssessed)


def test_a_pair_of_values_few_records_have_is_left_out_and_one_the_candidate_lost_overlaps_by_nothing(
    pair_of,
):
    rng = np.random.default_rng(6)
    x, y, z = rng.normal(size=(3, 100))
    rare = np.where(np.arange(100) < 5, x, np.nan)
    before = {"x": x, "y": y, "rare": rare}
    found = density_overlap(pair_of(before, {**before, "rare": -50 * rare}))
    assert (found.value, found.parts["pairs_left_out"]) == (1, 2)
    assert density_overlap(pair_of(before, {**before, "rare": -50 * rare}), pairs=[("x", "rare")]).value < 0.5
    apart = {"x": np.where(z < 0, x, np.nan), "y": np.where(z < 0, np.nan, y)}
    assert density_overlap(pair_of({"x": x, "y": y}, apart)).value == 0
