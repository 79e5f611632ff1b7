from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from sdc.catalogue.measurement import NotAssessed
from sdc.data.release_pair import Side
from sdc.data.roles import MissingRule
from sdc.measures.risk.t_closeness import t_closeness
from sdc.statistics.attribution.closeness import (
    equal_distances,
    hierarchical_distances,
    kl_distances,
    ordered_distances,
)

ORDER = ("-ve", "Zero", "+ve")


def by_class(pair, function, ranks=None):
    """The distance of each class, in the order in which its key occurs first."""
    counts = pair.target_counts(pair.roles.quasi_identifiers, "target")
    target = (
        counts.target
        if ranks is None
        else np.array([ranks.index(level) for level in counts.levels])[counts.target]
    )
    overall = np.bincount(target, counts.count)
    values = function(counts.count, target, counts.offsets, overall)
    keys = pair.frame(pair.roles.quasi_identifiers, Side.CANDIDATE).astype(str).agg("|".join, axis=1)
    place = {key: number for number, key in enumerate(sorted(set(keys)))}
    return [values[place[key]] for key in dict.fromkeys(keys)]


def example(example_pair, case, **options):
    return example_pair(case["inputs"]["keys"], case["inputs"]["sens"], **options)


@pytest.mark.parametrize("place", range(5))
def test_divergence_of_each_class_is_that_of_the_worked_example(example_pair, worked_examples, place):
    case = worked_examples[f"Q-2.4.2-KL-{place}"]
    assert by_class(example(example_pair, case), kl_distances)[place] == pytest.approx(case["recomputed"])


def test_t_of_the_worked_example_is_the_corrected_one(example_pair, worked_examples):
    case = worked_examples["Q-2.4.2-t"]
    outcome = t_closeness(example(example_pair, case))
    assert outcome.value == pytest.approx(case["recomputed"])
    classes = [worked_examples[f"Q-2.4.2-KL-{place}"]["recomputed"] for place in range(5)]
    assert outcome.parts["mean_distance"] == pytest.approx(np.mean(classes))
    assert outcome.parts["distance.target"] == outcome.value


@pytest.mark.parametrize("case", ["Q-2.4.2-t-coarse", "Q-2.4.2-t-coarse-as-tabulated"])
def test_coarser_classes_are_closer(example_pair, worked_examples, case):
    held = worked_examples[case]
    pair = example(example_pair, held)
    assert by_class(pair, kl_distances) == pytest.approx(held["recomputed"])
    assert t_closeness(pair).value == pytest.approx(max(held["recomputed"]))


def test_equal_distances_are_those_of_the_worked_example(example_pair, worked_examples):
    case = worked_examples["Q-2.4.2-emd-equal"]
    pair = example(example_pair, case)
    assert by_class(pair, equal_distances) == pytest.approx(case["recomputed"])
    assert t_closeness(pair, distance="equal").value == pytest.approx(max(case["recomputed"]))


def test_ordered_distances_are_those_of_the_worked_example(example_pair, worked_examples):
    case = worked_examples["Q-2.4.2-emd-ordered"]
    pair = example(example_pair, case, order=ORDER)
    assert by_class(pair, ordered_distances, list(ORDER)) == pytest.approx(case["recomputed"])
    assert t_closeness(pair, distance="ordered").value == pytest.approx(max(case["recomputed"]))


def test_ordered_distances_of_numbers_are_wasserstein_distances_of_ranks(example_pair):
    rng = np.random.default_rng(7)
    keys, values = rng.choice(list("abcd"), 200).tolist(), rng.integers(-20, 20, 200).astype(float) / 4
    ranks = np.unique(values, return_inverse=True)[1]
    own = {key: ranks[np.array(keys) == key] for key in "abcd"}
    expected = [wasserstein_distance(each, ranks) / ranks.max() for each in own.values()]
    outcome = t_closeness(example_pair(keys, values.tolist()), distance="ordered")
    assert outcome.value == pytest.approx(max(expected))
    assert outcome.parts["mean_distance"] == pytest.approx(np.mean(expected))


