"""Every model of sequential synthesis against what it should reproduce."""

from __future__ import annotations

import numpy as np
import pytest

from sdc.catalogue.synthesis_models import find_model, models
from sdc.errors import CannotProtect
from sdc.statistics.synthesis.category_regression import Multinomial, ProportionalOdds
from sdc.statistics.synthesis.feature import CompleteFeature
from sdc.statistics.synthesis.regression import MOST_LEVELS, Columns, Linear
from sdc.statistics.trees.conditional_inference import inference_tree, log_rank_scores, statistic

ROWS = 4000
DRAWN = (
    "bagging",
    "cart",
    "cubertnorm",
    "forest",
    "lognorm",
    "norm",
    "norm_draw",
    "normrank",
    "pmm",
    "sqrtnorm",
    "ctree",
)


@pytest.fixture(scope="module")
def line():
    """y = 20 + 2 x + noise of deviation 1, x standard normal and beside it a category without influence."""
    rng = np.random.default_rng(1)
    x, group = rng.normal(size=ROWS), rng.integers(3, size=ROWS)
    return CompleteFeature(20 + 2 * x + rng.normal(size=ROWS)), [
        CompleteFeature(x),
        CompleteFeature(group, 3),
    ]


def draw(name, target, observed, synthetic=None, seed=0, **options):
    rng = np.random.default_rng(seed)
    synthetic = observed if synthetic is None else synthetic
    return find_model(name).function(target, observed, rng, **options)(
        synthetic, len(synthetic[0].values), rng
    )


def test_every_model_of_the_catalogue_is_there():
    wanted = "sample norm norm_draw lognorm sqrtnorm cubertnorm normrank pmm logreg polyreg polr cart ctree forest bagging nested passive constant survival_tree"
    assert set(models()) >= set(wanted.split())


@pytest.mark.parametrize("name", models())
def test_every_option_of_a_model_is_documented(name):
    entry = find_model(name)
    assert entry.reference
    assert [option for option in entry.options.model_fields if f"`{option}`" not in entry.definition] == []


@pytest.mark.parametrize("name", DRAWN)
def test_numbers_drawn_keep_slope_and_spread(line, name):
    """Slope within 5 standard errors (1 / sqrt(n)), a little bias allowed to trees.

    Residual deviation near 1.
    """
    target, observed = line
    x = observed[0].values
    drawn = draw(name, target, observed)
    slope, intercept = np.polyfit(x, drawn, 1)
    assert slope == pytest.approx(2, abs=0.15)
    assert intercept == pytest.approx(20, abs=0.15)
    assert (drawn - intercept - slope * x).std() == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("name", ["bagging", "cart", "ctree", "forest", "normrank", "pmm"])
@pytest.mark.parametrize("unit", [2.0**-40, 2.0**40])
def test_the_unit_of_numbers_makes_no_difference(line, name, unit):
    """Grams or megatonnes: the same donors, in either variable."""
    target, (x, group) = line
    usual = draw(name, target, [x, group])
    assert draw(name, CompleteFeature(unit * target.values), [x, group]) == pytest.approx(unit * usual)
    assert draw(name, target, [CompleteFeature(unit * x.values), group]) == pytest.approx(usual)


@pytest.mark.parametrize("name", ["bagging", "cart", "ctree", "forest", "normrank", "pmm"])
def test_numbers_far_from_zero_keep_their_dependence(line, name):
    """As dates counted in seconds, or numbers of parcels: all large, their differences small."""
    target, (x, group) = line
    made = draw(name, CompleteFeature(1e9 + target.values), [CompleteFeature(1e9 + x.values), group])
    assert np.corrcoef(made, x.values)[0, 1] == pytest.approx(2 / np.sqrt(5), abs=0.03)


def test_least_squares_of_income_on_age(worked_examples):
    """Example 4.2.1 with its errata."""
    case = worked_examples["Q-4.2.1-ols"]
    age, income = (np.array(case["inputs"][name], dtype=float) for name in ("age", "income"))
    fit = Linear.fitted(CompleteFeature(income), [CompleteFeature(age)], 0.0)
    at = fit.means([CompleteFeature(np.array([0.0, 1.0]))], 2)
    assert [at[0], at[1] - at[0]] == pytest.approx(case["recomputed"])
    total, variance = worked_examples["Q-4.2.1-ssr"]["recomputed"]
    assert fit.variance == pytest.approx(variance)
    assert fit.variance * fit.degrees == pytest.approx(total)


def test_the_logistic_regression_of_gender(worked_examples):
    """Example 4.4.2: the maximum-likelihood estimates, on centred age and income."""
    case = worked_examples["Q-4.4.2-gender"]
    age, income = (np.array(case["inputs"][name], dtype=float) for name in ("age", "income"))
    gender = np.array([int(sex == "F") for sex in case["inputs"]["gender"]])
    fit = Multinomial.fitted(
        CompleteFeature(gender, 2), [CompleteFeature(age), CompleteFeature(income)], 1e-9
    )
    at = fit.probabilities([CompleteFeature(age), CompleteFeature(income)], 10)[:, 1]
    intercept, by_age, by_income = case["recomputed"]
    eta = intercept + by_age * (age - age.mean()) + by_income * (income - income.mean())
    assert at == pytest.approx(1 / (1 + np.exp(-eta)), abs=1e-4)


