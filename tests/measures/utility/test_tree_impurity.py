"""tree_impurity against the thesis, and the tree against brute force."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.utility.tree_impurity import tree_impurity
from sdc.statistics.regression.design import Feature
from sdc.statistics.trees.classification import TreeColumns, grow_tree, node_gini, overall_gini


def counts(labels):
    return [labels.count("M"), labels.count("F")]


@pytest.mark.parametrize("case", ["Q-4.4.9-leaf0", "Q-4.4.9-leaf1", "Q-4.4.9-leaf2", "Q-4.4.9-root"])
def test_nodes_of_the_small_tree(case, worked_examples):
    assert node_gini(counts(worked_examples[case]["inputs"]["labels"])) == pytest.approx(
        worked_examples[case]["recomputed"], rel=1e-12, abs=1e-15
    )


def test_the_small_tree_leaves_an_impurity_of_point_35(worked_examples):
    leaves = np.array([counts(leaf) for leaf in worked_examples["Q-4.4.9-overall"]["inputs"]["leaves"]])
    assert overall_gini(leaves) == pytest.approx(worked_examples["Q-4.4.9-overall"]["recomputed"], rel=1e-12)


def best_by_hand(columns, labels, least):
    """Smallest weighted impurity over all cuts of all columns.

    Thresholds of numbers, all subsets of categories.
    """
    best = node_gini(np.bincount(labels))
    for values, categorical in columns:
        levels = np.unique(values)
        sides = (
            [
                np.isin(values, levels[[bool(mask >> bit & 1) for bit in range(levels.size)]])
                for mask in range(1, 2**levels.size - 1)
            ]
            if categorical
            else [values <= level for level in levels[:-1]]
        )
        for left in sides:
            if least <= left.sum() <= labels.size - least:
                best = min(
                    best,
                    overall_gini(
                        np.array([np.bincount(labels[side], minlength=2) for side in (left, ~left)])
                    ),
                )
    return best


def test_the_first_split_is_the_best_of_all():
    rng = np.random.default_rng(1)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        number, category, labels = (
            rng.integers(0, 12, 40).astype(float),
            rng.integers(0, 5, 40),
            rng.integers(0, 2, 40),
        )
        columns = TreeColumns.of([Feature("x", number), Feature("k", category, 5)])
        tree = grow_tree(columns, labels, complexity=0.0, least_split=2, least_leaf=3, deepest=1)
        assert tree.gini == pytest.approx(
            best_by_hand([(number, False), (category, True)], labels, 3), rel=1e-12
        )


def test_many_values_are_cut_as_few_are(monkeypatch):
    rng = np.random.default_rng(2)
    number, labels = rng.integers(0, 200, 3000).astype(float), rng.integers(0, 2, 3000)
    labels[number > 120] |= rng.integers(0, 2, (number > 120).sum())
    few = grow_tree(TreeColumns.of([Feature("x", number)]), labels)
    monkeypatch.setattr("sdc.statistics.trees.classification.FEW", 10)
    many = grow_tree(TreeColumns.of([Feature("x", number)]), labels)
    assert few.leaves == many.leaves > 1
    assert few.leaf.tolist() == many.leaf.tolist()


def test_pruning_leaves_the_best_tree_for_its_price():
    """The cost of the pruned tree, impurity plus price a split, is no more than that of any depth-limited one."""
    rng = np.random.default_rng(3)
    features = [Feature(name, rng.normal(size=600)) for name in "xy"]
    labels = (features[0].values + rng.normal(size=600) > 0).astype(int)
    columns = TreeColumns.of(features)
    price = 0.01 * node_gini(np.bincount(labels))

    def cost(tree):
        return tree.gini + price * (tree.leaves - 1)

    best = cost(grow_tree(columns, labels, complexity=0.01))
    assert all(
        best <= cost(grow_tree(columns, labels, complexity=other, deepest=depth)) + 1e-12
        for other in (0.0, 0.005)
        for depth in (1, 2, 3, 30)
    )


def test_records_sent_down_again_reach_their_leaf():
    rng = np.random.default_rng(4)
    features = [
        Feature("x", rng.normal(size=500)),
        Feature("k", rng.integers(-1, 6, 500), 6),
        Feature("gaps", np.where(rng.random(500) < 0.2, np.nan, 1.0)),
    ]
    labels = rng.integers(0, 3, 500)
    columns = TreeColumns.of(features)
    tree = grow_tree(columns, labels, 3, complexity=0.0)
    assert tree.leaves > 10
    assert tree.route(columns).tolist() == tree.leaf.tolist()
    assert tree.counts.sum() == 500


def test_the_same_table_has_the_same_impurity(golden_pair, pair_of, households):
    table = households[["sex", "age", "activity", "health"]]
    found = tree_impurity(pair_of(table, table.sample(frac=1, random_state=1)), target="health")
    assert found.value == 0
    assert found.parts["original"] == found.parts["candidate"] == found.parts["candidate_own"]


def test_a_shuffled_target_is_not_explained_any_more(pair_of):
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"x": rng.normal(size=1000)}).assign(
        t=lambda held: np.where(held.x > 0, "yes", "no")
    )
    found = tree_impurity(pair_of(table, table.assign(t=rng.permutation(table.t))), target="t")
    assert found.parts["original"] == 0
    assert found.value == pytest.approx(0.5, abs=0.01)
    assert found.parts["leaves"] == 2


def test_without_a_target_it_says_so(pair_of):
    assert isinstance(tree_impurity(pair_of({"a": ["x"], "b": ["y"]}, {"a": ["x"], "b": ["y"]})), NotAssessed)
    assert isinstance(tree_impurity(pair_of({"a": ["x"]}, {"a": ["x"]}), target="a"), NotAssessed)


def test_the_structure_of_the_tree_is_told_without_its_values(pair_of):
    """x decides alone: one split at the root, two leaves that are pure."""
    rng = np.random.default_rng(3)
    x, noise = rng.normal(size=400), rng.normal(size=400)
    table = {"x": x, "noise": noise, "y": np.where(x > 0, "a", "b")}
    found = tree_impurity(pair_of(table, table), target="y")
    told = {
        name: value
        for name, value in found.parts.items()
        if name.split(".")[0] in ("first", "second", "leaf")
    }
    assert told == {"first.1.x": 2, "second.1": 3, "leaf.2": 1, "leaf.3": 2}
