from __future__ import annotations

import numpy as np
import pytest
from thesis_tables import CANDIDATE, ORIGINAL, RESULT

from sdc.catalogue.measurement import NotAssessed
from sdc.data.release_pair import Side
from sdc.measures.risk.attribution_surface import attribution_surface
from sdc.measures.risk.class_attribution import class_attribution
from sdc.measures.risk.correct_attribution import correct_attribution
from sdc.statistics.attribution.lookup import AttributionCells, knowing_homogeneous, knowing_membership

EXAMPLE_2_6_5 = {"edges": {"key_0": [0, 1, 2, 3, 4], "target": [0, 1, 2, 3]}}


def tables(case, kind=""):
    return [case["inputs"][f"{name}{kind}"] for name in ("KO", "TO", "KA", "TA")]


def cells_of(pair):
    """The cells with original records, by key and target as texts."""
    table = pair.crosstab(["key_0"], "target")
    keys = sorted(pair.cells(["key_0"]).levels[0])
    cells = AttributionCells.of(table.offsets, table.original, table.candidate)
    classes = np.repeat(np.arange(table.offsets.size - 1), np.diff(table.offsets))
    names = [(keys[row], table.levels[column]) for row, column in zip(classes, table.target, strict=True)]
    return cells, [name for name, count in zip(names, table.original, strict=True) if count]


def cap(pair, scores, key, target):
    """CAP of a class; 0 where it has no original record."""
    cells, names = cells_of(pair)
    found = dict(zip(names, getattr(cells, scores), strict=True))
    return found.get((str(key), str(target)), 0.0)


@pytest.mark.parametrize(
    ("case", "key", "target"), [("Q-2.6.4-(2.8)-MP", "M", "P"), ("Q-2.6.4-(2.8)-MN", "M", "N")]
)
def test_a_class_without_original_records_counts_nothing(example_pair, worked_examples, case, key, target):
    held = worked_examples[case]
    assert cap(example_pair(*tables(held)), "in_candidate", key, target) == held["recomputed"]


def test_a_key_that_only_the_candidate_has_is_not_in_the_matching_set(example_pair, worked_examples):
    pair = example_pair(*tables(worked_examples["Q-2.6.4-F"]))
    assert {key for key, _ in cells_of(pair)[1]} == {"M"}
    outcome = class_attribution(pair)
    assert outcome.value == pytest.approx(1 / 2)
    assert outcome.parts["matched_records"] == 4


@pytest.mark.parametrize(("case", "target"), [("Q-2.6.4-(2.7)-MP", "P"), ("Q-2.6.4-(2.7)-MN", "N")])
def test_the_naive_score_counts_predictions_that_no_original_record_makes_true(
    example_pair, worked_examples, case, target
):
    held = worked_examples[case]
    cells = example_pair(*tables(held)).cells(["key_0", "target"])
    names = [(cells.levels[0][key], cells.levels[1][value]) for key, value in cells.codes]
    candidate = dict(zip(names, cells.candidate.tolist(), strict=True))
    assert candidate["M", target] / (candidate["M", "P"] + candidate["M", "N"]) == held["recomputed"]


def test_more_noise_makes_attribution_less_likely_as_in_example_2_6_8(example_pair, worked_examples):
    expected = worked_examples["Q-2.6.8-sim"]["recomputed"]
    rng = np.random.default_rng(268)
    key, target = rng.multivariate_normal([10, 20], [[20, 10], [10, 20]], 1000).T
    found, worst = [], []
    for shift in expected["mu"]:
        released = target + rng.normal(shift, 10, 1000)
        edges = {
            name: list(np.linspace(values.min(), values.max(), 11))
            for name, values in (("key_0", key), ("target", released))
        }
        outcome = class_attribution(
            example_pair(list(key), list(target), list(key), list(released)), edges=edges
        )
        found.append(outcome.value)
        worst.append(outcome.parts["worst_gain"])
    assert found == pytest.approx(expected["P_a"], abs=0.05)
    assert min(worst[:3]) < -0.05


