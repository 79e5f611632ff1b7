from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from sdc.statistics.estimates.rates import Rate, beyond_control, difference


@pytest.mark.parametrize(
    ("successes", "trials"), [(0, 10), (1, 10), (81, 263), (15, 148), (148, 148), (999, 2000)]
)
def test_rates_have_wilsons_interval(successes, trials):
    reference = binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    rate = Rate(successes, trials)
    assert (rate.low, rate.high) == pytest.approx((reference.low, reference.high), abs=1e-12)
    assert rate.low <= rate.value <= rate.high


def test_without_trials_nothing_is_known():
    assert (Rate(0, 0).value, Rate(0, 0).low, Rate(0, 0).high) == (0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((0, 10), (0, 20), -0.1611, 0.2775),
    ],
)
def test_differences_have_the_intervals_printed_by_newcombe_1998_table_ii(one, other, low, high):
    found = difference(Rate(*one), Rate(*other))
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


def test_success_beyond_control_is_the_share_of_those_who_escape_the_control():
    assert beyond_control(Rate(60, 100), Rate(20, 100)).value == pytest.approx(0.5)


def test_less_success_than_the_control_is_none():
    found = beyond_control(Rate(10, 100), Rate(20, 100))
    assert (found.value, found.low) == (0.0, 0.0)
    assert 0 < found.high < 0.1


def test_a_control_that_gets_everyone_says_nothing():
    assert vars(beyond_control(Rate(5, 5), Rate(5, 5))) == {"value": 0.0, "low": 0.0, "high": 1.0}


def test_more_attacks_make_the_interval_narrower():
    few, many = (beyond_control(Rate(0.3 * n, n), Rate(0.1 * n, n)) for n in (100, 10_000))
    assert few.low < many.low < many.value < many.high < few.high


@pytest.mark.parametrize(("attack", "control"), [(0.05, 0.02), (0.4, 0.3), (0.9, 0.5)])
def test_the_interval_covers_the_truth_in_about_95_of_100_samples(attack, control):
    rng = np.random.default_rng(1)
    truth = (attack - control) / (1 - control)
    drawn = zip(rng.binomial(1000, attack, 2000), rng.binomial(400, control, 2000), strict=True)
    found = [beyond_control(Rate(int(one), 1000), Rate(int(other), 400)) for one, other in drawn]
    assert np.mean([each.low <= truth <= each.high for each in found]) == pytest.approx(0.95, abs=0.02)
