from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.errors import BadOption
from sdc.methods.models.cart import cart as fit_cart
from sdc.statistics.synthesis.donors import Donors
from sdc.statistics.synthesis.feature import CompleteFeature, scored
from sdc.statistics.trees.donor_trees import grown


def roles_of(table, **roles):
    kinds = {
        name: VariableType.NUMERIC if table[name].dtype == float else VariableType.CATEGORICAL
        for name in table
    }
    return Roles.of(Variable(name, roles.get(name, Role.OTHER), kinds[name]) for name in table)


def synthesise(table, seed=0, roles=None, **given):
    entry = find_method("sequential")
    return entry.function(
        table, roles or roles_of(table), np.random.default_rng(seed), **entry.arguments(given)
    )


def cart(target, observed, synthetic, rng, **options):
    return fit_cart(target, observed, rng, **options)(synthetic, len(synthetic[0].values), rng)


@pytest.fixture(scope="module")
def survey(households):
    names = ["sex", "age", "education", "income", "health"]
    return households[names].astype(
        {"sex": "category", "education": "category", "health": "category", "age": float}
    )


@pytest.fixture(scope="module")
def drawn(survey):
    return synthesise(survey)


def test_synthetic_records_have_only_values_that_occur(survey, drawn):
    for name in survey:
        assert set(drawn.table[name].dropna()) <= set(survey[name].dropna())
    assert drawn.table.dtypes.equals(survey.dtypes)
    assert len(drawn.table) == len(survey)


def test_shares_of_categories_and_of_missing_values_are_near_those_observed(survey, drawn):
    """Four standard errors of a share of n draws, a little more for the model's own variation."""
    for name in ("sex", "education", "health"):
        before, after = (
            frame[name].astype(object).fillna("missing").value_counts(normalize=True)
            for frame in (survey, drawn.table)
        )
        error = 6 * np.sqrt(before * (1 - before) / len(survey))
        assert ((after.reindex(before.index).fillna(0) - before).abs() <= error).all()
    share = survey["income"].isna().mean()
    assert drawn.table["income"].isna().mean() == pytest.approx(share, abs=6 * np.sqrt(share / len(survey)))


def test_cart_keeps_dependence_and_sample_does_not():
    rng = np.random.default_rng(3)
    x = rng.normal(size=3000)
    table = pd.DataFrame({"x": x, "y": x + 0.2 * rng.normal(size=3000)})
    held = synthesise(table).table.corr().iloc[0, 1]
    lost = synthesise(table, model="sample").table.corr().iloc[0, 1]
    assert held > 0.95
    assert abs(lost) < 0.1


def test_a_predictor_of_many_unordered_levels_is_split_where_the_target_says():
    """Odd levels have 1, even ones 0: no split along the codes would find it, one along the means does."""
    levels = np.tile(np.arange(40), 50)
    target = CompleteFeature((levels % 2).astype(float))
    made = cart(
        target, [CompleteFeature(levels, 40)], [CompleteFeature(levels, 40)], np.random.default_rng(0)
    )
    assert made.tolist() == target.values.tolist()
    colours = CompleteFeature(levels % 3, 3)
    assert (
        cart(
            colours, [CompleteFeature(levels, 40)], [CompleteFeature(levels, 40)], np.random.default_rng(0)
        ).tolist()
        == colours.values.tolist()
    )


def test_levels_are_scored_by_the_mean_of_the_target():
    made = scored(CompleteFeature(np.array([0, 0, 1, 2]), 4), CompleteFeature(np.array([1.0, 3.0, 5.0, 7.0])))
    assert made.tolist() == [[2.0], [5.0], [7.0], [4.0]]


def test_donors_come_from_the_own_leaf_and_evenly():
    leaves = np.array([7, 3, 7, 3, 3])
    made = Donors.of(leaves).drawn(np.repeat([3, 7], 3000), np.random.default_rng(0))
    assert np.bincount(made[:3000], minlength=5) / 3000 == pytest.approx(
        [0, 1 / 3, 0, 1 / 3, 1 / 3], abs=0.04
    )
    assert np.bincount(made[3000:], minlength=5) / 3000 == pytest.approx([0.5, 0, 0.5, 0, 0], abs=0.04)


