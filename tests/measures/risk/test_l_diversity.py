from __future__ import annotations

import numpy as np
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.data.release_pair import Side
from sdc.data.roles import MissingRule
from sdc.measures.risk.l_diversity import l_diversity
from sdc.statistics.attribution.diversity import distinct_l, entropy_l, recursive_l

FIVE = ["region", "sex", "marital_status", "education", "activity"]


def by_class(pair, function):
    """The value of each class, in the order in which its key occurs first."""
    counts = pair.target_counts(pair.roles.quasi_identifiers, "target")
    values = function(counts.count, counts.offsets)
    keys = pair.frame(pair.roles.quasi_identifiers, Side.CANDIDATE).astype(str).agg("|".join, axis=1)
    place = {key: number for number, key in enumerate(sorted(set(keys)))}
    return [values[place[key]] for key in dict.fromkeys(keys)]


def test_distinct_l_of_each_class_is_that_of_the_worked_example(example_pair, worked_examples):
    case = worked_examples["Q-2.3.2-l"]
    pair = example_pair(case["inputs"]["keys"], case["inputs"]["sens"])
    assert by_class(pair, distinct_l) == case["recomputed"]
    outcome = l_diversity(pair)
    assert outcome.value == case["printed"]["overall"]
    assert outcome.parts["share_of_classes_below_l"] == pytest.approx(3 / 5)
    assert outcome.parts["share_of_records_below_l"] == pytest.approx(6 / 11)


def test_entropy_l_of_each_class_is_that_of_the_worked_example(example_pair, worked_examples):
    case = worked_examples["Q-2.3.2-l-entropy"]
    pair = example_pair(case["inputs"]["keys"], case["inputs"]["sens"])
    assert by_class(pair, entropy_l) == pytest.approx(case["recomputed"])
    assert l_diversity(pair, variant="entropy").value == 1


def test_recursive_diversity_of_each_class_is_that_of_the_worked_example(example_pair, worked_examples):
    case = worked_examples["Q-2.3.2-l-recursive"]
    pair = example_pair(case["inputs"]["keys"], case["inputs"]["sens"])
    assert [
        value >= 2 for value in by_class(pair, lambda count, offsets: recursive_l(count, offsets, 3))
    ] == case["recomputed"]
    assert l_diversity(pair, variant="recursive", c=3, l=2).parts[
        "share_of_classes_below_l"
    ] == pytest.approx(3 / 5)


def test_a_continuous_variable_is_distinct_in_every_record(example_pair, worked_examples):
    case = worked_examples["Q-2.3.3-l-weights"]
    assert (
        l_diversity(example_pair(case["inputs"]["keys"], case["inputs"]["sens"])).value == case["recomputed"]
    )


def test_entropy_sees_a_lopsided_class_where_distinct_does_not(example_pair, worked_examples):
    case = worked_examples["Q-2.3.3-l-99-1"]
    pair = example_pair(case["inputs"]["keys"], case["inputs"]["sens"])
    assert l_diversity(pair).value == 2
    assert l_diversity(pair, variant="entropy").value == pytest.approx(case["recomputed"])


@pytest.mark.parametrize(
    ("case", "keys", "complete", "c"),
    [
        ("complete_keys_and_health", FIVE, True, 2),
        ("complete_keys_and_health_c_3", FIVE, True, 3),
        ("three_keys_health_present", FIVE[:3], False, 2),
        ("health_present_missing_education_own_category", FIVE, False, 2),
    ],
)
@pytest.mark.parametrize("variant", ["distinct", "entropy", "recursive"])
def test_diversity_of_health_is_that_of_sdcmicro(
    household_pair, households, golden, case, keys, complete, c, variant
):
    expected = golden("l_diversity")["outputs"][case][variant]
    pair = household_pair(keys, households["education"].notna() if complete else None)
    counts = pair.target_counts(keys, "health")
    function = {
        "distinct": distinct_l,
        "entropy": entropy_l,
        "recursive": lambda count, offsets: recursive_l(count, offsets, c),
    }[variant]
    values, known = function(counts.count, counts.offsets), counts.records > 0
    values, records = values[known], counts.records[known]
    assert records.sum() == expected["n"]
    assert (records * values).sum() == pytest.approx(expected["sum"], rel=1e-6)
    assert (records * values**2).sum() == pytest.approx(expected["sum_of_squares"], rel=1e-6)
    assert values.max() == pytest.approx(expected["max"], rel=1e-6)
    for least in (2, 3):
        outcome = l_diversity(pair, variant=variant, l=least - 1e-9, c=c, sensitive=["health"])
        assert outcome.value == pytest.approx(expected["min"], rel=1e-6)
        assert outcome.parts["share_of_records_below_l.health"] * expected["n"] == pytest.approx(
            expected[f"records_below_{least}"]
        )


