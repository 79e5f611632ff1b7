"""indicator_change against the worked examples, laeken, and figures counted by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdc.catalogue.measurement import NotAssessed
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.utility.indicator_change import indicator_change
from sdc.statistics.estimates.indicators import (
    Sample,
    estimator,
    gini,
    mean,
    poverty_threshold,
    quantile,
    quintile_share,
    share_below,
)
from sdc.statistics.estimates.resampling import Resampling, drawn_times, raked
from tests.conftest import GOLDEN

INCOME = "equivalised_income"
ROLES = Roles.of(
    [
        Variable("region"),
        Variable(INCOME, Role.SENSITIVE, VariableType.NUMERIC),
        Variable("weight", Role.WEIGHT, VariableType.NUMERIC),
    ]
)
PEERS = {"gini": ("gini", 100), "arpr": ("at_risk_of_poverty", 100), "qsr": ("quintile_share", 1)}


def rng():
    return np.random.default_rng(11)


def sorted_arrays(case):
    return np.array(case["inputs"]["x"], dtype=float), np.array(case["inputs"]["w"], dtype=float)


def test_gini_of_the_slides(worked_examples):
    case = worked_examples["T-gini"]
    x, w = sorted_arrays(case)
    assert gini(x, w) == pytest.approx(case["recomputed"], rel=1e-14)
    differences = np.abs(x[:, None] - x[None, :]) * w[:, None] * w[None, :]
    assert gini(x, w) == pytest.approx(differences.sum() / (2 * w.sum() ** 2 * mean(x, w)), rel=1e-14)


def test_at_risk_of_poverty_of_the_small_case(worked_examples):
    case = worked_examples["T-arpr-golden"]
    x, w = sorted_arrays(case)
    rate, threshold = case["recomputed"]
    assert poverty_threshold(x, w) == pytest.approx(threshold)
    assert 100 * share_below(x, w, poverty_threshold(x, w)) == pytest.approx(rate)


def test_the_poor_are_strictly_below_the_threshold():
    """The median is 10, the threshold 6, and who has 6 is not poor."""
    x = np.array([5.0, 6.0, 10.0, 20.0, 30.0])
    assert Sample.of(x, np.ones(5)).estimates([estimator("at_risk_of_poverty")])[0, 0] == 0.2


def test_a_quantile_reached_exactly_lies_between_two_values_and_values_without_weight_do_not_count():
    x = np.array([1.0, 2.0, 3.0, 4.0, 9.0])
    assert quantile(x, np.array([1.0, 1.0, 1.0, 1.0, 0.0]), 0.5) == 2.5
    assert quantile(x, np.array([1.0, 1.0, 0.0, 1.0, 1.0]), 0.5) == 3.0
    assert quantile(x, np.array([1.0, 1.0, 1.0, 1.0, 1.0]), 0.5) == 3.0
    assert quantile(x, np.array([1.0, 1.0, 1.0, 1.0, 0.0]), 0.99) == 4.0
    assert quantile(x, 0.1 * np.ones(5), 0.2) == 1.5


@pytest.fixture(scope="module")
def survey_pair(households):
    """The survey beside itself with one column from a golden pair."""

    def make(name):
        original = households[["region", INCOME, "weight"]]
        column = "region" if name == "pram_region" else INCOME
        candidate = original.assign(
            **{column: pd.read_csv(GOLDEN / "households" / "pairs" / f"{name}.csv")[column]}
        )
        return ReleasePair.from_frames(original, candidate, ROLES, aligned=True)

    return make


@pytest.mark.parametrize("name", ["mdav3", "noise", "pram_region"])
def test_the_golden_pairs_agree_with_laeken_overall_and_by_region(name, golden, survey_pair):
    expected = golden("poverty_and_inequality")["outputs"]
    indicators = [indicator for indicator, _ in PEERS.values()]
    found = indicator_change(survey_pair(name), indicators=indicators, by="region", bootstraps=2, rng=rng())
    changes = []
    for peer, (indicator, unit) in PEERS.items():
        before, after = expected["original"][peer], expected[f"candidate_{name}"][peer]
        figures = {"": (before["value"], after["value"])}
        figures.update(
            {
                f".region.{region}": (before["by_region"].get(region), after["by_region"].get(region))
                for region in after["by_region"]
            }
        )
        for end, (one, other) in figures.items():
            key = f"{indicator}.{INCOME}{end}"
            assert found.parts[f"value.{key}"] * unit == pytest.approx(other, rel=1e-9)
            if one is not None:
                assert found.parts[f"original.{key}"] * unit == pytest.approx(one, rel=1e-9)
                assert found.parts[f"change.{key}"] == pytest.approx(
                    100 * abs(other - one) / one, rel=1e-6, abs=1e-9
                )
                changes.append(found.parts[f"change.{key}"])
    assert len(changes) > 20
    assert found.value == max(number for part, number in found.parts.items() if part.startswith("change."))


def test_quantiles_and_means_agree_with_laeken_and_unweighted_values_are_beside(
    golden, survey_pair, households
):
    expected = golden("poverty_and_inequality")["outputs"]["original"]
    found = indicator_change(
        survey_pair("noise"),
        indicators=["mean", "quantile", "gini"],
        quantiles=[0.2, 0.5, 0.8],
        bootstraps=2,
        rng=rng(),
    )
    assert found.parts[f"original.mean.{INCOME}"] == pytest.approx(expected["weighted_mean"], rel=1e-12)
    assert found.parts[f"original.quantile_50.{INCOME}"] == expected["weighted_median"]
    assert [found.parts[f"original.quantile_{share}.{INCOME}"] for share in (20, 80)] == expected[
        "weighted_quantiles_20_80"
    ]
    plain = Sample.of(households[INCOME].to_numpy(), np.ones(len(households)))
    figures = plain.estimates([estimator("gini"), estimator("at_risk_of_poverty")])[:, 0] * 100
    assert figures == pytest.approx([expected["gini_unweighted"], expected["arpr_unweighted"]], rel=1e-9)


def test_where_a_quintile_is_reached_exactly_it_is_the_mean_of_two_values(golden, households):
    ties = golden("poverty_and_inequality")["outputs"]["original"]
    x = np.sort(households[INCOME].to_numpy())
    assert quintile_share(x, np.ones(x.size)) == pytest.approx(
        ties["qsr_unweighted_exact_tie_not_a_target"]["mean_of_the_two_values_at_the_tie"]
    )


def test_changes_and_errors_are_counted_by_hand(pair_of):
    pair = pair_of({"a": [1.0, 3.0], "g": ["x", "y"]}, {"a": [1.0, 4.0], "g": ["x", "x"]})
    found = indicator_change(pair, indicators=["mean", "total", "rate"], variables=["a", "g"], rng=rng())
    assert found.parts["change.mean.a"] == found.parts["change.total.a"] == 25
    assert (
        found.parts["original.rate.g.x"],
        found.parts["value.rate.g.x"],
        found.parts["change.rate.g.y"],
    ) == (0.5, 1, 100)
    difference = abs(found.parts["variance.mean.a"] - found.parts["original_variance.mean.a"])
    assert found.parts["mse.mean.a"] == pytest.approx(0.25 + difference)
    # A mean of two draws from {1, 4} varies (3/2)² times as much as one of {1, 3}: the draws are the same.
    assert found.parts["variance_change.mean.a"] == pytest.approx(125)
    assert found.value == 100


def test_the_variance_is_that_of_the_bootstrap():
    values = rng().exponential(size=80)
    draws = Resampling(np.ones(80)).draws(4000, rng())
    found = Sample.of(values, np.ones(80)).variances([estimator("mean"), estimator("total")], draws)
    assert found[0, 0] == pytest.approx(values.var() / 80, rel=0.1)
    assert found[1, 0] == pytest.approx(values.var() * 80, rel=0.1)


def test_draws_beyond_a_block_are_multinomial():
    """As many as there are records, each with mean 1 and variance 1 - 1/n."""
    times = np.concatenate([drawn_times(40_000, np.random.default_rng(seed)) for seed in range(5)])
    assert times.size == times.sum() == 200_000
    assert times.var() == pytest.approx(1, abs=0.02)
    halves = [drawn_times(40_000, np.random.default_rng(seed))[:20_000].sum() for seed in range(200)]
    assert np.std(halves) == pytest.approx(100, rel=0.15)
    assert drawn_times(0, rng()).size == 0


def test_small_domains_are_left_out_and_counted(pair_of):
    table = {"a": np.arange(1.0, 13.0), "g": ["x"] * 10 + ["y"] * 2}
    found = indicator_change(pair_of(table, table), by=["g"], rng=rng())
    assert "value.mean.a.g.x" in found.parts
    assert not [part for part in found.parts if part.endswith(".y")]
    assert found.parts["domains_left_out"] == 1


def test_a_domain_that_is_gone_is_not_passed_over(pair_of):
    pair = pair_of({"a": [1.0, 2.0, 3.0], "g": ["x", "x", "y"]}, {"a": [1.0, 2.0, 3.0], "g": ["x", "x", "x"]})
    found = indicator_change(pair, by="g", least=1, rng=rng())
    assert isinstance(found, NotAssessed)
    assert found.reason == "not defined in the candidate: mean of a, gini of a"


def test_a_domain_is_found_by_the_coarser_label_that_holds_it(pair_of):
    pair = pair_of(
        {"a": [1.0, 2.0, 3.0, 4.0], "age": [21.0, 25.0, 33.0, 38.0]},
        {"a": [1.0, 2.0, 3.0, 5.0], "age": ["20-29", "20-29", "30-39", "30-39"]},
    )
    found = indicator_change(pair, indicators=["mean"], by="age", least=1, rng=rng())
    assert (found.parts["original.mean.a.age.20-29"], found.parts["value.mean.a.age.30-39"]) == (1.5, 4)


def test_what_is_asked_for_by_name_must_be_defined(pair_of):
    """A Gini coefficient needs a positive total, a relative change something to be relative to."""
    pair = pair_of({"a": [-1.0, 1.0], "b": [1.0, 2.0]}, {"a": [-1.0, 1.0], "b": [1.0, 2.0]})
    found = indicator_change(pair, rng=rng())
    assert (found.value, found.parts["not_defined"]) == (0, 1)
    assert isinstance(indicator_change(pair, indicators=["gini"], rng=rng()), NotAssessed)
    moved = indicator_change(pair_of({"a": [-1.0, 1.0]}, {"a": [0.0, 1.0]}), indicators=["mean"], rng=rng())
    assert isinstance(moved, NotAssessed)
    assert "0 in the original" in moved.reason
    beside = indicator_change(
        pair_of({"a": [-1.0, 1.0], "b": [1.0, 1.0]}, {"a": [0.0, 1.0], "b": [1.0, 1.0]}),
        indicators=["mean"],
        rng=rng(),
    )
    assert (beside.value, beside.parts["zero_in_original"], beside.parts["value.mean.a"]) == (0, 1, 0.5)


def test_records_without_a_weight_are_left_out():
    original = pd.DataFrame(
        {"region": ["n", "n", "n"], INCOME: [1.0, 2.0, 9.0], "weight": [1.0, 3.0, np.nan]}
    )
    found = indicator_change(
        ReleasePair.from_frames(original, original, ROLES), indicators=["mean"], rng=rng()
    )
    assert found.parts[f"value.mean.{INCOME}"] == 1.75
    assert found.parts["unweighted"] == 0


def test_intervals_and_their_overlap_by_indicator(pair_of):
    """Intervals of the bootstrap's variances: what they share over the length of each, averaged."""
    generator = np.random.default_rng(5)
    x, y = generator.normal(50, 5, 200), generator.normal(50.4, 5, 200)
    found = indicator_change(
        pair_of({"x": x}, {"x": y}), indicators=["mean"], level=0.9, rng=np.random.default_rng(1)
    ).parts
    z = stats.norm.ppf(0.95)
    ends = []
    for level, variance, before in (
        ("original", "original_variance", "original_"),
        ("value", "variance", ""),
    ):
        reach = z * np.sqrt(found[f"{variance}.mean.x"])
        ends.append((found[f"{level}.mean.x"] - reach, found[f"{level}.mean.x"] + reach))
        assert (found[f"{before}low.mean.x"], found[f"{before}high.mean.x"]) == pytest.approx(
            ends[-1], rel=1e-9
        )
    common = min(ends[0][1], ends[1][1]) - max(ends[0][0], ends[1][0])
    shared = np.mean([common / (high - low) for low, high in ends])
    assert found["overlap.mean.x"] == found["smallest_overlap"] == pytest.approx(shared, rel=1e-9)
    assert 0.1 < shared < 0.95