def test_leaves_have_at_least_minbucket_donors_and_cp_prunes():
    x = np.arange(100.0)
    one = cart(
        CompleteFeature(x), [CompleteFeature(x)], [CompleteFeature(x)], np.random.default_rng(0), minbucket=10
    )
    assert np.abs(one - x).max() >= 5
    assert np.abs(one - x).max() < 30
    whole = cart(
        CompleteFeature(x), [CompleteFeature(x)], [CompleteFeature(x)], np.random.default_rng(0), cp=0.99
    )
    assert np.abs(whole - x).max() > 60


def test_nodes_of_fewer_than_three_leaves_are_not_split():
    """29 records of two kinds stay in one leaf of 10 donors or more, 30 are told apart."""
    for records, kinds in ((29, 2), (30, 1)):
        x = np.repeat([0.0, 1.0], [records // 2, records - records // 2])
        tree = grown(CompleteFeature(x), [CompleteFeature(x)], 0, minbucket=10)
        assert len(set(tree.drawn([CompleteFeature(np.zeros(500))], np.random.default_rng(0)))) == kinds


def test_the_visit_is_the_order_named_then_that_of_the_file_and_the_weight_last():
    table = pd.DataFrame(
        {"w": [1.0, 2.0, 3.0], "a": [1.0, 2.0, 3.0], "b": [4.0, 9.0, 6.0], "h": pd.Categorical(list("xxy"))}
    )
    roles = roles_of(table, w=Role.WEIGHT, h=Role.HOUSEHOLD)
    made = synthesise(table, roles=roles, visit=["b"], households="separate")
    assert made.record["visit"] == ["b", "a", "w"]
    assert made.record["models"] == {"b": "sample", "a": "cart", "w": "cart"}
    assert made.record["predictors"] == {"b": [], "a": ["b"], "w": ["b", "a"]}
    assert list(made.table.columns) == ["w", "a", "b", "h"]
    assert made.table["h"].tolist() == ["1", "2", "3"]
    assert "household" in made.record["households"]


def test_a_sensitive_variable_that_is_only_sampled_is_named():
    table = pd.DataFrame({"income": [1.0, 2.0, 3.0], "age": [4.0, 9.0, 6.0]})
    roles = roles_of(table, income=Role.SENSITIVE)
    assert "all values of income are original ones" in synthesise(table, roles=roles).record["note"]
    assert "note" not in synthesise(table, roles=roles, visit=["age"]).record


def test_a_variable_can_have_a_model_of_its_own_and_a_model_options():
    table = pd.DataFrame({"a": np.arange(50.0), "b": np.arange(50.0)})
    made = synthesise(table, models={"b": "sample"})
    assert made.record["models"]["b"] == "sample"
    coarse = synthesise(table, settings={"cart": {"minbucket": 25}}).table
    fine = synthesise(table, settings={"cart": {"minbucket": 1}}).table
    assert (coarse["a"] - coarse["b"]).abs().max() > 10 > (fine["a"] - fine["b"]).abs().max()


@pytest.mark.parametrize(
    "given",
    [
        {"model": "cort"},
        {"settings": {"cart": {"minbuckets": 3}}},
        {"settings": {"cart": {"minbucket": 0}}},
        {"models": {"a": "nothing"}},
    ],
)
def test_unknown_models_and_options_are_refused_before_data_are_read(given):
    with pytest.raises(ValidationError):
        find_method("sequential").arguments(given)


def test_household_numbers_and_unknown_variables_cannot_be_visited():
    table = pd.DataFrame({"a": [1.0, 2.0], "h": pd.Categorical(list("xy"))})
    with pytest.raises(BadOption, match="h is the household number"):
        synthesise(table, roles=roles_of(table, h=Role.HOUSEHOLD), visit=["h"])
    with pytest.raises(BadOption, match="no variable is called 'c'"):
        synthesise(table, visit=["c"])


def test_dates_keep_their_moment():
    table = pd.DataFrame(
        {"t": pd.to_datetime(["2020-01-01 10:30:00.000", None, "1931-05-06 23:59:59.123"] * 10)}
    )
    made = synthesise(table).table
    assert set(made["t"].dropna()) <= set(table["t"].dropna())
    assert made.dtypes.equals(table.dtypes)
