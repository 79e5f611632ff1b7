from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from sdc.statistics.attribution.membership import area_under_curve, best_threshold, called_members


def test_the_area_is_mann_and_whitneys():
    rng = np.random.default_rng(2)
    members, others = rng.integers(0, 12, 80).astype(float), rng.integers(3, 15, 50).astype(float)
    reference = mannwhitneyu(others, members).statistic / (80 * 50)
    assert area_under_curve(members, others) == pytest.approx(reference)


def test_the_threshold_gains_most():
    # Up to 1: 2/4 - 0; up to 2: 3/4 - 1/4; up to 3: 3/4 - 2/4. The first of the two best.
    assert best_threshold(np.array([1.0, 1.0, 2.0, 9.0]), np.array([2.0, 3.0, 8.0, 9.0])) == 1.0


def test_nobody_is_called_where_no_threshold_gains():
    assert best_threshold(np.array([5.0, 6.0]), np.array([1.0, 2.0])) < 0


def test_people_are_judged_by_the_threshold_of_the_other_half():
    members, others = np.zeros(10), np.full(7, 3.0)
    called, wrongly = called_members(members, others, np.random.default_rng(0))
    assert called.all()
    assert not wrongly.any()


def test_without_a_difference_members_are_called_as_often_as_others():
    rng = np.random.default_rng(5)
    shares = []
    for _ in range(200):
        called, wrongly = called_members(rng.random(100), rng.random(100), rng)
        shares.append(called.mean() - wrongly.mean())
    assert abs(np.mean(shares)) < 3 * np.std(shares) / np.sqrt(200)