def test_hierarchical_distances_move_the_surplus_up_to_the_lowest_common_ancestor(example_pair):
    tree = {"flu": ["lung", "any"], "asthma": ["lung", "any"], "ulcer": ["stomach", "any"]}
    pair = example_pair(["a", "a", "b", "b"], ["flu", "flu", "asthma", "ulcer"])
    # Class a has 1/2 too much flu: 1/4 goes to asthma at height 1 of 2, 1/4 to ulcer at height 2 of 2.
    assert t_closeness(pair, distance="hierarchical", hierarchy=tree).value == pytest.approx(
        1 / 4 * 1 / 2 + 1 / 4
    )


def test_a_flat_hierarchy_is_the_equal_distance(example_pair):
    rng = np.random.default_rng(1)
    pair = example_pair(rng.choice(list("abc"), 60).tolist(), rng.choice(list("wxyz"), 60).tolist())
    flat = {level: ["root"] for level in "wxyz"}
    assert t_closeness(pair, distance="hierarchical", hierarchy=flat).value == pytest.approx(
        t_closeness(pair, distance="equal").value
    )


def test_blocks_of_classes_give_the_same_distances(monkeypatch):
    rng = np.random.default_rng(2)
    offsets, target = np.arange(0, 61, 3), np.tile([0, 2, 3], 20)
    count = rng.integers(1, 9, 60)
    ancestors = [np.array([0, 0, 1, 1]), np.zeros(4, dtype=int)]
    arguments = (count, target, offsets, np.array([4, 3, 2, 1]), ancestors)
    whole = hierarchical_distances(*arguments)
    monkeypatch.setattr("sdc.statistics.attribution.closeness.BLOCK", 28)
    assert hierarchical_distances(*arguments) == pytest.approx(whole)


def test_a_class_like_the_table_is_at_no_distance(example_pair):
    pair = example_pair(["a", "a", "b", "b"], ["1", "2", "1", "2"], order=("1", "2"))
    for distance in ("kl", "equal", "ordered"):
        assert t_closeness(pair, distance=distance).value == 0


def test_a_missing_key_shares_the_distribution_of_all_it_matches(example_pair):
    pair = example_pair([["a", "x"], ["a", None], ["b", "y"], ["b", "y"]], ["1", "2", "1", "2"])
    assert t_closeness(pair, distance="equal").value == pytest.approx(1 / 2)
    assert t_closeness(pair, distance="equal", missing=MissingRule.WILDCARD).value == 0


def test_the_worst_sensitive_variable_decides(household_pair):
    pair = household_pair(["region", "sex"])
    outcome = t_closeness(pair, sensitive=["health", "income"], bins=5)
    assert outcome.value == max(outcome.parts["distance.health"], outcome.parts["distance.income"])


def test_an_order_or_a_hierarchy_that_is_not_declared_is_asked_for(example_pair):
    pair = example_pair(["a", "b"], ["x", "y"])
    assert isinstance(t_closeness(pair, distance="ordered"), NotAssessed)
    assert isinstance(t_closeness(pair, distance="hierarchical", hierarchy={"x": ["root"]}), NotAssessed)
    assert isinstance(t_closeness(example_pair(["a"], [None])), NotAssessed)


def test_numbers_by_the_edges_given(example_pair):
    """Class a has two of two low values where the table has three of four: total variation 1/4.

    B has one of two.
    """
    pair = example_pair(list("aabb"), [1.0, 2.0, 3.0, 40.0])
    found = t_closeness(pair, distance="equal", edges={"target": [0, 10, 100]})
    assert (found.value, found.parts["mean_distance"]) == (0.25, 0.25)
    assert t_closeness(pair, distance="equal", bins=2, binning="equal_length").value == 0.25
    assert t_closeness(pair, distance="ordered", edges={"target": [0, 10, 100]}).value == 0.25
    assert t_closeness(pair, distance="equal", bins=2).value == 0.5