def test_posterior_draws_of_coefficients_scatter_by_their_standard_error(line):
    target, observed = line
    fit = Linear.fitted(target, observed[:1], 0.0)
    x = CompleteFeature(np.array([0.0, 1.0]))
    slopes = [np.diff(fit.drawn(np.random.default_rng(seed)).means([x], 2))[0] for seed in range(400)]
    error = np.sqrt(fit.variance / ((observed[0].values - observed[0].values.mean()) ** 2).sum())
    assert np.std(slopes) == pytest.approx(error, rel=0.15)
    assert np.mean(slopes) == pytest.approx(np.polyfit(observed[0].values, target.values, 1)[0], abs=0.005)


@pytest.mark.parametrize("ridge", [0.0, 0.1, 1.0])
def test_a_ridge_shrinks_slopes_and_leaves_the_mean(line, ridge):
    """In standard deviations of x the least-squares slope is divided by 1 + ridge; the mean of y stays."""
    target, observed = line
    fit = Linear.fitted(target, observed[:1], ridge)
    assert fit.means(observed[:1], ROWS).mean() == pytest.approx(target.values.mean(), rel=1e-9)
    slope = np.diff(fit.means([CompleteFeature(np.array([0.0, 1.0]))], 2))[0]
    assert slope == pytest.approx(np.polyfit(observed[0].values, target.values, 1)[0] / (1 + ridge), rel=1e-9)


def test_the_largest_ridge_leaves_the_shares_of_categories(line):
    """Without slopes every record has the shares of all: 80, 15 and 5 of 100."""
    codes = np.resize(np.repeat([0, 1, 2], [80, 15, 5]), ROWS)
    for model in (Multinomial, ProportionalOdds):
        found = model.fitted(CompleteFeature(codes, 3, ordered=True), line[1], 1e9).probabilities(
            line[1], ROWS
        )
        assert found == pytest.approx(np.tile([0.8, 0.15, 0.05], (ROWS, 1)), abs=1e-3)


def test_a_predictor_twice_changes_nothing(line):
    target, observed = line
    once = Linear.fitted(target, observed[:1], 0.0).means(observed[:1], ROWS)
    twice = Linear.fitted(target, [observed[0], observed[0]], 0.0).means([observed[0], observed[0]], ROWS)
    assert once == pytest.approx(twice)


def test_models_of_logarithm_and_root_refuse_values_they_cannot_have(line):
    for name, value in (("lognorm", 0.0), ("sqrtnorm", -1.0)):
        with pytest.raises(CannotProtect, match="spikes"):
            draw(
                name, CompleteFeature(np.append(line[0].values, value)), [CompleteFeature(np.zeros(ROWS + 1))]
            )


def test_ranks_keep_the_distribution_of_a_skewed_variable():
    rng = np.random.default_rng(5)
    x = rng.normal(size=ROWS)
    y = np.exp(2 * x + 0.5 * rng.normal(size=ROWS))
    drawn = draw("normrank", CompleteFeature(y), [CompleteFeature(x)])
    assert set(drawn) <= set(y)
    assert np.quantile(np.log(drawn), [0.1, 0.5, 0.9]) == pytest.approx(
        np.quantile(np.log(y), [0.1, 0.5, 0.9]), abs=0.15
    )


def test_matched_values_are_observed_and_near():
    x = np.arange(1000.0)
    drawn = draw("pmm", CompleteFeature(2 * x), [CompleteFeature(x)], donors=3)
    assert set(drawn) <= set(2 * x)
    assert np.abs(drawn - 2 * x).max() <= 8


@pytest.mark.parametrize("name", ["polyreg", "cart", "ctree", "forest", "bagging"])
def test_categories_drawn_keep_their_dependence(name):
    """Shares by group within 5 standard errors of those observed."""
    rng = np.random.default_rng(2)
    group = rng.integers(3, size=ROWS)
    target = np.where(rng.random(ROWS) < 0.8, group, rng.integers(4, size=ROWS))
    drawn = draw(name, CompleteFeature(target, 4), [CompleteFeature(group, 3)])
    for each in range(3):
        before, after = (
            np.bincount(held[group == each], minlength=4) / (group == each).sum() for held in (target, drawn)
        )
        assert after == pytest.approx(before, abs=5 * np.sqrt(0.25 / (ROWS / 3)))


def test_a_category_of_two_levels_and_no_more_is_for_logreg():
    rng = np.random.default_rng(4)
    x = rng.normal(size=ROWS)
    target = (rng.random(ROWS) < 1 / (1 + np.exp(-2 * x))).astype(int)
    drawn = draw("logreg", CompleteFeature(target, 2), [CompleteFeature(x)])
    assert np.corrcoef(drawn, x)[0, 1] == pytest.approx(np.corrcoef(target, x)[0, 1], abs=0.05)
    with pytest.raises(CannotProtect, match="polyreg"):
        draw("logreg", CompleteFeature(np.arange(3), 3), [CompleteFeature(np.arange(3.0))])