def test_numbers_in_given_classes_are_those_of_example_2_6_5(example_pair, worked_examples):
    case = worked_examples["Q-2.6.5-Pa"]
    outcome = class_attribution(example_pair(*tables(case, "_raw")), **EXAMPLE_2_6_5)
    assert outcome.value == pytest.approx(case["recomputed"])
    assert outcome.parts["p_original"] == pytest.approx(worked_examples["Q-2.6.5-Po-matched"]["recomputed"])
    assert outcome.parts["gain"] == pytest.approx(17 / 24 - 3 / 8)
    assert outcome.parts["matched_records"] == 8
    # Over all nine records the one without a match contributes nothing: 17/27.
    assert outcome.parts["p_original"] * outcome.parts["matched_share"] == pytest.approx(
        worked_examples["Q-2.6.5-Po"]["recomputed"]
    )


@pytest.mark.parametrize(
    ("case", "key", "target"), [("Q-2.6.5-K0T0", 0, 0), ("Q-2.6.5-K1T0", 1, 0), ("Q-2.6.5-K3T1", 3, 1)]
)
def test_single_classes_of_example_2_6_5(example_pair, worked_examples, case, key, target):
    held = worked_examples[case]
    keys, targets, candidate_keys, candidate_targets = tables(held)
    as_text = [
        [str(value) for value in values]
        for values in (keys[:-1], targets[:-1], candidate_keys, candidate_targets)
    ]
    assert cap(example_pair(*as_text), "in_candidate", key, target) == held["recomputed"]


@pytest.mark.parametrize("target", ["P", "N"])
@pytest.mark.parametrize("key", ["M", "F"])
def test_classes_of_example_2_6_6(example_pair, worked_examples, key, target):
    own, released = (
        worked_examples[f"Q-2.6.6-CAPO-{key}{target}"],
        worked_examples[f"Q-2.6.6-CAPA-{key}{target}"],
    )
    pair = example_pair(*tables(own))
    assert cap(pair, "in_original", key, target) == own["recomputed"]
    assert cap(pair, "in_candidate", key, target) == released["recomputed"]


def test_who_knows_that_all_men_are_positive_is_always_right_about_them(example_pair, worked_examples):
    pair = example_pair(*tables(worked_examples["Q-2.6.6-CAPO-MP"]))
    cells, names = cells_of(pair)
    assert (
        dict(zip(names, knowing_homogeneous(cells), strict=True))["M", "P"]
        == worked_examples["Q-2.6.6-high"]["recomputed"]
    )
    assert class_attribution(pair, knowledge="high").value == 1
    assert class_attribution(pair).value == pytest.approx(1 / 2)


def test_who_doubts_membership_is_right_three_times_in_four_about_women(example_pair, worked_examples):
    case = worked_examples["Q-2.6.6-low"]
    assert (
        knowing_membership(np.array([1.0]), case["parameters"]["p_member"], case["parameters"]["levels"])
        == case["recomputed"]
    )
    pair = example_pair(*tables(worked_examples["Q-2.6.6-CAPO-MP"]))
    # Women 1/2 x 1 + 1/2 x 1/2, men 1/2 x 0 + 1/2 x 1/2.
    assert class_attribution(pair, knowledge="low", inclusion_probability=0.5).value == pytest.approx(
        (3 / 4 + 1 / 4) / 2
    )
    assert (
        class_attribution(pair, knowledge="low", inclusion_probability=1.0).value
        == class_attribution(pair).value
    )


def test_gains_of_example_2_6_7_have_the_sign_of_the_text(example_pair, worked_examples):
    outcome = class_attribution(example_pair(*tables(worked_examples["Q-2.6.7-Pa"])))
    assert outcome.value == pytest.approx(worked_examples["Q-2.6.7-Pa"]["recomputed"])
    assert outcome.parts["p_original"] == pytest.approx(worked_examples["Q-2.6.7-Po"]["recomputed"])
    assert outcome.parts["gain"] == pytest.approx(worked_examples["Q-2.6.7-change"]["recomputed"])
    assert outcome.parts["worst_gain"] == pytest.approx(worked_examples["Q-2.6.7-min-worst"]["recomputed"])
    assert -outcome.parts["best_gain"] == pytest.approx(worked_examples["Q-2.6.7-min-printed"]["recomputed"])


@pytest.mark.parametrize("target", [48, 52, 59])
@pytest.mark.parametrize("key", ["160-165", "165-170"])
def test_a_generalised_height_holds_the_original_one_in_example_2_6_9(
    example_pair, worked_examples, key, target
):
    case = worked_examples[f"Q-2.6.9-{key}-{target}"]
    inputs = case["inputs"]
    pair = example_pair([160, 161, 168, 170], inputs["TO"], inputs["KA"], inputs["TA"])
    assert cap(pair, "in_candidate", key, target) == case["recomputed"]
    assert cap(pair, "in_original", key, target) == case["recomputed"]


