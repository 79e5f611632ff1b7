"""The trees of propensity_mse against rpart and partykit."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.comparison import candidate_records, features
from sdc.measures.utility.propensity_mse import propensity_mse
from sdc.statistics.regression.design import Feature
from sdc.statistics.regression.propensity import summarise_scores
from sdc.statistics.regression.propensity_models import TreeRules, inference_scorer, tree_scorer
from sdc.statistics.trees.classification import TreeColumns, grow_tree

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "households" / "propensity_trees.json").read_text()
)
CASES = GOLDEN["outputs"]


@pytest.fixture(scope="module")
def pair_named(golden_pair, households, pair_of):
    halves = pair_of(households[GOLDEN["inputs"]["nine"]][::2], households[GOLDEN["inputs"]["nine"]][1::2])
    return lambda name: halves if name == "halves" else golden_pair(name)


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(str(value) for value in case.values()))
def test_a_tree_is_that_of_the_peer(case, pair_named):
    pair = pair_named(case["candidate"])
    held, is_candidate = features(pair, GOLDEN["inputs"][case["variables"]]), candidate_records(pair)
    rules = TreeRules(case["min_split"], case["min_leaf"], complexity=case.get("complexity", 0.0))
    scorer = (
        tree_scorer(held, rules) if case["model"] == "cart" else inference_scorer(held, rules, case["alpha"])
    )
    found = scorer(is_candidate)
    assert summarise_scores(found.scores, is_candidate).pmse == pytest.approx(
        case["pMSE"], rel=0.02 if case["ties"] else 1e-9
    )
    assert found.facts["leaves"] == pytest.approx(case["leaves"], abs=0, rel=0.07 if case["ties"] else 0)


def test_the_golden_trees_have_splits_and_only_two_have_ties():
    assert sum(case["leaves"] > 1 for case in CASES) == 42 - 12
    assert sum(case["ties"] for case in CASES) == 2


def grown(values, labels, **options):
    return grow_tree(
        TreeColumns.of([Feature("x", np.array(values, dtype=float))]),
        np.array(labels),
        least_split=2,
        least_leaf=1,
        **options,
    )


def test_a_split_that_saves_no_error_is_pruned_by_errors_and_kept_by_impurity():
    """Ten records of value 0 with 6 ones, ten of value 1 with 9 ones.

    Both sides are ones, so the errors stay at 4 + 1.
    """
    values, labels = np.repeat([0, 1], 10), [0] * 4 + [1] * 6 + [0] + [1] * 9
    assert grown(values, labels, criterion="misclassification", complexity=0.0).leaves == 1
    assert grown(values, labels, criterion="gini", complexity=0.0).leaves == 2


@pytest.mark.parametrize(("complexity", "leaves"), [(0.59, 2), (0.61, 1)])
def test_a_split_stays_while_it_saves_more_than_the_share_of_the_errors_of_the_root(complexity, leaves):
    """Eight of ten zeros on the left, eight of ten ones on the right.

    10 errors become 4, which saves 0.6 of them.
    """
    labels = [0] * 8 + [1] * 2 + [1] * 8 + [0] * 2
    assert (
        grown(np.repeat([0, 1], 10), labels, criterion="misclassification", complexity=complexity).leaves
        == leaves
    )


def test_a_node_below_min_split_and_a_leaf_below_min_leaf_are_not_made(pair_of):
    pair = pair_of({"x": [0.0] * 4 + [1.0] * 4}, {"x": [0.0] * 1 + [1.0] * 5})
    options = {"model": "cart", "null": "none", "complexity": 0.0, "rng": np.random.default_rng(0)}
    assert propensity_mse(pair, min_split=14, min_leaf=5, **options).parts["leaves"] == 2
    assert isinstance(propensity_mse(pair, min_split=15, min_leaf=5, **options), NotAssessed)
    assert isinstance(propensity_mse(pair, min_split=14, min_leaf=6, **options), NotAssessed)


def test_where_no_table_differing_by_chance_lets_the_tree_split_nothing_is_assessed(pair_of):
    """Not 0, which would open a gate.

    The tree needs a tenth of the errors for a split and would miss what a smaller one finds.
    """
    rng = np.random.default_rng(1)
    original, candidate = ({"x": rng.normal(shift, 1, 4000)} for shift in (0, 0.1))
    coarse = propensity_mse(pair_of(original, candidate), model="cart", complexity=0.2, rng=rng)
    assert isinstance(coarse, NotAssessed)
    assert "complexity" in coarse.reason


def test_a_conditional_inference_tree_splits_by_the_variable_that_differs(pair_of):
    rng = np.random.default_rng(2)
    original = pd.DataFrame({"x": rng.normal(size=300), "y": rng.normal(size=300)})
    candidate = original.assign(y=original["y"] + 10)
    found = propensity_mse(pair_of(original, candidate), model="ctree", alpha=0.05, null="none", rng=rng)
    assert (found.parts["pmse"], found.parts["leaves"]) == (0.25, 2)


def test_missing_values_are_told_by_a_conditional_inference_tree(pair_of):
    """Half of the candidate's numbers are missing and none of the original's.

    Leaves of 100 with share 1, and 300 with 1/3.
    """
    numbers = np.tile([1.0, 2.0], 100)
    found = propensity_mse(
        pair_of({"x": numbers}, {"x": np.where(np.arange(200) < 100, np.nan, numbers)}),
        model="ctree",
        alpha=0.05,
        null="none",
        rng=np.random.default_rng(0),
    )
    assert found.parts["pmse"] == pytest.approx((100 * 0.5**2 + 300 * (1 / 3 - 0.5) ** 2) / 400, rel=1e-12)