def test_proportional_odds_are_recovered():
    """Cuts -1 and 1, slope 1.5: log-odds of lying at or below a level are cut less slope times x."""
    rng = np.random.default_rng(6)
    x = rng.normal(size=20_000)
    latent = 1.5 * x + rng.logistic(size=20_000)
    target = CompleteFeature(np.digitize(latent, [-1, 1]), 3, ordered=True)
    fit = ProportionalOdds.fitted(target, [CompleteFeature(x)], 1e-6)
    at = fit.probabilities([CompleteFeature(np.array([0.0, 1.0]))], 2)
    expected = [[1 / (1 + np.e), None, None], [1 / (1 + np.exp(2.5)), None, None]]
    for row, want in zip(at, expected, strict=True):
        assert row[0] == pytest.approx(want[0], abs=0.02)
        assert row.sum() == pytest.approx(1)
    drawn = draw("polr", target, [CompleteFeature(x)])
    assert np.bincount(drawn) / 20_000 == pytest.approx(np.bincount(target.values) / 20_000, abs=0.02)


def test_predictors_of_many_levels_are_grouped_by_the_target():
    levels = np.tile(np.arange(200), 20)
    target = CompleteFeature((levels % 2).astype(float))
    columns = Columns.of([CompleteFeature(levels, 200)], target)
    assert columns.places[0].max() + 2 <= MOST_LEVELS
    drawn = draw("norm", target, [CompleteFeature(levels, 200)])
    assert np.corrcoef(drawn, target.values)[0, 1] > 0.99


def test_the_association_statistic_is_that_of_known_tests():
    """Given the margins.

    N - 1 times r squared, (n - 1) / n of Pearson's chi-square, and of Kruskal-Wallis on ranks.
    """
    from scipy import stats

    rng = np.random.default_rng(0)
    group, x = rng.integers(3, size=60), rng.permutation(60).astype(float)
    labels = rng.integers(2, size=60)
    assert statistic(CompleteFeature(x), CompleteFeature(2 * x + rng.normal(size=60)))[1] == 1
    r = np.corrcoef(x, labels)[0, 1]
    assert statistic(CompleteFeature(x), CompleteFeature(labels.astype(float))) == (
        pytest.approx(59 * r**2),
        1,
    )
    assert statistic(CompleteFeature(x), CompleteFeature(group, 3)) == (
        pytest.approx(stats.kruskal(*(x[group == each] for each in range(3))).statistic),
        2,
    )
    table = np.zeros((3, 2))
    np.add.at(table, (group, labels), 1)
    chi = stats.chi2_contingency(table, correction=False).statistic
    assert statistic(CompleteFeature(labels, 2), CompleteFeature(group, 3)) == (
        pytest.approx(chi * 59 / 60),
        2,
    )


def test_a_conditional_inference_tree_does_not_split_noise():
    rng = np.random.default_rng(9)
    found = [
        inference_tree(
            CompleteFeature(rng.normal(size=200)),
            [CompleteFeature(rng.normal(size=200)) for _ in range(4)],
            alpha=0.05,
            minbucket=5,
        )
        for _ in range(60)
    ]
    assert sum(len(tree.split) > 1 for tree in found) <= 8


def test_log_rank_scores_by_hand():
    """Three at risk at 1 (one event), two at 2 (one event), one at 3 (censored)."""
    scores = log_rank_scores(np.array([2.0, 1.0, 3.0]), np.array([True, True, False]))
    assert scores == pytest.approx([1 - (1 / 3 + 1 / 2), 1 - 1 / 3, -(1 / 3 + 1 / 2)])


def test_times_and_events_come_from_one_donor_whose_survival_is_alike():
    rng = np.random.default_rng(8)
    group = rng.integers(2, size=2000)
    times, censor = rng.exponential(np.where(group == 1, 10, 1)), rng.exponential(5, size=2000)
    seen, event = np.minimum(times, censor), times <= censor
    drawer = find_model("survival_tree").function(seen, event, [CompleteFeature(group, 2)], event="e")
    donors = drawer([CompleteFeature(group, 2)], 2000, rng)
    for each in range(2):
        mine = group == each
        assert event[donors][mine].mean() == pytest.approx(event[mine].mean(), abs=0.05)
        assert np.median(seen[donors][mine]) == pytest.approx(np.median(seen[mine]), rel=0.15)


def test_nested_values_stay_within_their_group():
    group = np.repeat(np.arange(4), 25)
    detail = CompleteFeature(np.arange(100) // 5, 20)
    drawn = draw("nested", detail, [CompleteFeature(group, 4)], within="group")
    assert (drawn // 5 == group).all()
    assert len(set(drawn)) > 10


def test_a_constant_is_the_value_given_or_the_commonest():
    target = CompleteFeature(np.array([3.0, 1.0, 1.0]))
    assert draw("constant", target, [target]).tolist() == [1, 1, 1]
    assert draw("constant", target, [target], value=7).tolist() == [7, 7, 7]