def test_equal_tables_overlap_whole_and_constants_have_no_interval(pair_of):
    table = {"x": [1.0, 2, 3, 4], "c": [7.0, 7, 7, 7]}
    found = indicator_change(pair_of(table, table), indicators=["mean"], rng=np.random.default_rng(1)).parts
    assert found["overlap.mean.x"] == 1
    assert "overlap.mean.c" not in found


def survey(**columns):
    frame = pd.DataFrame(columns)
    roles = Roles.of(
        Variable(name, Role.WEIGHT if name == "weight" else Role.OTHER) for name in frame.columns
    )
    return ReleasePair.from_frames(frame, frame, roles)


def test_units_are_drawn_within_strata():
    """Stratum a has the households (1, 3) and (5, 7), stratum b (2, 2) and (10, 20), of two units each.

    The variance of a total from n units of a stratum drawn with replacement is n s², s² the variance (n - 1)
    of the units' totals: 4 and 12 give 32, 4 and 30 give 338 (Cochran 1977, 9A.3; `svytotal` of the R package
    survey). The mean of eight records is the total over 8, as every unit has two records.
    """
    pair = survey(x=[1.0, 3, 5, 7, 2, 2, 10, 20], stratum=list("aaaabbbb"), home=list("11223344"))
    found = indicator_change(
        pair,
        indicators=["total", "mean"],
        variables=["x"],
        strata="stratum",
        units="home",
        bootstraps=20_000,
        rng=rng(),
    )
    assert found.parts["original_variance.total.x"] == pytest.approx(2 * 32 + 2 * 338, rel=0.04)
    assert found.parts["original_variance.mean.x"] == pytest.approx((2 * 32 + 2 * 338) / 64, rel=0.04)
    assert found.parts["variance_change.mean.x"] == 0


