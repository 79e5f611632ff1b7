from __future__ import annotations

import pytest
from thesis_tables import CANDIDATE, ORIGINAL, RESULT

from sdc.data.roles import MissingRule
from sdc.measures.risk.reidentification_risk import reidentification_risk


def test_the_smallest_class_of_the_worked_example_leaves_one_half(example_pair, worked_examples):
    case = worked_examples["Q-2.2.2-reid-Shields"]
    outcome = reidentification_risk(example_pair(case["inputs"]["keys"]))
    assert outcome.value == case["recomputed"] == outcome.parts["prosecutor_max"]
    # Five classes of 2, 2, 3, 2, 2 records: everyone tried, five are found among eleven.
    assert outcome.parts["marketer"] == pytest.approx(5 / 11)
    assert "journalist_max" not in outcome.parts


def test_shares_above_the_threshold_count_records(example_pair):
    pair = example_pair([["a"], ["b"], ["b"], ["c"], ["c"], ["c"]])
    assert reidentification_risk(pair, threshold=0.4).parts["prosecutor_share_above"] == pytest.approx(3 / 6)
    assert reidentification_risk(pair, threshold=0.5).parts["prosecutor_share_above"] == pytest.approx(1 / 6)


def test_the_journalist_looks_into_the_population(example_pair, worked_examples):
    released, population = (worked_examples[f"Q-2.1.2-PUE-{table}"]["inputs"]["keys"] for table in "YZ")
    original = [[sex, int(decade[:4])] for sex, decade in released]
    outcome = reidentification_risk(example_pair(original, None, released, population=population))
    # Women of the sixties 5, of the seventies 4; men of the fifties 4, sixties 5, seventies 5.
    assert outcome.parts["journalist_max"] == pytest.approx(1 / 4)
    assert outcome.parts["marketer_population"] == pytest.approx((2 / 4 + 2 / 5 + 3 / 4 + 2 / 5 + 2 / 5) / 11)
    assert outcome.value == pytest.approx(1 / 2)


def test_a_class_the_population_lacks_has_at_least_its_own_records(example_pair):
    outcome = reidentification_risk(example_pair([["a"], ["a"], ["b"]], population=[["b"], ["b"]]))
    assert outcome.parts["journalist_max"] == pytest.approx(1 / 2)


def test_without_a_population_file_weights_estimate_it(household_pair, golden):
    expected = golden("frequencies_and_individual_risk")["outputs"]["missing_is_own_category"]
    outcome = reidentification_risk(
        household_pair(["region", "sex", "marital_status", "education", "activity"])
    )
    assert outcome.parts["journalist_max"] == pytest.approx(1 / expected["Fk"]["min"])
    assert outcome.parts["marketer"] == pytest.approx(expected["n_distinct_keys"] / expected["n_records"])


def test_missing_keys_as_wildcards_hide_more(example_pair):
    pair = example_pair(
        [["a", "x"], ["a", None], ["b", "y"], ["b", "y"]], population=[["a", "x"]] * 3 + [["b", "y"]] * 4
    )
    assert reidentification_risk(pair).value == 1
    wildcard = reidentification_risk(pair, missing=MissingRule.WILDCARD)
    assert wildcard.value == pytest.approx(1 / 2)
    assert wildcard.parts["journalist_max"] == pytest.approx(1 / 3)


def test_the_journalist_counts_overlapping_ranges_by_containment(example_pair):
    """Table 2.5: the women's class holds 5 of the population, the men's 8."""
    population = [*ORIGINAL, ["Female", 1961], ["Male", 1950], ["Female", 1941]]
    outcome = reidentification_risk(example_pair(ORIGINAL, RESULT, CANDIDATE, RESULT, population=population))
    assert outcome.parts["journalist_max"] == 1 / 5
    assert outcome.parts["marketer_population"] == pytest.approx((4 / 5 + 7 / 8) / 11, rel=1e-12)
