"""Order, predictors, restrictions, strata, weights and households of sequential synthesis."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import BadOption, CannotProtect
from sdc.methods.homes import sizes_for
from sdc.methods.synthetic import shares_of
from sdc.statistics.synthesis.coded import Coded
from sdc.statistics.synthesis.collinearity import collinear
from sdc.statistics.synthesis.expression import Expression
from sdc.statistics.synthesis.feature import CompleteFeature
from sdc.statistics.synthesis.visit import visit_sequence


def roles_of(table, **roles):
    kinds = {"f": VariableType.NUMERIC, "M": VariableType.DATE}
    return Roles.of(
        Variable(
            name, roles.get(name, Role.OTHER), kinds.get(table[name].dtype.kind, VariableType.CATEGORICAL)
        )
        for name in table
    )


def synthesise(table, seed=0, roles=None, **given):
    entry = find_method("sequential")
    return entry.function(
        table, roles or roles_of(table), np.random.default_rng(seed), **entry.arguments(given)
    )


def matrix(used):
    names = sorted(used)
    return [[int(other in used[name]) for other in names] for name in names]


@pytest.mark.parametrize(
    ("case", "visit"),
    [("Q-4.2.2-Pout", ["X3", "X4", "X2", "X1"]), ("Q-4.2.3-Pout", ["X4", "X3", "X1", "X2"])],
)
def test_the_predictor_matrix_used_is_the_one_given_as_far_as_the_visit_allows(worked_examples, case, visit):
    """Examples 4.2.2 and 4.2.3."""
    held = worked_examples[case]
    names = ["X1", "X2", "X3", "X4"]
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 4)), columns=names)
    given = {
        name: [other for other, used in zip(names, row, strict=True) if used]
        for name, row in zip(names, held["inputs"]["P"], strict=True)
    }
    made = synthesise(table, visit=visit, predictors=given)
    assert matrix(made.record["predictors"]) == held["recomputed"]
    assert made.record["models"][visit[0]] == "sample"


def test_what_is_missing_is_told_by_a_level_of_its_own_or_by_an_indicator_beside_the_number(worked_examples):
    """Example 4.3.1: for a category the level, for a number the indicator, is "Yes" in the same records."""
    held = worked_examples["Q-4.3.1-missing"]
    missing = [told == "Yes" for told in held["recomputed"]]
    codes, levels = pd.factorize(pd.Series(held["inputs"]["education"]), sort=True)
    category = Coded(np.where(codes < 0, np.nan, codes), len(levels)).category
    assert (category.values == len(levels)).tolist() == missing
    assert category.levels == len(levels) + 1
    years = Coded(np.where(codes < 0, np.nan, 10.0 + codes))
    number, indicator = years.predictors(years.values)
    assert indicator.values.astype(bool).tolist() == missing
    assert not np.isnan(number.values).any()
    assert sum(missing) == 4


@pytest.mark.parametrize("kind", ["category", "number"])
def test_as_many_are_missing_in_the_synthesis_as_models_of_the_indicator_say(worked_examples, kind):
    """Example 4.3.1, many times over: four of ten, and never a value beside a "Yes"."""
    education = pd.Series(worked_examples["Q-4.3.1-missing"]["inputs"]["education"] * 100)
    codes = pd.factorize(education, sort=True)[0]
    column = pd.Categorical(education) if kind == "category" else np.where(codes < 0, np.nan, codes)
    table = pd.DataFrame({"sex": pd.Categorical(["f", "m"] * 500), "education": column})
    made = synthesise(table).table["education"]
    assert made.isna().mean() == pytest.approx(0.4, abs=0.06)
    assert set(made.dropna()) == set(table["education"].dropna())


def example_451(rng):
    x1 = rng.exponential(5, 1000)
    x2 = x1 / 2 + rng.normal(0, 0.1, 1000)
    return [x1, x2, 2 * x1 + 3 * x2 + rng.normal(0, 0.1, 1000)]


def example_452(rng):
    x1 = rng.exponential(0.5, 100)
    x2 = 2 * x1 + rng.normal(size=100)
    return [x1, x2, 3 * x1 + 5 * x2 + rng.normal(size=100)]


def example_453(rng):
    x1, x3 = rng.exponential(2, 1000), rng.beta(0.5, 0.5, 1000)
    return [x1, 2 * x1 + rng.normal(0, 0.1, 1000), x3, 5 * x3 + rng.normal(0, 0.1, 1000)]


@pytest.mark.parametrize(
    ("example", "case"), [(example_451, "Q-4.5.1-sequence"), (example_452, "Q-4.5.2-sequence")]
)
def test_the_automatic_visit_finds_the_sequence_whatever_the_sample(worked_examples, example, case):
    """Examples 4.5.1 and 4.5.2: X1, X2, X3 in every sample; p-values underflow in the first."""
    for seed in range(10):
        found = visit_sequence(
            [[CompleteFeature(column)] for column in example(np.random.default_rng(seed))]
        ).order
        assert [f"X{place + 1}" for place in found] == worked_examples[case]["recomputed"]


def test_without_sequence_one_of_the_best_explained_pair_is_last(worked_examples):
    """Example 4.5.3: X1 and X2 are explained about equally well, and both better than X3 and X4."""
    assert worked_examples["Q-4.5.3-sequence"]["recomputed"] == "sample dependent"
    for seed in range(10):
        found = visit_sequence(
            [[CompleteFeature(column)] for column in example_453(np.random.default_rng(seed))]
        ).order
        assert found[-1] in (0, 1)
        assert found[-2] in (2, 3)


def test_the_automatic_visit_takes_the_p_values_of_linear_regressions():
    """Against scipy for a pair and an unrelated variable; a category by its indicators."""
    from scipy import stats

    rng = np.random.default_rng(3)
    x = rng.normal(size=50)
    y, z = x + rng.normal(size=50), rng.normal(size=50)
    assert stats.linregress(x, y).pvalue < 0.01
    assert visit_sequence([[CompleteFeature(z)], [CompleteFeature(x)], [CompleteFeature(y)]]).order[0] == 0
    group = CompleteFeature((x > 0).astype(int), 2)
    assert visit_sequence([[CompleteFeature(z)], [group], [CompleteFeature(x)]]).order[0] == 0


def test_the_automatic_visit_is_used_and_recorded():
    table = pd.DataFrame(dict(zip(["c", "a", "b"], example_451(np.random.default_rng(0))[::-1], strict=True)))
    assert synthesise(table, visit="automatic", collinear=None).record["visit"] in (
        ["b", "a", "c"],
        ["a", "b", "c"],
    )


def test_collinear_predictors_are_dropped_and_named():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    table = pd.DataFrame({"x": x, "twice": 2 * x, "y": rng.normal(size=200)})
    made = synthesise(table)
    assert made.record["collinear"] == {"twice": ["x"]}
    assert made.record["predictors"] == {"x": [], "twice": ["x"], "y": ["x"]}
    assert synthesise(table, collinear=None).record["predictors"]["y"] == ["x", "twice"]


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall", "vif"])
def test_each_kind_of_collinearity_is_found_and_no_other(kind):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=300), rng.normal(size=300)
    limit = 100 if kind == "vif" else 0.95
    assert collinear([a, b, a + 1e-4 * rng.normal(size=300)], kind, limit).keys() == {2}
    assert collinear([a, b], kind, limit) == {}
    together = [a, b, a + b]
    assert bool(collinear(together, kind, limit)) is (kind == "vif")


def test_a_monotone_relation_is_collinear_by_ranks_only():
    a = np.linspace(0, 10, 200)
    assert collinear([a, np.exp(a)], "spearman", 0.99) == {1: [0]}
    assert collinear([a, np.exp(a)], "pearson", 0.99) == {}


def test_missing_codes_and_spikes_are_drawn_apart_in_their_shares():
    rng = np.random.default_rng(2)
    value = np.where(rng.random(3000) < 0.3, 0.0, rng.normal(50, 5, 3000))
    value[rng.random(3000) < 0.1] = -8
    value[rng.random(3000) < 0.1] = np.nan
    table = pd.DataFrame({"g": rng.normal(size=3000), "v": value})
    made = synthesise(table, model="norm", missing_codes={"v": [-8]}, spikes={"v": [0]}).table["v"]
    for special in (0, -8):
        assert (made == special).mean() == pytest.approx((table["v"] == special).mean(), abs=0.04)
    assert made.isna().mean() == pytest.approx(table["v"].isna().mean(), abs=0.04)
    rest = made[(made != 0) & (made != -8) & made.notna()]
    assert rest.between(table["v"][table["v"] > 0].min(), table["v"].max()).all()


def test_numbers_keep_their_decimals_and_range():
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {"x": rng.normal(size=500).round(2), "age": np.clip(rng.normal(30, 20, 500), 0, 99).round()}
    )
    made = synthesise(table, model="norm").table
    assert (made["age"] == made["age"].round()).all()
    assert made["age"].between(0, 99).all()
    assert np.allclose(made["x"], made["x"].round(2))


@pytest.mark.parametrize("how", ["density", "spline"])
def test_smoothing_copies_no_extreme_and_keeps_the_distribution(how):
    from scipy.stats import ks_2samp

    rng = np.random.default_rng(4)
    table = pd.DataFrame({"x": rng.gamma(2, 10, 2000), "y": rng.normal(size=2000)})
    made = synthesise(table, smoothing={"x": how}).table["x"]
    assert made.min() > table["x"].min()
    assert made.max() < table["x"].max()
    assert not set(made) & set(table["x"])
    assert ks_2samp(made, table["x"]).statistic < 0.06
    assert set(synthesise(table).table["x"]) <= set(table["x"])


@pytest.mark.parametrize("how", ["density", "spline"])
def test_smoothing_leaves_values_that_many_share(how):
    """A number of four values keeps them; one that a single record has is not handed on."""
    rng = np.random.default_rng(6)
    values = np.append(rng.choice([0.0, 0.5, 1.0, 2.5], 999), 40.123456)
    table = pd.DataFrame({"x": values, "y": rng.normal(size=1000)})
    made = synthesise(table, visit=["y"], smoothing={"x": how}, rows=5000).table["x"]
    shares = {value: (made == value).mean() for value in (0.0, 0.5, 1.0, 2.5)}
    assert shares == pytest.approx(dict.fromkeys(shares, 0.25), abs=0.03)
    assert 40.123456 not in set(made)


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    age = rng.integers(0, 90, 1500).astype(float)
    marital = np.where(age < 16, "never married", rng.choice(["never married", "married", "widowed"], 1500))
    income = np.where(age < 16, 0.0, rng.gamma(2, 10_000, 1500).round())
    tax = (income * rng.uniform(0, 0.4, 1500)).round()
    return pd.DataFrame(
        {"age": age, "marital": pd.Categorical(marital), "income": income, "tax": tax, "net": income - tax}
    )


def test_rules_and_constraints_hold_in_every_record(people):
    given = {
        "model": "parametric",
        "rules": [{"when": "age < 16", "then": {"marital": "never married", "income": 0}}],
        "constraints": ["tax <= income"],
        "models": {"net": {"model": "passive", "formula": "income - tax"}},
        "collinear": None,
    }
    made = synthesise(people, **given).table
    young = made["age"] < 16
    assert young.any()
    assert (made["marital"][young] == "never married").all()
    assert (made["income"][young] == 0).all()
    assert (made["tax"] <= made["income"]).all()
    assert (made["net"] == made["income"] - made["tax"]).all()
    free = synthesise(people, model="parametric").table
    assert (free["tax"] > free["income"]).any()


def test_only_observed_combinations_are_drawn(people):
    banded = pd.DataFrame(
        {"band": pd.Categorical((people["age"] // 10).astype(int).astype(str)), "marital": people["marital"]}
    )
    banded = banded[~((banded["band"] == "3") & (banded["marital"] == "widowed"))]
    made = synthesise(banded, model="sample", combinations=[["band", "marital"]]).table
    assert set(zip(made["band"], made["marital"], strict=True)) <= set(
        zip(banded["band"], banded["marital"], strict=True)
    )


def test_a_constraint_that_cannot_hold_is_an_error_without_values(people):
    with pytest.raises(CannotProtect, match="no observed value of income"):
        synthesise(people[["age", "income"]], constraints=["income < 0 - age - 1"])


def test_a_rule_whose_condition_is_drawn_later_is_refused(people):
    with pytest.raises(BadOption, match="marital is fixed by age"):
        synthesise(
            people,
            visit=["marital", "age"],
            rules=[{"when": "age < 16", "then": {"marital": "never married"}}],
        )


@pytest.mark.parametrize(
    "text", ["__import__('os')", "age.real", "age[0]", "lambda: 1", "f(age)", "age <", "(x for x in age)"]
)
def test_formulas_are_no_code(text):
    with pytest.raises(ValueError, match="formula"):
        Expression.of(text)
    with pytest.raises(ValidationError):
        find_method("sequential").arguments({"constraints": [text]})


def test_formulas_compare_texts_numbers_and_missing_values():
    values = {"a b": np.array([1.0, 2.0, np.nan]), "c": np.array(["x", "y", None], dtype=object)}
    assert Expression.of("`a b` > 1").holds(values).tolist() == [False, True, False]
    assert Expression.of("c in ['x', 'z'] or `a b` == 2").holds(values).tolist() == [True, True, False]
    assert Expression.of("not c == 'x'").holds(values).tolist() == [False, True, True]
    assert Expression.of("max(`a b`, 1.5) * 2").value(values)[:2].tolist() == [3, 4]
    assert Expression.of("`a b` > 1").missing(values).tolist() == [False, False, True]
    assert set(Expression.of("where(c == 'x', `a b`, 0)").names) == {"c", "a b"}


def test_a_variable_nested_in_another_keeps_to_it(people):
    detail = people["marital"].astype(str) + " " + (people["age"] // 30).astype(int).astype(str)
    table = pd.DataFrame({"marital": people["marital"], "detail": detail.astype("category")})
    made = synthesise(table, models={"detail": {"model": "nested", "within": "marital"}})
    assert (made.table["detail"].astype(str).str[:-2] == made.table["marital"].astype(str)).all()
    assert made.record["predictors"]["detail"] == ["marital"]


def test_survival_times_go_with_their_events_and_are_missing_together():
    rng = np.random.default_rng(6)
    months = rng.exponential(10, 800).round()
    found = np.where(months > 12, "no", "yes")
    out = rng.random(800) < 0.5
    table = pd.DataFrame(
        {
            "x": rng.normal(size=800),
            "found": pd.Categorical(np.where(out, None, found)),
            "months": np.where(out, np.nan, months),
        }
    )
    made = synthesise(table, models={"months": {"model": "survival_tree", "event": "found"}})
    assert (made.table["months"].isna() == made.table["found"].isna()).all()
    there = made.table.dropna()
    assert ((there["months"] > 12) == (there["found"] == "no")).all()
    assert made.record["models"]["found"] == "survival_tree"
    assert made.record["visit"] == ["x", "months", "found"]


def test_rules_hold_for_events_too():
    rng = np.random.default_rng(8)
    table = pd.DataFrame(
        {
            "x": rng.normal(size=300),
            "found": pd.Categorical(rng.choice(["no", "yes"], 300)),
            "months": rng.exponential(10, 300),
        }
    )
    given = {
        "models": {"months": {"model": "survival_tree", "event": "found"}},
        "rules": [{"when": "x > 1", "then": {"found": "no"}}],
    }
    made = synthesise(table, **given).table
    assert (made["found"][made["x"] > 1] == "no").all()
    with pytest.raises(CannotProtect, match="found, whose value follows"):
        synthesise(table, models=given["models"], constraints=["found == 'no' or x < 0"])


def test_derived_variables_may_be_derived_from_derived_ones(people):
    models = {
        "net": {"model": "passive", "formula": "tax * 2"},
        "tax": {"model": "passive", "formula": "income / 2"},
    }
    made = synthesise(people[["net", "tax", "income"]], models=models)
    assert made.record["visit"] == ["income", "tax", "net"]
    assert made.table["net"].to_numpy() == pytest.approx(made.table["income"].to_numpy())
    loop = {"net": {"model": "passive", "formula": "tax"}, "tax": {"model": "passive", "formula": "net"}}
    with pytest.raises(BadOption, match="cannot be drawn before it"):
        synthesise(people[["net", "tax"]], models=loop)


def test_nothing_can_be_asked_of_a_variable_that_is_not_drawn(people):
    table = people.assign(h=pd.Categorical(np.arange(len(people)).astype(str)))
    with pytest.raises(BadOption, match="h is not drawn"):
        synthesise(table, roles=roles_of(table, h=Role.HOUSEHOLD), constraints=["h == 'x' or age > 3"])


def test_several_syntheses_differ_and_proper_ones_more():
    rng = np.random.default_rng(7)
    table = pd.DataFrame({"x": rng.normal(size=40), "y": rng.normal(size=40)})
    made = synthesise(table, m=3)
    assert len(made.syntheses) == 2
    assert not made.table.equals(made.syntheses[0])

    def spread(*, proper):
        drawn = synthesise(table, m=200, rows=40, proper=proper, model="norm")
        return np.std([frame["x"].mean() for frame in (drawn.table, *drawn.syntheses)])

    assert spread(proper=True) > 1.2 * spread(proper=False)


@pytest.mark.parametrize("rows", [1, 7, 500])
def test_any_number_of_records_can_be_asked_for(people, rows):
    dated = people.assign(
        day=pd.to_datetime("2020-01-01") + pd.to_timedelta(np.arange(len(people)) % 365, unit="D")
    )
    made = synthesise(dated, rows=rows).table
    assert len(made) == rows
    assert made.dtypes.equals(dated.dtypes)


def test_strata_keep_their_sizes_and_do_not_mix(people):
    table = pd.DataFrame({"s": pd.Categorical(np.where(people["age"] < 30, "a", "b")), "age": people["age"]})
    made = synthesise(table, strata=["s"], model="sample").table
    assert made["s"].value_counts().to_dict() == table["s"].value_counts().to_dict()
    assert ((made["age"] < 30) == (made["s"] == "a")).all()


def test_records_are_shared_out_by_the_largest_remainders():
    assert shares_of(10, [1, 1, 1]) == [4, 3, 3]
    assert shares_of(7, [26, 44]) == [3, 4]
    assert sum(shares_of(101, [3, 5, 9])) == 101


def test_case_weights_count_records_and_give_all_the_same_weight():
    table = pd.DataFrame(
        {
            "g": pd.Categorical(["a"] * 500 + ["b"] * 500),
            "w": [1.0] * 500 + [9.0] * 500,
            "x": np.arange(1000.0),
        }
    )
    roles = roles_of(table, w=Role.WEIGHT)
    made = synthesise(table, roles=roles, weights="case").table
    assert (made["g"] == "b").mean() == pytest.approx(0.9, abs=0.05)
    assert made["w"].unique() == pytest.approx([5.0])
    plain = synthesise(table, roles=roles).table
    assert (plain["g"] == "b").mean() == pytest.approx(0.5, abs=0.07)
    with pytest.raises(BadOption, match="no weight"):
        synthesise(table, weights="case")


@pytest.fixture(scope="module")
def homes():
    rng = np.random.default_rng(11)
    sizes = rng.choice([1, 2, 3, 4], 400)
    home = np.repeat(np.arange(400), sizes)
    region = rng.choice(list("NSEW"), 400)[home]
    adult = np.arange(len(home)) - np.repeat(np.cumsum(sizes) - sizes, sizes) < 2
    lead = rng.normal(45, 10, 400)[home].round()
    age = np.where(
        adult,
        lead + (rng.random(len(home)) * 4).round() * (np.diff(home, prepend=-1) == 0),
        rng.integers(0, 15, len(home)),
    )
    table = pd.DataFrame(
        {
            "h": pd.Categorical(home.astype(str)),
            "region": pd.Categorical(region),
            "size": sizes[home].astype(float),
            "age": age,
        }
    )
    return table, roles_of(table, h=Role.HOUSEHOLD)


def test_households_are_kept_whole(homes):
    table, roles = homes
    made = synthesise(table, roles=roles)
    drawn = made.table
    assert len(drawn) == len(table)
    by_home = drawn.groupby("h", observed=True)
    assert (drawn[["h", "region"]].drop_duplicates().groupby("h", observed=True).size() == 1).all()
    assert (by_home.size() == by_home["size"].first()).all()
    share = table.groupby("h", observed=True).size().value_counts(normalize=True)
    assert by_home.size().value_counts(normalize=True)[1] == pytest.approx(share[1], abs=0.12)
    assert "once for each household" in made.record["households"]
    assert made.record["models"]["size"] == "passive"


def test_members_agree_with_the_first_of_their_household(homes):
    """Partners are at most four years apart: the correlation of the first two members' ages survives."""
    table, roles = homes

    def agreement(frame):
        by_home = frame[frame["size"] >= 2].groupby("h", observed=True)["age"]
        return np.corrcoef(by_home.nth(0), by_home.nth(1))[0, 1]

    assert agreement(table) > 0.95
    assert agreement(synthesise(table, roles=roles).table) > 0.8
    apart = synthesise(table, roles=roles, households="separate")
    assert apart.table["h"].nunique() == len(table)
    assert "of its own" in apart.record["households"]


def test_sizes_of_households_add_up_to_the_records_wanted():
    for rows in (1, 2, 17, 100):
        assert sizes_for(np.array([2, 3, 5]), rows, np.random.default_rng(rows)).sum() == rows


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"models": {"marital": "norm"}}, "norm draws numbers, and marital holds categories"),
        ({"models": {"age": "polyreg"}}, "polyreg draws categories, and age holds numbers"),
        ({"spikes": {"marital": [0]}}, "marital does not hold numbers"),
        (
            {"models": {"age": {"model": "passive", "formula": "height * 2"}}},
            "no variable is called 'height'",
        ),
        ({"predictors": {"age": ["weight"]}}, "no variable is called 'weight'"),
    ],
)
def test_what_cannot_be_is_said_with_names_only(people, given, told):
    with pytest.raises(BadOption, match=told):
        synthesise(people, **given)


@pytest.mark.parametrize(
    "given",
    [
        {"models": {"age": {"model": "norm", "minbucket": 3}}},
        {"model": "nested"},
        {"models": {"age": {"model": "passive"}}},
    ],
)
def test_options_of_models_are_checked_before_data_are_read(given):
    with pytest.raises(ValidationError):
        find_method("sequential").arguments(given)
