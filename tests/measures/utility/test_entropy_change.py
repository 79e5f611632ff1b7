"""entropy_change against the slides and base R."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sdc.measures.utility.entropy_change import entropy_change
from sdc.statistics.counts.contingency import shannon_entropy


@pytest.mark.parametrize("case", ["T-entropy-hsize", "T-entropy-pb220a-correct", "T-entropy-pb220a-NAcat"])
def test_entropies_of_the_slides(case, worked_examples):
    assert shannon_entropy(np.array(worked_examples[case]["inputs"]["freqs"])) == pytest.approx(
        worked_examples[case]["recomputed"], rel=1e-12
    )


def test_the_slide_that_counts_missing_values_in_the_total_only_is_not_an_entropy(worked_examples):
    """Its number is recognisable.

    It is ours of the observed values, times their share, plus the share's own term.
    """
    case = worked_examples["T-entropy-pb220a-printed"]
    share = sum(case["inputs"]["freqs"]) / case["parameters"]["n"]
    ours = shannon_entropy(np.array(case["inputs"]["freqs"]))
    assert share * ours - share * math.log(share) == pytest.approx(case["recomputed"], rel=1e-9)


def test_entropies_of_the_golden_suppression_agree_with_base_r(golden, golden_pair):
    expected = golden("entropy")["outputs"]
    found = entropy_change(golden_pair("local_suppression_k3"))
    for name, values in expected["candidates"]["local_suppression_k3"].items():
        assert found.parts[f"original.{name}"] == pytest.approx(expected[name]["n_is_non_missing"], abs=1e-12)
        assert found.parts[f"candidate.{name}"] == pytest.approx(values["n_is_non_missing"], abs=1e-12)
    assert found.value == max(value for name, value in found.parts.items() if name.startswith("change."))


def test_pram_hardly_changes_the_entropy_of_region(golden, golden_pair):
    found = entropy_change(golden_pair("pram_region"))
    assert found.parts["candidate.region"] == pytest.approx(
        golden("entropy")["outputs"]["candidates"]["region_of_pram_region"], abs=1e-12
    )


def test_recoding_shows_as_lost_entropy(pair_of):
    found = entropy_change(pair_of({"age": [20, 21, 30, 31]}, {"age": ["20-29", "20-29", "30-39", "30-39"]}))
    assert found.value == pytest.approx(0.5)


def test_labels_nobody_can_read_still_have_an_entropy(pair_of):
    assert entropy_change(pair_of({"age": [20, 21]}, {"age": ["young", "young"]})).value == 1


def test_a_constant_that_stays_one_lost_nothing(pair_of):
    assert entropy_change(pair_of({"a": ["x", "x"]}, {"a": ["x"]})).value == 0
    assert entropy_change(pair_of({"a": ["x", "x"]}, {"a": ["x", "y"]})).value == 1
