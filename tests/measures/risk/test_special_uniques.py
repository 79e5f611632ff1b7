from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.risk.special_uniques import special_uniques

SIX = ["region", "sex", "marital_status", "education", "activity", "household_size"]


@pytest.mark.parametrize(
    ("case", "fraction", "complete"),
    [
        ("complete_records_only", 0.01, True),
        ("complete_records_only_dis_fraction_0.1", 0.1, True),
        ("missing_never_in_a_unique", 0.01, False),
    ],
)
def test_scores_are_those_of_sdcmicro(household_pair, households, golden, case, fraction, complete):
    expected = golden("suda2")["outputs"][case]
    pair = household_pair(SIX, households["education"].notna() if complete else None)
    outcome = special_uniques(pair, dis_fraction=fraction)
    for name, rel in (("score", 0), ("dis_score", 1e-6)):
        values, summary = outcome.by_record[name], expected[name]
        assert values[:20] == pytest.approx(summary["first_20"], rel=rel)
        assert values.sum() == pytest.approx(summary["sum"], rel=rel)
        assert (values**2).sum() == pytest.approx(summary["sum_of_squares"], rel=rel)
        assert values.max() == pytest.approx(summary["max"], rel=rel)
    assert (outcome.by_record["score"] > 0).sum() == expected["records_with_score_above_0"]
    for threshold in (0.01, 0.1):
        share = special_uniques(pair, dis_fraction=fraction, threshold=threshold).value
        assert share * expected["n_records"] == pytest.approx(expected[f"records_with_dis_above_{threshold}"])
    shares = expected["attribute_contributions"]
    for variable, contribution in zip(shares["variable"], shares["contribution"], strict=True):
        assert outcome.parts[f"contribution.{variable}"] == pytest.approx(contribution, rel=1e-9)
    assert outcome.parts["largest_score"] == expected["score"]["max"]
    assert outcome.parts["mean_score"] == pytest.approx(expected["score"]["sum"] / expected["n_records"])


def by_hand(rows, largest):
    """Scores by comparing every record with every other on every set of keys."""
    keys = len(rows[0])
    scores = []
    for record in rows:
        minimal = []
        for size in range(1, largest + 1):
            for chosen in combinations(range(keys), size):
                if any(record[key] is None for key in chosen) or any(
                    set(found) <= set(chosen) for found in minimal
                ):
                    continue
                if sum(all(other[key] == record[key] for key in chosen) for other in rows) == 1:
                    minimal.append(chosen)
        scores.append(sum(factorial(keys - len(found)) for found in minimal))
    return scores


@pytest.mark.parametrize("largest", [1, 2, 4])
def test_scores_agree_with_comparing_every_record(example_pair, largest):
    rng = np.random.default_rng(6)
    rows = [[None if value == 4 else "abcd"[value] for value in row] for row in rng.integers(0, 5, (40, 4))]
    outcome = special_uniques(example_pair(rows), max_size=largest)
    assert outcome.by_record["score"].tolist() == by_hand(rows, largest)


def test_a_file_without_uniques_has_no_score(example_pair):
    outcome = special_uniques(example_pair([["a", "b"], ["a", "b"]]))
    assert (outcome.value, outcome.parts["largest_score"], outcome.parts["contribution.key_0"]) == (0, 0, 0)


def test_a_single_record_is_special_by_every_key(example_pair):
    outcome = special_uniques(example_pair([["a", "b"]]))
    assert outcome.value == 1
    assert outcome.parts["largest_score"] == 2


def test_too_many_sets_of_keys_are_not_tried(example_pair):
    assert isinstance(special_uniques(example_pair([["a"] * 20])), NotAssessed)
    assert special_uniques(example_pair([["a"] * 20]), max_size=2).value == 1