@pytest.mark.slow
def test_records_are_units_where_none_are_named_and_a_missing_unit_is_its_own():
    """Two strata of records: 4 s²(1, 3, 5, 7) = 80/3 and 2 s²(2, 12) = 100, s² with n - 1."""
    pair = survey(x=[1.0, 3, 5, 7, 2, 12], stratum=list("aaaabb"), home=[None] * 6)
    for units in (None, "home"):
        found = indicator_change(
            pair,
            indicators=["total"],
            variables=["x"],
            strata="stratum",
            units=units,
            bootstraps=20_000,
            rng=rng(),
        )
        assert found.parts["original_variance.total.x"] == pytest.approx(80 / 3 + 100, rel=0.04)


def test_strata_of_one_unit_are_counted_and_give_no_variance():
    pair = survey(x=[1.0, 3, 5, 7], stratum=list("aabb"), home=list("1122"))
    found = indicator_change(
        pair, indicators=["total"], variables=["x"], strata="stratum", units="home", rng=rng()
    )
    assert (found.parts["strata_of_one_unit"], found.parts["original_variance.total.x"]) == (2, 0)


def test_a_draw_has_one_unit_less_than_each_stratum_and_keeps_its_sum_of_weights():
    """Rao and Wu (1988): n - 1 of n units are drawn, and weights are raised by n / (n - 1)."""
    weights = np.array([2.0, 2, 2, 5, 5, 9])
    made = Resampling(weights, strata=np.array([0, 0, 0, 1, 1, 2]))
    for drawn in made.draws(50, rng()):
        assert np.bincount([0, 0, 0, 1, 1, 2], drawn) == pytest.approx([6, 10, 9])
        assert set(drawn[:3] / 2) <= {0, 1.5, 3}
        assert set(drawn[3:5] / 5) == {0, 2}