def test_the_worst_sensitive_variable_decides(household_pair):
    pair = household_pair(FIVE[:3])
    both = l_diversity(pair, sensitive=["health", "income"])
    alone = l_diversity(pair, sensitive=["health"])
    assert both.value == min(alone.value, both.parts["smallest.income"])
    assert both.parts["share_of_records_below_l"] == max(
        both.parts["share_of_records_below_l.health"], both.parts["share_of_records_below_l.income"]
    )


def test_a_missing_key_pools_the_values_of_all_records_it_matches(example_pair):
    pair = example_pair([["a", "x"], ["a", None], ["b", "y"]], ["1", "2", "3"])
    assert l_diversity(pair).parts["share_of_records_below_l"] == 1
    wildcard = l_diversity(pair, missing=MissingRule.WILDCARD)
    assert wildcard.value == 1
    assert wildcard.parts["share_of_records_below_l"] == pytest.approx(1 / 3)


def test_wildcard_pools_agree_with_comparing_every_pair_of_records(example_pair):
    rng = np.random.default_rng(5)
    keys = [[None if value == 2 else "ab"[value] for value in row] for row in rng.integers(0, 3, (60, 3))]
    target = [None if value == 4 else "wxyz"[value] for value in rng.integers(0, 5, 60)]
    pools = [
        {
            target[j]
            for j in range(60)
            if target[j]
            and all(a is None or b is None or a == b for a, b in zip(keys[i], keys[j], strict=True))
        }
        for i in range(60)
        if target[i]
    ]
    outcome = l_diversity(example_pair(keys, target), l=4, missing=MissingRule.WILDCARD)
    assert outcome.value == min(map(len, pools))
    assert outcome.parts["share_of_records_below_l"] == pytest.approx(
        sum(len(pool) < 4 for pool in pools) / len(pools)
    )


def test_records_without_a_sensitive_value_are_left_out(example_pair):
    outcome = l_diversity(example_pair([["a"], ["a"], ["a"], ["b"]], ["1", "2", None, None]))
    assert outcome.value == 2
    assert outcome.parts["share_of_classes_below_l"] == 0


def test_a_sensitive_variable_without_values_is_not_assessed(example_pair):
    assert l_diversity(example_pair([["a"], ["b"]], [None, None])) == NotAssessed(
        "target has no values in the candidate"
    )


def test_numbers_count_by_class_where_classes_are_asked_for(example_pair):
    """Weights of 55.1, 55.3 and 55.4 kg are three values and one class; 60 kg is in another."""
    pair = example_pair(list("aaabb"), [55.1, 55.3, 55.4, 55.2, 60.0])
    assert l_diversity(pair).value == 2
    found = l_diversity(pair, edges={"target": [50, 56, 70]})
    assert (
        found.value,
        found.parts["share_of_classes_below_l"],
        found.parts["share_of_records_below_l"],
    ) == (1, 0.5, 0.6)
    assert l_diversity(pair, bins=2, binning="equal_length").value == 1


def test_edges_that_cut_no_sensitive_number_are_told(example_pair):
    pair = example_pair([1, 2], ["x", "y"])
    assert (
        l_diversity(pair, edges={"target": [0, 1]}).reason
        == "edges are given of target, which does not hold numbers in both tables"
    )
    assert (
        l_diversity(pair, edges={"key_0": [0, 1]}).reason == "edges are given of key_0, which is not compared"
    )
