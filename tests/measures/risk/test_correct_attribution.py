from __future__ import annotations

import pytest
from thesis_tables import CANDIDATE, ORIGINAL, RESULT

from sdc.catalogue.measurement import NotAssessed
from sdc.measures.risk.class_attribution import class_attribution
from sdc.measures.risk.correct_attribution import correct_attribution


def tables(case):
    return [case["inputs"][name] for name in ("KO", "TO", "KA", "TA")]


def test_scores_of_records_are_those_of_example_2_6_1(example_pair, worked_examples):
    pair = example_pair(*tables(worked_examples["Q-2.6.1-CAPA"]))
    outcome = correct_attribution(pair)
    assert outcome.by_record["cap"] == pytest.approx(worked_examples["Q-2.6.1-CAPA"]["recomputed"])
    assert outcome.value == pytest.approx(worked_examples["Q-2.6.1-scoresA"]["recomputed"])
    assert outcome.parts["original"] == pytest.approx(worked_examples["Q-2.6.1-scores"]["recomputed"])
    assert outcome.parts["base_rate"] == pytest.approx(worked_examples["Q-2.6.1-DCAP-baseline"]["recomputed"])


def test_the_original_against_itself_has_the_scores_of_the_original(example_pair, worked_examples):
    case = worked_examples["Q-2.6.1-CAPO"]
    keys, target = tables(case)[:2]
    assert correct_attribution(example_pair(keys, target)).by_record["cap"] == pytest.approx(
        case["recomputed"]
    )


def test_a_generalised_age_matches_every_age_it_holds_in_example_2_6_2(example_pair, worked_examples):
    case = worked_examples["Q-2.6.2-CAPA"]
    outcome = correct_attribution(example_pair(*tables(case)))
    assert outcome.value == pytest.approx(case["recomputed"])
    assert outcome.parts["original"] == pytest.approx(worked_examples["Q-2.6.2-CAPO"]["recomputed"])
    assert outcome.parts["matched_share"] == 1


def test_read_as_texts_the_ages_of_example_2_6_2_never_match(example_pair, worked_examples):
    assert worked_examples["Q-2.6.2-CAPA-literal"]["recomputed"] is None
    keys, target, candidate_keys, candidate_target = tables(worked_examples["Q-2.6.2-CAPA-literal"])
    texts = [[str(age), sex] for age, sex in keys]
    assert isinstance(
        correct_attribution(example_pair(texts, target, candidate_keys, candidate_target)), NotAssessed
    )


def test_continuous_targets_that_differ_ever_so_little_are_missed_in_example_2_6_3(
    example_pair, worked_examples
):
    case = worked_examples["Q-2.6.3-CAPA"]
    pair = example_pair(*tables(case))
    assert correct_attribution(pair).value == case["recomputed"]
    assert correct_attribution(pair, edges={"target": [0, 50, 55, 100]}).value == 1


@pytest.mark.parametrize(
    ("case", "place"),
    [("Q-2.2.2-guess-Green", 6), ("Q-2.2.2-guess-Shields", 0), ("Q-2.3.2-guess-3", 0)],
)
def test_guessing_within_a_class_is_right_as_often_as_the_value_occurs_there(
    example_pair, worked_examples, case, place
):
    held = worked_examples[case]
    outcome = correct_attribution(example_pair(held["inputs"]["keys"], held["inputs"]["sens"]))
    assert outcome.by_record["cap"][place] == pytest.approx(held["recomputed"])


def test_records_without_a_match_are_left_out_or_count_as_zero(example_pair):
    outcome = correct_attribution(example_pair(["a", "b", "c"], ["x", "y", "z"], ["a", "b"], ["x", "z"]))
    assert outcome.value == pytest.approx(1 / 2)
    assert outcome.parts["zero_for_unmatched"] == pytest.approx(1 / 3)
    assert outcome.parts["matched_share"] == pytest.approx(2 / 3)
    assert outcome.by_record["matched"].tolist() == [True, True, False]


def test_the_mean_over_records_is_the_probability_over_classes(household_pair, golden_pair):
    pair = household_pair(["sex", "age", "region", "marital_status"], candidate=golden_pair("synthpop_cart"))
    by_record, by_class = (
        correct_attribution(pair, target="health"),
        class_attribution(pair, target="health", bins=None),
    )
    assert by_record.value == pytest.approx(by_class.value, rel=1e-12)
    assert by_record.parts["matched_share"] == pytest.approx(by_class.parts["matched_share"])


def test_zero_for_unmatched_is_the_dcap_of_synthpop(household_pair, golden, golden_pair):
    expected = golden("disclosure")["outputs"]["cart"]["health"]["caps"]
    pair = household_pair(["sex", "age", "region", "marital_status"], candidate=golden_pair("synthpop_cart"))
    outcome = correct_attribution(pair, target="health")
    assert 100 * outcome.parts["zero_for_unmatched"] == pytest.approx(expected["DCAP"], rel=1e-9)
    assert 100 * outcome.parts["original"] == pytest.approx(expected["CAPd"], rel=1e-9)


def test_overlapping_ranges_are_matched_by_containment(example_pair):
    """The decades of the thesis: 3 of 4 women and 5 of 7 men are negative.

    Base rates and exact keys are the original's.
    """
    found = correct_attribution(example_pair(ORIGINAL, RESULT, CANDIDATE, RESULT))
    assert found.value == pytest.approx((10 / 4 + 29 / 7) / 11, rel=1e-12)
    assert found.parts["matched_share"] == 1
    # By exact keys only the three men of 1959, two of them positive, share a year with somebody else's
    # result.
    assert found.parts["original"] == pytest.approx((8 + 2 * 2 / 3 + 1 / 3) / 11, rel=1e-12)
    assert found.by_record["cap"].tolist() == pytest.approx([3 / 4] * 3 + [1 / 4] + [2 / 7] * 2 + [5 / 7] * 5)