def test_one_class_of_everything_is_always_right(example_pair, worked_examples):
    pair = example_pair([160, 161, 168, 170], [48, 52, 52, 59])
    assert class_attribution(pair, bins=1).value == worked_examples["Q-2.6.9-coarse"]["recomputed"]


@pytest.mark.parametrize("binning", ["equal_frequency", "equal_length"])
def test_one_bin_gives_one_and_more_bins_give_less(example_pair, binning):
    rng = np.random.default_rng(2610)
    key = rng.normal(5, 15**0.5, 3000)
    released = key + 10 + rng.exponential(2, 3000)
    pair = example_pair(list(key), list(key + 10), list(key), list(released))
    values = [class_attribution(pair, bins=bins, binning=binning).value for bins in (1, 2, 3, 5, 8, 10)]
    assert values[0] == 1
    assert values[-1] < 0.7 < values[1] + 0.2
    if binning == "equal_frequency":
        assert values == sorted(values, reverse=True)


def test_values_agree_with_counting_every_record(example_pair):
    rng = np.random.default_rng(3)
    keys, target = rng.choice(list("abc"), (80, 2)).tolist(), rng.choice(list("xyz"), 80).tolist()
    others, released = rng.choice(list("bcd"), (70, 2)).tolist(), rng.choice(list("xyw"), 70).tolist()
    scores = []
    for key, value in zip(keys, target, strict=True):
        found = [theirs for theirs, other in zip(released, others, strict=True) if other == key]
        if found:
            scores.append(found.count(value) / len(found))
    outcome = class_attribution(example_pair(keys, target, others, released))
    assert outcome.value == pytest.approx(np.mean(scores))
    assert outcome.parts["matched_share"] == pytest.approx(len(scores) / 80)


def test_without_a_target_the_riskiest_sensitive_variable_counts(household_pair):
    pair = household_pair(["region", "sex", "marital_status"])
    outcome = class_attribution(pair)
    assert outcome.value == max(outcome.parts[f"value.{name}"] for name in pair.roles.sensitive)
    assert outcome.parts["value.health"] == class_attribution(pair, target="health").value


def test_a_variable_with_few_values_is_not_binned(household_pair):
    pair = household_pair(["household_size"])
    by_value = class_attribution(pair, target="health", bins=7)
    assert by_value == class_attribution(pair, target="health", bins=None)
    assert by_value != class_attribution(pair, target="health", bins=3)


def test_keys_that_never_match_are_not_assessed(example_pair):
    assert class_attribution(example_pair(["a"], ["x"], ["b"], ["x"])) == NotAssessed(
        "no original record has a key class that the candidate has"
    )