@pytest.mark.slow
def test_known_totals_leave_only_the_variance_within_their_categories():
    """Post-stratified to 30 and 10 people, the total is 30 times one mean and 10 times the other.

    The total of c is the same in every draw that has both categories, as c is constant within them.
    """
    pair = survey(
        x=np.r_[np.arange(40.0), np.arange(100.0, 140.0)],
        c=np.repeat([2.0, 5.0], 40),
        g=["a"] * 40 + ["b"] * 40,
    )
    totals = {"g": {"a": 30, "b": 10}}
    found = indicator_change(
        pair, indicators=["total"], variables=["x", "c"], totals=totals, bootstraps=4000, rng=rng()
    ).parts
    spread = np.var(np.arange(40.0))
    assert found["original_variance.total.x"] == pytest.approx((30**2 + 10**2) * spread / 40, rel=0.1)
    assert found["original_variance.total.c"] == pytest.approx(0, abs=1e-9)
    assert found["draws_left_out"] == 0
    free = indicator_change(pair, indicators=["total"], variables=["x"], bootstraps=4000, rng=rng()).parts
    assert free["original_variance.total.x"] > 10 * found["original_variance.total.x"]


def test_two_margins_are_raked_as_by_hand():
    """Weights 1, 1, 1, 1 of a 2 x 2 table to rows (30, 10) and columns (20, 20): 15, 15, 5, 5."""
    rows, columns = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    found = raked(np.ones(4), [(rows, np.array([30.0, 10])), (columns, np.array([20.0, 20]))])
    assert found == pytest.approx([15, 15, 5, 5])
    assert raked(np.array([1.0, 1, 0, 0]), [(rows, np.array([30.0, 10]))]) is None
    assert raked(np.ones(4), [(rows, np.array([30.0, 10])), (columns, np.array([20.0, 40]))]) is None


