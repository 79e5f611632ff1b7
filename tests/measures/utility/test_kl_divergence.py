"""kl_divergence against the corrected slide and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import entropy

from sdc.measures.utility.kl_divergence import kl_divergence
from sdc.statistics.counts.contingency import kullback_leibler


def test_the_class_of_the_lecture_with_the_logarithm_it_forgot(worked_examples):
    case = worked_examples["K-KL"]
    found, filled = kullback_leibler(np.array(case["inputs"]["p"]), np.array(case["inputs"]["q"]))
    assert found == pytest.approx(case["recomputed"], rel=1e-12)
    assert filled == 0


def test_it_is_scipys_relative_entropy():
    original, candidate = np.array([5, 3, 9, 1]), np.array([1, 4, 2, 7])
    assert kullback_leibler(original, candidate)[0] == pytest.approx(entropy(original, candidate), rel=1e-12)


def test_a_category_the_candidate_lost_gets_half_a_record_and_is_counted(pair_of):
    found = kl_divergence(pair_of({"a": ["x", "y", "y", "z"]}, {"a": ["x", "y", "y"]}))
    assert found.parts["filled.a"] == 1
    assert found.value == pytest.approx(entropy([1, 2, 1], [1, 2, 0.5]), rel=1e-12)


def test_a_category_the_candidate_invented_takes_its_share(pair_of):
    found = kl_divergence(pair_of({"a": ["x", "y"]}, {"a": ["x", "y", "z", "z"]}))
    assert found.value == pytest.approx(np.log(2))


def test_numbers_are_cut_into_bins_of_both_tables_pooled(pair_of):
    found = kl_divergence(pair_of({"a": [1, 2, 3, 4]}, {"a": [1, 1, 1, 4]}), bins=2)
    assert found.value == pytest.approx(entropy([1, 3], [3, 1]), rel=1e-12)
