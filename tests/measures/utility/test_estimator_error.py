"""estimator_error against formulas and a plain bootstrap."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.assess import assess
from sdc.measures.utility.estimator_error import estimator_error
from sdc.statistics.estimates.bootstrap_moments import bootstrap_mean, bootstrap_median, bootstrap_share_below


def rng():
    return np.random.default_rng(17)


def test_noise_raises_the_variance_of_the_mean_as_the_lecture_says(pair_of):
    """Var of the mean is (s² + s_Z²) / n.

    Exactly so when the noise is centred and uncorrelated in the sample.
    """
    basis = np.linalg.qr(np.column_stack([np.ones(200), rng().normal(size=(200, 2))]))[0]
    x, noise = basis[:, 1] * 10, basis[:, 2] * 5
    found = estimator_error(pair_of({"x": x}, {"x": x + noise}), estimators=["mean"], rng=rng())
    assert found.value == pytest.approx((100 + 25) / 100)
    assert found.parts["bias.mean.x"] == pytest.approx(0, abs=1e-12)


def test_moments_are_those_of_a_plain_bootstrap():
    values = rng().exponential(size=61)
    samples = rng().choice(values, (40_000, 61))
    for found, theirs in [
        (bootstrap_mean(values), samples.mean(axis=1)),
        (bootstrap_share_below(values, 0.5), (samples <= 0.5).mean(axis=1)),
        (bootstrap_median(np.sort(values), 40_000, rng()), np.median(samples, axis=1)),
        (
            bootstrap_median(np.sort(values[:60]), 40_000, rng()),
            np.median(rng().choice(values[:60], (40_000, 60)), axis=1),
        ),
    ]:
        assert found.mean == pytest.approx(theirs.mean(), abs=0.004)
        assert found.variance == pytest.approx(theirs.var(), rel=0.05)


def test_a_biased_median_shows_as_bias(pair_of):
    x = np.arange(1.0, 102.0)
    found = estimator_error(pair_of({"x": x}, {"x": x + 5}), rng=rng())
    assert found.parts["bias.median.x"] == pytest.approx(5, abs=0.6)
    assert found.parts["mse.mean.x"] == pytest.approx(found.parts["variance.mean.x"] + 25)


def test_identical_tables_give_exactly_one_in_any_order(pair_of):
    x = rng().normal(size=101)
    assert assess("estimator_error", pair_of({"x": x}, {"x": x[::-1]})).value == 1


def test_a_constant_that_stays_one_gives_one_and_else_there_is_nothing_to_compare_with(pair_of):
    assert estimator_error(pair_of({"x": [1.0, 1.0]}, {"x": [1.0, 1.0]}), rng=rng()).value == 1
    assert isinstance(estimator_error(pair_of({"x": [1.0, 1.0]}, {"x": [1.0, 2.0]}), rng=rng()), NotAssessed)


def test_the_distribution_function_at_a_chosen_point_with_its_interval_and_test(pair_of):
    """As in the lecture: 3 of 10 values are at or below 3, and 6 of 10.

    Z of 0.3 against 0.5 is -0.2 sqrt(10) / 0.5.
    """
    x, y = np.arange(1.0, 11.0), np.array([1.0, 2, 3, 3, 3, 3, 7, 8, 9, 10])
    found = estimator_error(
        pair_of({"x": x}, {"x": y}), x0={"x": 3}, p={"x": 0.5}, level=0.9, rng=rng()
    ).parts
    for side, share in (("original", 0.3), ("candidate", 0.6)):
        low, high = stats.norm.interval(0.9, share, np.sqrt(share * (1 - share) / 10))
        assert found[f"{side}.share_below.x"] == pytest.approx(share, rel=1e-12)
        assert (found[f"{side}.share_below_low.x"], found[f"{side}.share_below_high.x"]) == pytest.approx(
            (low, high), rel=1e-9
        )
        assert found[f"{side}.share_below_p.x"] == pytest.approx(
            2 * stats.norm.sf(abs(share - 0.5) * np.sqrt(10) / 0.5), rel=1e-9
        )
    assert found["original.mean.x"] == 5.5
    assert found["candidate.median.x"] == 3


def test_a_share_to_test_needs_its_point(pair_of):
    pair = pair_of({"x": [1, 2], "y": ["a", "b"]}, {"x": [1, 2], "y": ["a", "b"]})
    assert estimator_error(pair, p={"x": 0.5}, rng=rng()).reason == "p is given of x, and no x0 of it"
    assert estimator_error(pair, x0={"y": 1}, rng=rng()).reason == "x0 is given of y, which is not compared"
    assert (
        estimator_error(pair, x0={"x": 1}, estimators=["mean"], rng=rng()).reason
        == "x0 is given, and share_below is not among the estimators"
    )