def test_overlapping_labels_are_matched_by_containment(example_pair):
    """23 lies in both ranges, of which one has x; 27 lies in 20-29 alone, and that has x.

    Of the original, 20-29 holds x and y.
    """
    outcome = class_attribution(example_pair([23, 27], ["x", "y"], ["20-29", "20-24"], ["x", "y"]))
    assert outcome.value == (1 / 2 + 0) / 2
    # 23: x twice (in both ranges) and y once; 27: x and y once each.
    assert outcome.parts["p_original"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert outcome.parts["matched_records"] == 2


def test_the_overlapping_decades_of_the_thesis(example_pair):
    """By hand: of 4 women 3 are negative, of 7 men 5: (9 + 1) / 4 and (25 + 4) / 7 over 11.

    The original in these classes is the same.
    """
    outcome = class_attribution(example_pair(ORIGINAL, RESULT, CANDIDATE, RESULT))
    assert outcome.value == pytest.approx((10 / 4 + 29 / 7) / 11, rel=1e-12)
    assert outcome.parts["p_original"] == pytest.approx(outcome.value, rel=1e-12)
    assert (outcome.parts["matched_records"], outcome.parts["worst_gain"]) == (
        11,
        pytest.approx(0, abs=1e-12),
    )


def test_values_in_no_range_match_nothing_where_ranges_overlap(example_pair):
    outcome = class_attribution(
        example_pair([23, 99, None], ["x", "y", "z"], ["20-29", "20-24", None], ["x", "y", "z"])
    )
    assert (outcome.parts["matched_records"], outcome.value) == (2, pytest.approx((1 / 2 + 1) / 2))


def test_overlapping_ranges_of_the_target_are_not_assessed(example_pair):
    outcome = class_attribution(example_pair(["a", "b"], [23, 27], ["a", "b"], ["20-29", "20-24"]))
    assert outcome == NotAssessed(
        "labels of target in the candidate overlap with another, so that a value lies in two: 1"
    )


def test_over_all_originals_those_of_no_released_class_count_nothing(example_pair, worked_examples):
    held = worked_examples["Q-2.6.5-Po"]
    inputs = held["inputs"]
    pair = example_pair(inputs["KO_raw"], inputs["TO_raw"], inputs["KA_raw"], inputs["TA_raw"])
    outcome = class_attribution(pair, **EXAMPLE_2_6_5)
    assert outcome.parts["p_original_all"] == pytest.approx(held["recomputed"], rel=1e-12)


def test_inclusion_probabilities_from_the_population_file(example_pair):
    """Of 4 people with key a 2 are in the original, of 2 with b both.

    CAP 1/2 and 1 in the candidate, two targets.
    """
    pair = example_pair(list("aabb"), list("xyxx"), list("aabb"), list("xyxx"), population=list("aaaabbcc"))
    outcome = class_attribution(pair, knowledge="low", inclusion_probability="population")
    a, b = 0.5 * 0.5 + 0.5 / 2, 1.0
    assert outcome.value == pytest.approx((2 * a + 2 * b) / 4, rel=1e-12)
    few = example_pair(list("aabb"), list("xyxx"), list("aabb"), list("xyxx"), population=list("ab"))
    assert class_attribution(few, knowledge="low", inclusion_probability="population").value == pytest.approx(
        (2 * 0.5 + 2 * 1) / 4
    )
    without = class_attribution(
        example_pair(list("ab"), list("xy")), knowledge="low", inclusion_probability="population"
    )
    assert without == NotAssessed("this release has no population file")


def test_inclusion_probabilities_where_ranges_overlap(example_pair):
    """One of the two women of the population born in 1975 and so on.

    4 of 8 women and 7 of 7 men from 1950 to 1979.
    """
    population = [
        *ORIGINAL,
        ["Female", 1961],
        ["Female", 1962],
        ["Female", 1970],
        ["Female", 1979],
        ["Female", 1941],
    ]
    pair = example_pair(ORIGINAL, RESULT, CANDIDATE, RESULT, population=population)
    outcome = class_attribution(pair, knowledge="low", inclusion_probability="population")
    women = [0.5 * share + 0.5 / 2 for share in (3 / 4, 3 / 4, 3 / 4, 1 / 4)]
    assert outcome.value == pytest.approx((sum(women) + 29 / 7) / 11, rel=1e-12)


def test_classes_by_name_and_the_worst_of_them(example_pair, worked_examples):
    """Men: CAP 1 before and after. Women.

    Positive 1/2 before and 1/3 after, negative 1/2 before and 2/3 after: the worst.
    """
    inputs = worked_examples["Q-2.6.7-Pa"]["inputs"]
    outcome = class_attribution(
        example_pair(inputs["KO"], inputs["TO"], inputs["KA"], inputs["TA"]), by_class=True, least=1
    )
    assert outcome.parts["cap_original.key_0=M, target=P"] == 1
    assert outcome.parts["cap_candidate.key_0=F, target=N"] == pytest.approx(2 / 3)
    assert outcome.parts["records.key_0=M, target=P"] == 2
    assert (
        outcome.parts["worst_class.key_0=F, target=N"]
        == outcome.parts["worst_gain"]
        == pytest.approx(1 / 2 - 2 / 3)
    )
    assert outcome.parts["classes_left_out"] == 0


def test_classes_of_few_records_are_not_named(example_pair, worked_examples):
    inputs = worked_examples["Q-2.6.7-Pa"]["inputs"]
    pair = example_pair(inputs["KO"], inputs["TO"], inputs["KA"], inputs["TA"])
    outcome = class_attribution(pair, by_class=True, least=2)
    assert [name for name in outcome.parts if "=" in name] == [
        f"{part}.key_0=M, target=P" for part in ("cap_original", "cap_candidate", "records", "worst_class")
    ]
    assert outcome.parts["classes_left_out"] == 2
    assert not any("=" in name for name in class_attribution(pair).parts)


def test_classes_of_numbers_are_named_by_their_borders(example_pair):
    pair = example_pair([1.0, 2.0, 15.0], [None, "x", "x"], [1.0, 2.0, 15.0], [None, "x", "x"])
    outcome = class_attribution(pair, by_class=True, least=1, edges={"key_0": [0, 10, 20]})
    named = {name.partition(".")[2] for name in outcome.parts if name.startswith("records.")}
    assert named == {"key_0=[0, 10), target=missing", "key_0=[0, 10), target=x", "key_0=[10, 20], target=x"}


def test_labels_that_cannot_be_read_are_not_assessed(example_pair):
    outcome = class_attribution(example_pair([23, 27], ["x", "y"], ["young", "old"], ["x", "y"]))
    assert outcome == NotAssessed("labels of key_0 in the candidate cannot be read as ranges: 2")


def test_values_beyond_the_edges_are_in_no_class_and_the_last_class_has_its_border(example_pair):
    edges = {"key_0": [0, 10, 20]}
    apart = example_pair([5.0, 6.0, 7.0, 8.0], list("xxxx"), [100.0, 200.0, 300.0, 400.0], list("xxxx"))
    assert (
        class_attribution(apart, edges={"key_0": [10, 20, 30]}).reason
        == "no original record has a key class that the candidate has"
    )
    # 5 meets 9, 20 meets 11, and 21 is in no class though the candidate has 22 and 21 itself.
    some = example_pair([5.0, 20.0, 21.0, -1.0], list("xxxx"), [9.0, 11.0, 22.0, 21.0], ["x", "y", "x", "x"])
    outcome = class_attribution(some, edges=edges)
    assert outcome.parts["matched_records"] == 2
    assert outcome.value == 0.5
    # As a target what is in no class is never hit, in neither table.
    outcome = class_attribution(
        example_pair(list("aa"), [5.0, 50.0], list("aa"), [6.0, 50.0]), edges={"target": [0, 10]}
    )
    assert (outcome.value, outcome.parts["p_original"]) == (0.25, 0.25)
    far = class_attribution(
        example_pair(list("aab"), [5.0, 6.0, 7.0], list("aab"), [50.0, 60.0, 70.0]),
        classes="candidate",
        bins=2,
    )
    assert (far.value, far.parts["p_original"]) == (0, 0)


def test_classes_of_the_anonymised_table_end_where_it_ends(example_pair):
    """Keys from 1 to 4 in two classes of equal length: 1 and 2 meet x and y, 9 is in no class.

    Pooled, the cut would be at 5.
    """
    pair = example_pair([1.0, 2.0, 9.0], list("xxx"), [1.0, 2.0, 3.0, 4.0], list("xyxx"))
    outcome = class_attribution(pair, bins=2, binning="equal_length", classes="candidate")
    assert (outcome.value, outcome.parts["matched_records"], outcome.parts["p_original_all"]) == (
        0.5,
        2,
        pytest.approx(2 / 3),
    )
    assert class_attribution(pair, bins=2, binning="equal_length").value == pytest.approx(3 / 4)


@pytest.mark.parametrize(
    ("binning", "edges"),
    [
        ("equal_length", lambda x: np.linspace(x.min(), x.max(), 9)),
        ("equal_frequency", lambda x: np.quantile(x, np.linspace(0, 1, 9))),
    ],
)
def test_classes_of_the_anonymised_table_are_those_of_its_own_edges(example_pair, binning, edges):
    rng = np.random.default_rng(3)
    key, released = rng.normal(size=400), rng.normal(size=300)
    pair = example_pair(list(key), list(key + 1), list(released), list(released + rng.exponential(size=300)))
    targets = pair.numbers("target", Side.CANDIDATE)
    expected = class_attribution(
        pair, edges={"key_0": edges(released).tolist(), "target": edges(targets).tolist()}
    )
    found = class_attribution(pair, bins=8, binning=binning, classes="candidate")
    assert (found.value, found.parts["p_original"]) == pytest.approx(
        (expected.value, expected.parts["p_original"]), rel=1e-12
    )
    surface = attribution_surface(pair, bins_key=[8], bins_target=[8], binning=binning, classes="candidate")
    assert surface.value == pytest.approx(expected.value, rel=1e-12)
    exact = correct_attribution(pair, bins=8, binning=binning, classes="candidate")
    assert exact.value == pytest.approx(expected.value, rel=1e-12)
