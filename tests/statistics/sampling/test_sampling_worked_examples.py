"""Every worked example of the chapter on sampling, with its errata corrected."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from sdc.statistics.sampling.bootstrap import bootstrap
from sdc.statistics.sampling.cholesky_normal import cholesky_factor, cholesky_normal
from sdc.statistics.sampling.conditioning import beta_by_conditioning, conditioning
from sdc.statistics.sampling.discrete_inverse import (
    binary_search,
    discrete_quantile,
    finite,
    infinite,
    linear_search,
)
from sdc.statistics.sampling.interpolation import boxes, linear_one, linear_two
from sdc.statistics.sampling.inverse_transform import inverse_transform
from sdc.statistics.sampling.mixture import mixture
from sdc.statistics.sampling.multivariate_inverse import multivariate_inverse
from sdc.statistics.sampling.rejection import (
    HALF_NORMAL_CONSTANT,
    half_normal_acceptance,
    normal_by_rejection,
    rejection,
)
from sdc.statistics.sampling.smote import between, nearest_neighbours, smote
from sdc.statistics.sampling.spectral_normal import spectral_factor, spectral_normal
from sdc.statistics.sampling.transformation import chi_square

ROWS = 20_000
# The 99.99 % point of the Kolmogorov-Smirnov distance of this many draws.
FAR = 2.23 / math.sqrt(ROWS)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_exponential_draws_by_their_quantile_function(rng):
    """Example 3.2.3."""
    drawn = inverse_transform(lambda level: -np.log1p(-level), ROWS, rng)
    assert stats.kstest(drawn, "expon").statistic < FAR


def test_a_level_equal_to_a_cumulative_probability_belongs_to_the_lower_point(worked_examples):
    """Example 3.2.4."""
    case = worked_examples["Q-3.2.4-Q(1/2)"]
    place = discrete_quantile(np.cumsum(case["inputs"]["probs"]), np.array([case["parameters"]["u"]]))[0]
    assert case["inputs"]["values"][place] == case["recomputed"] == 0


@pytest.mark.parametrize("case", ["Q-3.2.7", "Q-3.2.8-lin-0.15", "Q-3.2.8-lin-0.75", "Q-3.2.8-lin-0.95"])
def test_linear_search_takes_as_many_comparisons_as_places(worked_examples, case):
    held = worked_examples[case]
    assert list(linear_search(held["inputs"]["F"], held["parameters"]["u"])) == held["recomputed"]


@pytest.mark.parametrize(("level", "redundant"), [(0.15, 0), (0.75, 0), (0.95, 1)])
def test_binary_search_halves_and_needs_no_redundant_comparison(worked_examples, level, redundant):
    """The text compares once more at 0.95, with a cumulative probability of 1."""
    held = worked_examples[f"Q-3.2.8-bin-{level}"]
    place, comparisons = binary_search(held["inputs"]["F"], level)
    assert [place, comparisons + redundant] == held["recomputed"]
    assert place == discrete_quantile(np.array(held["inputs"]["F"]), np.array([level]))[0]


def test_finite_draws_have_their_probabilities_and_never_a_point_of_none(rng):
    drawn = finite(np.array([0.0, 0.2, 0.5, 0.0, 0.3]), ROWS, rng)
    shares = np.bincount(drawn, minlength=5) / ROWS
    assert shares == pytest.approx([0, 0.2, 0.5, 0, 0.3], abs=0.02)
    assert shares[[0, 3]].tolist() == [0, 0]


def test_poisson_draws_by_summing_as_far_as_needed(rng):
    """Example 3.2.9."""
    drawn = infinite(lambda k: math.exp(-3) * 3**k / math.factorial(k), ROWS, rng)
    observed = np.bincount(np.minimum(drawn, 10), minlength=11)
    expected = ROWS * np.append(stats.poisson.pmf(range(10), 3), stats.poisson.sf(9, 3))
    assert ((observed - expected) ** 2 / expected).sum() < stats.chi2.isf(1e-4, 10)


def test_two_dependent_exponential_variables(rng):
    """Example 3.2.10.

    Given X1 the second is exponential of rate 1 + 2 X1, so X2 (1 + 2 X1) is standard exponential.
    """
    first, second = multivariate_inverse(
        [lambda level: -np.log1p(-level) / 0.5, lambda level, one: -np.log1p(-level) / (1 + 2 * one)],
        ROWS,
        rng,
    ).T
    assert stats.kstest(first, "expon", (0, 2)).statistic < FAR
    assert stats.kstest(second * (1 + 2 * first), "expon").statistic < FAR
    assert stats.spearmanr(first, second).statistic < -0.2


def test_the_envelope_of_the_half_normal_touches_it_at_one(worked_examples):
    """Example 3.2.12, constant and rule corrected."""
    assert pytest.approx(worked_examples["Q-3.2.12-c"]["recomputed"]) == HALF_NORMAL_CONSTANT
    assert half_normal_acceptance(np.array(1.0)) == worked_examples["Q-3.2.12-accept"]["recomputed"] == 1.0
    x = np.linspace(0, 6, 601)
    ratio = stats.halfnorm.pdf(x) / stats.expon.pdf(x)
    assert half_normal_acceptance(x) == pytest.approx(ratio / HALF_NORMAL_CONSTANT)


def test_normal_draws_by_rejection_have_the_mean_asked_for(rng):
    drawn = normal_by_rejection(1.0, 1.0, ROWS, rng)
    assert stats.kstest(drawn, stats.norm(1, 1).cdf).statistic < FAR


def test_one_in_c_draws_is_kept(rng):
    tried = []

    def envelope(count, stream):
        tried.append(count)
        return stream.standard_exponential(count)

    rejection(half_normal_acceptance, envelope, ROWS, rng)
    assert ROWS / sum(tried) == pytest.approx(math.sqrt(math.pi / (2 * math.e)), abs=0.02)


def test_squares_of_normal_draws_add_up_to_chi_square(rng):
    """Example 3.2.13."""
    assert stats.kstest(chi_square(4, ROWS, rng), "chi2", (4,)).statistic < FAR


def test_beta_draws_by_conditioning(rng, worked_examples):
    """Example 3.2.14, and how often its condition holds."""
    assert stats.kstest(beta_by_conditioning(2, 3, ROWS, rng), "beta", (2, 3)).statistic < FAR
    powers = rng.random((ROWS, 2)) ** (1 / 2, 1 / 3)
    assert (powers.sum(axis=1) < 1).mean() == pytest.approx(
        worked_examples["Q-3.2.14-beta"]["recomputed"], abs=0.01
    )


def test_a_condition_that_never_holds_is_an_error_and_no_endless_loop(rng):
    with pytest.raises(ValueError, match="held for 0 of 5"):
        conditioning(lambda count, stream: stream.random(count), lambda drawn: drawn > 2, 5, rng, tries=3)


def test_a_mixture_has_its_components_in_their_shares(rng):
    drawn = mixture(
        [0.25, 0.75],
        [lambda rows, _: np.zeros(rows), lambda rows, stream: 10 + stream.random(rows)],
        ROWS,
        rng,
    )
    assert (drawn == 0).mean() == pytest.approx(0.25, abs=0.02)
    assert stats.kstest(drawn[drawn > 0] - 10, "uniform").statistic < 2 * FAR


def test_the_normal_family_fitted_and_drawn_by_inversion(rng):
    """Example 3.2.15."""
    observed = np.array([1.0, 3.0, 5.0, 7.0, 9.0])
    mean, deviation = observed.mean(), observed.std(ddof=1)
    drawn = inverse_transform(lambda level: stats.norm.ppf(level, mean, deviation), ROWS, rng)
    assert stats.kstest(drawn, stats.norm(5, math.sqrt(10)).cdf).statistic < FAR


def test_the_cholesky_factor_of_variables_of_very_different_sizes():
    """Variances 1e16 and 1e-4, correlation 0.6: the second column is 0.01 (0.6, 0.8)."""
    covariance = np.array([[1e16, 0.6e6], [0.6e6, 1e-4]])
    assert cholesky_factor(covariance) == pytest.approx(np.array([[1e8, 0], [0.006, 0.008]]))


def test_the_cholesky_factor_and_a_mean_that_is_added_as_declared(rng, worked_examples):
    """Example 3.2.17."""
    case = worked_examples["Q-3.2.17-chol"]
    covariance = np.array(case["inputs"]["Sigma"])
    assert cholesky_factor(covariance) == pytest.approx(np.array(case["recomputed"]))
    drawn = cholesky_normal(np.array([0.0, 1.0]), covariance, ROWS, rng)
    assert drawn.mean(axis=0) == pytest.approx([0, 1], abs=0.04)
    assert np.cov(drawn.T) == pytest.approx(covariance, abs=0.05)


def test_a_singular_covariance_has_a_factor_too():
    covariance = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 3.0]])
    for factor in (cholesky_factor(covariance), spectral_factor(covariance)):
        assert factor @ factor.T == pytest.approx(covariance)


def test_eigenvectors_go_with_their_own_eigenvalues(rng, worked_examples):
    """Example 3.2.19: paired as printed they would give correlation -0.7."""
    case = worked_examples["Q-3.2.19-spectral"]
    vectors, values = np.array(case["inputs"]["Q"]), np.array(case["inputs"]["Lambda"])
    assert vectors @ np.diag(values) @ vectors.T == pytest.approx(np.array(case["recomputed"]))
    covariance = np.array(case["inputs"]["Sigma"])
    factor = spectral_factor(covariance)
    assert (factor**2).sum(axis=0) == pytest.approx([0.3, 1.7])
    assert factor @ factor.T == pytest.approx(covariance)
    drawn = spectral_normal(np.array([1.0, 0.0]), covariance, ROWS, rng)
    assert drawn.mean(axis=0) == pytest.approx([1, 0], abs=0.04)
    assert np.cov(drawn.T) == pytest.approx(covariance, abs=0.05)


def test_the_bootstrap_inverts_the_empirical_distribution_function():
    """Section 3.2.10.

    The record drawn at level u is the one at which the empirical distribution function reaches u.
    """
    values = np.array([1.0, 2.0, 2.0, 5.0])
    levels = np.random.default_rng(3).random(1000)
    by_number = values[bootstrap(4, 1000, np.random.default_rng(3))]
    assert by_number.tolist() == values[discrete_quantile(np.array([0.25, 0.5, 0.75, 1.0]), levels)].tolist()


def test_the_bootstrap_draws_in_proportion_to_weights(rng):
    drawn = bootstrap(3, ROWS, rng, np.array([1.0, 0.0, 3.0]))
    assert np.bincount(drawn, minlength=3) / ROWS == pytest.approx([0.25, 0, 0.75], abs=0.02)


def test_the_nearest_neighbours_and_a_point_between(worked_examples):
    """Example 3.2.20, neighbours and arithmetic corrected."""
    case = worked_examples["Q-3.2.20-nn"]
    assert (
        nearest_neighbours(np.array(case["inputs"]["points"]), case["parameters"]["k"])[0].tolist()
        == case["recomputed"]
    )
    case = worked_examples["Q-3.2.20-point"]
    assert between(case["inputs"]["x"], case["inputs"]["nn"], case["parameters"]["u"]) == pytest.approx(
        case["recomputed"]
    )


def test_smote_draws_lie_on_the_way_to_near_neighbours(rng):
    points = rng.random((50, 2))
    own, other, share = smote(points, 500, 3, rng)
    found = nearest_neighbours(points, 3)
    assert all(other[i] in found[own[i]] for i in range(500))
    assert (own != other).all()
    assert 0 <= share.min() <= share.max() < 1


def test_equal_points_and_lone_points_have_neighbours(rng):
    found = nearest_neighbours(np.zeros((6, 1)), 2)
    assert found.shape == (6, 2)
    assert all(place not in row for place, row in enumerate(found))
    own, other, _ = smote(np.zeros((1, 2)), 4, 3, rng)
    assert own.tolist() == other.tolist() == [0, 0, 0, 0]


def test_interpolation_one_is_the_piecewise_linear_distribution_function(rng):
    values = np.array([1.0, 2.0, 4.0, 8.0])
    drawn = linear_one(values, 0.0, ROWS, rng)
    assert (
        stats.kstest(drawn, lambda x: np.interp(x, [0, 1, 2, 4, 8], [0, 0.25, 0.5, 0.75, 1])).statistic < FAR
    )


def test_interpolation_two_stays_in_the_range_and_fills_the_first_gap_twice(rng):
    values = np.array([1.0, 2.0, 4.0, 8.0])
    drawn = linear_two(values, ROWS, rng)
    assert stats.kstest(drawn, lambda x: np.interp(x, [1, 2, 4, 8], [0, 0.5, 0.75, 1])).statistic < FAR
    assert drawn.min() >= 1
    assert drawn.max() <= 8


def test_boxes_keep_margins_and_dependence(rng):
    """Example 3.2.21."""
    points = cholesky_normal(np.zeros(2), np.array([[1, 0.7], [0.7, 1]]), 1000, rng)
    drawn = boxes(points, ROWS, rng)
    for place in range(2):
        assert stats.ks_2samp(points[:, place], drawn[:, place]).statistic < FAR + 0.005
        assert drawn[:, place].min() >= points[:, place].min()
    assert np.corrcoef(drawn.T)[0, 1] == pytest.approx(np.corrcoef(points.T)[0, 1], abs=0.03)


def test_given_levels_take_the_place_of_uniform_ones(rng):
    """The quantile of the exponential is log 2 at one half; the second variable adds the first."""
    levels = np.array([[0.5, 0.0], [0.75, 0.5]])
    drawn = multivariate_inverse(
        [lambda level: -np.log1p(-level), lambda level, first: level + first], 2, rng, levels
    )
    assert drawn == pytest.approx(np.array([[np.log(2), np.log(2)], [np.log(4), 0.5 + np.log(4)]]))
