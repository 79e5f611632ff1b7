"""The law of the distance under dependence, against cases that are known."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.distances.paired_law import exchanged_distances


def test_two_pairs_have_the_distances_of_their_four_exchanges() -> None:
    """(0, 1) and (2, 3): exchanging both or none gives 1/2 ({0, 2} and {1, 3}), one of them 1/2 as well."""
    found = exchanged_distances(np.array([0.0, 2.0]), np.array([1.0, 3.0]), 50, np.random.default_rng(1))
    assert set(found) == {0.5}
    far = exchanged_distances(np.array([0.0, 1.0]), np.array([8.0, 9.0]), 400, np.random.default_rng(1))
    assert set(far) == {0.5, 1.0}  # {0, 1} against {8, 9} is 1, {0, 9} against {1, 8} is 1/2
    assert abs((far == 1).mean() - 0.5) < 0.08


def test_unchanged_values_have_no_distance() -> None:
    x = np.arange(50.0)
    assert not exchanged_distances(x, x, 20, np.random.default_rng(1)).any()


def test_independent_samples_have_the_law_of_smirnov_and_dependent_ones_a_narrower_one() -> None:
    """1.36 sqrt(2 / n) is exceeded once in twenty by independent samples."""
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 400))
    free = np.quantile(exchanged_distances(x, z, 500, rng), 0.95)
    bound = np.quantile(exchanged_distances(x, x + 0.1 * z, 500, rng), 0.95)
    assert free == pytest.approx(1.36 * np.sqrt(2 / 400), rel=0.12)
    assert bound < free / 2


def test_the_order_of_records_does_not_matter() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 100))
    order = rng.permutation(100)
    first = exchanged_distances(x, y, 30, np.random.default_rng(7))
    second = exchanged_distances(x[order], y[order], 30, np.random.default_rng(7))
    assert first.tolist() == second.tolist()
