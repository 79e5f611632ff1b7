"""estimator_error against formulas and a plain bootstrap."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.assess import assess
from sdc.measurement import NotAssessed
from sdc.measures.utility.estimator_error import estimator_error
from sdc.statistics.bootstrap_moments import bootstrap_mean, bootstrap_median, bootstrap_share_below


def rng():
    return np.random.default_rng(17)


def test_noise_raises_the_variance_of_the_mean_as_the_lecture_says(pair_of):
    """Var of the mean is (s² + s_Z²) / n: exactly so when the noise is centred and uncorrelated in the sample."""
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
        (bootstrap_median(np.sort(values[:60]), 40_000, rng()), np.median(rng().choice(values[:60], (40_000, 60)), axis=1)),
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
