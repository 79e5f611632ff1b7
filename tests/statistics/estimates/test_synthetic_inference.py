"""Are m synthetic tables combined by the published rules? Values are worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.statistics.estimates.synthetic_inference import CombiningRule, combined

ESTIMATES = np.array([[10.0], [12.0], [14.0]])
"""q̄ = 12, b = (4 + 0 + 4) / 2 = 4."""
VARIANCES = np.array([[1.0], [2.0], [3.0]])
"""v̄ = 2."""


@pytest.mark.parametrize(
    ("rule", "size_ratio", "variance"),
    [
        ("simple", 1.0, 2 * (1 + 1 / 3)),
        ("simple", 0.5, 2 * (0.5 + 1 / 3)),
        ("proper", 1.0, 2 * (1 + 2 / 3)),
        ("proper", 0.5, 2 * (0.5 + 1.5 / 3)),
        ("partial", 1.0, 2 + 4 / 3),
        ("full", 1.0, 4 * 4 / 3 - 2),
    ],
)
def test_variances_follow_the_published_formulas(
    rule: CombiningRule, size_ratio: float, variance: float
) -> None:
    found = combined(rule, ESTIMATES, VARIANCES, size_ratio=size_ratio)
    assert found.estimates.tolist() == [12]
    assert found.variances[0] == pytest.approx(variance)


def test_degrees_of_freedom_are_those_of_reiter_and_of_raghunathan_reiter_and_rubin() -> None:
    partial = combined("partial", ESTIMATES, VARIANCES, size_ratio=1)
    full = combined("full", ESTIMATES, VARIANCES, size_ratio=1)
    assert partial.degrees[0] == pytest.approx(2 * (1 + 2 / (4 / 3)) ** 2)  # 12.5
    assert full.degrees[0] == pytest.approx(2 * (1 - 2 / (16 / 3)) ** 2)  # 0.78125


def test_a_variance_that_would_be_negative_is_that_of_one_synthesis_scaled() -> None:
    found = combined("full", ESTIMATES, VARIANCES * 10, size_ratio=0.5)
    assert found.variances.tolist() == [10]  # 16/3 - 20 is negative; k/n times v̄ = 0.5 * 20
    assert np.isinf(found.degrees).all()


def test_intervals_have_t_quantiles_where_the_rule_has_degrees_of_freedom() -> None:
    partial = combined("partial", ESTIMATES, VARIANCES, size_ratio=1)
    # t with 12.5 degrees at 97.5 %: between 2.1788 (12) and 2.1604 (13) of the tables
    assert 2.1604 < partial.halves(0.95)[0] / np.sqrt(10 / 3) < 2.1788
    simple = combined("simple", ESTIMATES, VARIANCES, size_ratio=1)
    assert simple.halves(0.95)[0] == pytest.approx(1.959964 * np.sqrt(8 / 3), rel=1e-6)


def test_rules_that_need_the_variance_between_refuse_a_single_synthesis() -> None:
    with pytest.raises(ValueError, match="needs two"):
        combined("partial", ESTIMATES[:1], VARIANCES[:1], size_ratio=1)


def test_intervals_of_the_right_rule_cover_the_truth_and_those_of_the_wrong_one_do_not() -> None:
    """The mean of a normal law, synthesised properly: n = k = 200, m = 5, 2,000 repetitions."""
    rng = np.random.default_rng(20260)
    n, m, repetitions = 200, 5, 2000
    means = rng.normal(0, 1 / np.sqrt(n), repetitions)
    drawn = rng.normal(means, 1 / np.sqrt(n), (m, repetitions))
    synthetic = rng.normal(drawn, 1 / np.sqrt(n))
    variances = np.full(synthetic.shape, 1 / n)

    def coverage(rule: CombiningRule) -> float:
        found = combined(rule, synthetic, variances, size_ratio=1)
        return float((np.abs(found.estimates) <= found.halves(0.95)).mean())

    assert 0.93 < coverage("proper") < 0.97
    assert coverage("simple") < 0.93