def test_draws_that_cannot_meet_the_totals_are_counted():
    """The one record of b is missing from (9/10)^10 of the draws: about 35 %."""
    pair = survey(x=np.arange(10.0), g=["a"] * 9 + ["b"])
    found = indicator_change(
        pair,
        indicators=["total"],
        variables=["x"],
        totals={"g": {"a": 9, "b": 1}},
        bootstraps=1000,
        rng=rng(),
    )
    assert found.parts["draws_left_out"] == pytest.approx(349, abs=60)


def test_totals_of_all_categories_are_needed():
    pair = survey(x=[1.0, 2, 3], g=list("abb"))
    found = indicator_change(pair, indicators=["total"], variables=["x"], totals={"g": {"a": 3}}, rng=rng())
    assert found == NotAssessed("totals are given for 1 of the 2 categories of g")
    other = indicator_change(
        pair, indicators=["total"], variables=["x"], totals={"g": {"north": 3}}, rng=rng()
    )
    assert other == NotAssessed("totals are given for 0 of the 2 categories of g")


def test_replicate_weights_of_the_data():
    """Leaving out one of three records, the others weighing 3/2: the jackknife of a mean is s² / n."""
    x = np.array([1.0, 4, 10])
    weights = {f"r{k}": np.where(np.arange(3) == k, 0, 1.5) for k in range(3)}
    pair = survey(x=x, weight=np.ones(3), **weights)
    found = indicator_change(
        pair, indicators=["mean"], replicates=list(weights), replicate_factor=2 / 3, rng=rng()
    )
    assert (
        found.parts["original_variance.mean.x"]
        == found.parts["variance.mean.x"]
        == pytest.approx(np.var(x, ddof=1) / 3, rel=1e-12)
    )
    assert not any(name.startswith("original.mean.r") for name in found.parts)
    plain = indicator_change(pair, indicators=["mean"], replicates=list(weights), rng=rng())
    assert plain.parts["variance.mean.x"] == pytest.approx(np.var(x, ddof=1) / 6, rel=1e-12)


def test_replicate_weights_leave_nothing_to_draw():
    pair = survey(x=[1.0, 2], weight=[1.0, 1], r=[0.5, 1.5], g=list("ab"))
    found = indicator_change(pair, indicators=["mean"], replicates=["r"], strata="g", rng=rng())
    assert found == NotAssessed("replicate weights say it all: leave out strata, units and totals")
    assert indicator_change(pair, replicate_factor=0.5, rng=rng()) == NotAssessed(
        "replicate_factor is given, and no replicates"
    )


def test_draws_by_stratum_do_not_depend_on_the_order_of_records():
    generator = np.random.default_rng(2)
    columns = {
        "x": generator.integers(0, 5, 60).astype(float),
        "s": generator.choice(list("ab"), 60),
        "u": generator.integers(0, 12, 60).astype(float),
    }
    order = generator.permutation(60)
    asked = {"indicators": ["mean"], "variables": ["x"], "strata": "s", "units": "u"}
    first = indicator_change(survey(**columns), rng=rng(), **asked)
    again = indicator_change(
        survey(**{name: held[order] for name, held in columns.items()}), rng=rng(), **asked
    )
    assert first.parts["variance.mean.x"] == again.parts["variance.mean.x"]
