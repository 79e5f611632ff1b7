from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdc.catalogue.measurement import NotAssessed
from sdc.catalogue.protection import Budget, Protection, Step
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import MissingRule, Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.measures.risk.release_difference import release_difference

ROLES = Roles.of(
    [
        Variable("age", Role.QUASI_IDENTIFIER, VariableType.NUMERIC),
        Variable("region", Role.QUASI_IDENTIFIER),
        Variable("income", Role.SENSITIVE, VariableType.NUMERIC),
    ]
)
BANDS = {
    "now": lambda age: f"{age // 10 * 10}-{age // 10 * 10 + 9}",
    "before": lambda age: f"{(age - 5) // 10 * 10 + 5}-{(age - 5) // 10 * 10 + 14}",
}


def source():
    """Of the sixteen half decades from 20 to 99, seven that do not touch have one person, the others five."""
    alone = [26, 38, 45, 57, 69, 75, 88]
    crowd = [age for age in range(20, 100, 5) if age not in {each // 5 * 5 for each in alone}]
    ages = alone + [age for age in crowd for _ in range(5)]
    return pd.DataFrame({"age": ages, "region": "north", "income": np.arange(len(ages)) * 10.0})


def banded(original, rule):
    return original.assign(age=[BANDS[rule](int(age)) for age in original["age"]])


def pair_of(original, candidate, *earlier, **further):
    return ReleasePair.from_frames(original, candidate, ROLES, aligned=True, earlier=list(earlier), **further)


def test_seven_records_that_only_the_combination_singles_out_are_found_exactly():
    original = source()
    outcome = release_difference(pair_of(original, banded(original, "now"), banded(original, "before")))
    assert outcome.value == pytest.approx(7 / len(original))
    assert outcome.by_record["size_in_join"].tolist() == [1] * 7 + [5] * (len(original) - 7)
    assert outcome.parts["classes_below_k_in_join"] == 7
    assert outcome.parts["records_below_k_in_join"] == 7
    assert assess("k_anonymity", pair_of(original, banded(original, "now"))).value >= 5
    assert assess("k_anonymity", pair_of(original, banded(original, "before"))).value >= 5


def test_the_safe_twin_passes():
    original = source()
    outcome = release_difference(pair_of(original, banded(original, "now"), banded(original, "now")))
    expected = {
        "classes_below_k_in_join": 0,
        "records_below_k_in_join": 0,
        "small_count_changes": 0,
        "newly_revealed_values": 0,
        "suppressed_in_vain": 0,
    }
    assert outcome.value == 0
    assert outcome.parts == {**expected, "earlier_releases": 1, "releases_left_out": 0}


def test_an_earlier_release_in_another_order_is_traced_by_its_labels():
    original = source()
    shuffled = banded(original, "before").sample(frac=1, random_state=1).assign(income=0.0)
    outcome = release_difference(pair_of(original, banded(original, "now"), shuffled))
    assert outcome.value == pytest.approx(7 / len(original))
    assert "newly_revealed_values" not in outcome.parts


def test_an_earlier_release_of_fewer_people_is_traced_by_its_labels():
    original = source()
    outcome = release_difference(pair_of(original, banded(original, "now"), banded(original, "before")[:-3]))
    assert outcome.value == pytest.approx(7 / len(original))


def test_what_is_alone_in_one_release_already_is_not_owed_to_the_combination():
    original = pd.DataFrame({"age": [20, 20, 20, 50], "region": "north", "income": 1.0})
    outcome = release_difference(pair_of(original, original, original))
    assert outcome.value == 0


def test_three_releases_are_combined_at_once():
    original = pd.DataFrame({"age": 30, "region": list("aabbccdd"), "income": 1.0})
    groups = [{"a": "1", "b": "1", "c": "2", "d": "2"}, {"a": "1", "c": "1", "b": "2", "d": "2"}]
    releases = [original.assign(region=original["region"].map(group)) for group in groups]
    blurred = original.assign(region="*")
    two = release_difference(pair_of(original, blurred, releases[0]))
    three = release_difference(pair_of(original, blurred, *releases))
    assert (two.parts["classes_below_k_in_join"], three.parts["classes_below_k_in_join"]) == (0, 4)
    assert three.value == 0


def test_values_suppressed_before_and_shown_now_are_counted_and_the_other_way_round():
    original = source()
    now, before = original.copy(), original.copy()
    before.loc[[0, 1, 2], "income"] = np.nan
    now.loc[[2, 3], "income"] = np.nan
    outcome = release_difference(pair_of(original, now, before))
    assert outcome.parts["newly_revealed_values"] == 2
    assert outcome.parts["suppressed_in_vain"] == 1


def test_counts_that_differ_by_less_than_k_are_counted():
    original = pd.DataFrame({"age": 30, "region": list("aaaabbbbbbcc"), "income": 1.0})
    before = original[original.index != 0][:-2]
    # a: 3 then 4, b: 6 and 6, c: not before.
    pair = pair_of(original, original, before)
    assert release_difference(pair).parts["small_count_changes"] == 1
    assert release_difference(pair_of(original, original, original[4:])).parts["small_count_changes"] == 0


def test_a_blank_matches_everyone_under_the_wildcard_rule():
    original = pd.DataFrame({"age": 30, "region": list("aaaabbbb"), "income": 1.0})
    now, before = original.copy(), original.copy()
    now.loc[[0, 1], "region"] = None
    before.loc[[1, 2], "region"] = None
    strict = release_difference(pair_of(original, now, before))
    lenient = release_difference(pair_of(original, now, before, missing=MissingRule.WILDCARD))
    assert strict.by_record["size_in_join"].tolist() == [1, 1, 1, 1, 4, 4, 4, 4]
    # A blank in both fits all eight, a blank in one release the four of its region and the record blank in
    # both.
    assert lenient.by_record["size_in_join"].tolist() == [4, 8, 4, 4, 5, 5, 5, 5]


def test_labels_that_cannot_be_traced_are_named():
    original = pd.DataFrame({"age": 30, "region": list("aabbccdd"), "income": 1.0})
    grouped = original.assign(region=original["region"].map({"a": "1", "b": "1", "c": "2", "d": "2"}))
    outcome = release_difference(pair_of(original, original, grouped[:-1]))
    assert "region" in outcome.reason
    assert "earlier release 1" in outcome.reason


def test_where_nobody_looked_for_earlier_releases_it_is_not_assessed():
    original = source()
    pair = ReleasePair.from_frames(original, original, ROLES, aligned=True)
    assert "released earlier" in assess("release_difference", pair).not_assessed


def test_a_first_release_reveals_nothing_by_combination():
    original = source()
    parts = release_difference(pair_of(original, original)).parts
    assert parts == dict.fromkeys(parts, 0)
    assert {"classes_below_k_in_join", "newly_revealed_values", "small_count_changes"} <= set(parts)


def test_records_known_to_be_in_place_are_believed_where_values_cannot_tell():
    original = source()
    # Under its own labels a release with ages swapped by place would not be taken for aligned, and its
    # incomes link nobody.
    before = banded(original, "before").assign(age=["x", "y"] * (len(original) // 2), income=0.0)
    pair = pair_of(original, banded(original, "now"), before)
    assert isinstance(release_difference(pair), NotAssessed)
    (release,) = pair.earlier
    in_place = release.table.database.write("places", pa.table({"place": np.arange(len(original))}))
    known = ReleasePair(
        pair.original,
        pair.candidate,
        ROLES,
        aligned=True,
        earlier=lambda: [replace(release, places=in_place)],
    )
    outcome = release_difference(known)
    joint = pd.Series(list(zip(banded(original, "now")["age"], before["age"], strict=True)))
    assert outcome.by_record["size_in_join"].tolist() == joint.map(joint.value_counts()).tolist()


def step(protection, *columns, aligned=True, budget=None):
    return Step("some_method", {}, protection, aligned, frozenset(columns), budget)


NOISE = step(Protection.PERTURBATIVE, "income")
SYNTHESIS = step(Protection.SYNTHETIC, "age", "region", "income", aligned=False)


def test_averaging_noise_recovers_values_that_no_release_shows():
    original = pd.DataFrame({"age": 30, "region": "north", "income": [100.0, 100.0, 100.0, 100.0, 0.0]})
    now = original.assign(income=[110.0, 104.0, 140.0, np.nan, 1.0])
    before = original.assign(income=[92.0, 70.0, 120.0, 101.0, -1.0])
    outcome = release_difference(pair_of(original, now, (before, [NOISE]), steps=[NOISE]))
    # Averages 101, 87, 130, 101, 0 of which the first and the last meet the truth within 5 %, and no release
    # alone did.
    assert outcome.parts["recovered_by_averaging"] == outcome.parts["recovered_by_averaging.income"] == 2
    alone, together = np.array([10, 4, 40, 1]), np.array([1, -13, 30, 0])
    assert outcome.parts["rmse_ratio"] == pytest.approx(
        np.sqrt((together**2).sum() / (alone**2).sum()), rel=1e-12
    )
    # Within 30 % one of the two releases meets every value alone, but for the last.
    assert (
        release_difference(pair_of(original, now, (before, [NOISE]), steps=[NOISE]), tolerance=0.3).parts[
            "recovered_by_averaging"
        ]
        == 1
    )


def test_an_earlier_synthesis_in_place_is_averaged_like_noise():
    original = pd.DataFrame({"age": 30, "region": "north", "income": [100.0, 100.0, 100.0, 100.0, 0.0]})
    now = original.assign(income=[110.0, 104.0, 140.0, np.nan, 1.0])
    before = original.assign(income=[92.0, 70.0, 120.0, 101.0, -1.0])
    drawn = step(Protection.SYNTHETIC, "income")
    outcome = release_difference(pair_of(original, now, (before, [drawn]), steps=[NOISE]))
    assert outcome.parts["recovered_by_averaging"] == 2


def test_the_error_of_the_average_falls_with_the_root_of_the_number_of_releases():
    rng = np.random.default_rng(5)
    original = pd.DataFrame({"age": 30, "region": "north", "income": rng.normal(1000, 100, 4000)})
    noisy = [original.assign(income=original["income"] + rng.normal(0, 50, 4000)) for _ in range(4)]
    outcome = release_difference(
        pair_of(original, noisy[0], *((frame, [NOISE]) for frame in noisy[1:]), steps=[NOISE])
    )
    assert outcome.parts["rmse_ratio"] == pytest.approx(0.5, rel=0.05)
    again = release_difference(
        pair_of(original, noisy[0], *((noisy[0], [NOISE]) for _ in range(3)), steps=[NOISE])
    )
    assert again.parts["rmse_ratio"] == pytest.approx(1, rel=1e-12)
    assert again.parts["recovered_by_averaging"] == 0


def test_averages_are_absent_where_the_records_of_a_release_are_not_in_place():
    original = source()
    now = original.assign(income=original["income"] + 1)
    shuffled = now.sample(frac=1, random_state=3)
    parts = release_difference(pair_of(original, now, (shuffled, [NOISE]), steps=[NOISE])).parts
    assert not [name for name in parts if name.startswith(("rmse", "recovered"))]
    assert "rmse_ratio" in release_difference(pair_of(original, now, (now, [NOISE]), steps=[NOISE])).parts


def test_syntheses_are_averaged_by_their_counts():
    original = pd.DataFrame({"age": 30, "region": list("aaaabbbc"), "income": 1.0})
    now = pd.DataFrame({"age": 30, "region": list("aaaabbcc"), "income": 1.0})
    before = pd.DataFrame({"age": 30, "region": list("aaaaabbb"), "income": 1.0})
    pair = ReleasePair.from_frames(original, now, ROLES, steps=[SYNTHESIS], earlier=[(before, [SYNTHESIS])])
    outcome = release_difference(pair)
    # Averages 4.5, 2.5, 1 of 4, 3, 1: only together do they tell that one lives in c. Errors 0.5, 0.5, 0
    # against 0, 1, 1.
    assert outcome.value == pytest.approx(1 / 8)
    assert outcome.parts["averaged_releases"] == 2
    assert outcome.parts["cell_error_ratio"] == pytest.approx(np.sqrt(0.5 / 2))
    assert "newly_revealed_values" not in outcome.parts
    of_unknown_making = release_difference(
        ReleasePair.from_frames(original, now, ROLES, steps=[SYNTHESIS], earlier=[before, (now, [SYNTHESIS])])
    )
    assert (of_unknown_making.parts["averaged_releases"], of_unknown_making.parts["releases_left_out"]) == (
        3,
        0,
    )
    alone = release_difference(ReleasePair.from_frames(original, now, ROLES, steps=[SYNTHESIS], earlier=[]))
    assert (alone.value, alone.parts["averaged_releases"], alone.parts["cell_error_ratio"]) == (0, 1, 1)


def test_what_one_synthesis_tells_alone_is_not_owed_to_the_average():
    original = pd.DataFrame({"age": 30, "region": list("aaaabbbc"), "income": 1.0})
    outcome = release_difference(
        ReleasePair.from_frames(
            original, original, ROLES, steps=[SYNTHESIS], earlier=[(original, [SYNTHESIS])]
        )
    )
    assert outcome.value == 0
    assert "cell_error_ratio" not in outcome.parts


def test_a_synthesis_of_another_size_is_scaled():
    original = pd.DataFrame({"age": 30, "region": list("aaab"), "income": 1.0})
    now = pd.DataFrame({"age": 30, "region": list("aaaaaaaa"), "income": 1.0})
    before = pd.DataFrame({"age": 30, "region": list("abbb") * 2, "income": 1.0})
    pair = ReleasePair.from_frames(original, now, ROLES, steps=[SYNTHESIS], earlier=[(before, [SYNTHESIS])])
    # Scaled to four records b is expected 0 and 3 times: 1.5 on average, which rounds to 2.
    assert release_difference(pair).value == 0
    twice = ReleasePair.from_frames(
        original, now, ROLES, steps=[SYNTHESIS], earlier=[(before, [SYNTHESIS]), (now, [SYNTHESIS])]
    )
    assert release_difference(twice).value == pytest.approx(1 / 4)


def test_noisy_keys_are_averaged_in_classes():
    noisy = step(Protection.PERTURBATIVE, "age", "region")
    original = pd.DataFrame({"age": [10.0] * 4 + [90.0] * 4, "region": list("aaaaaaab"), "income": 1.0})
    now = original.assign(age=[11.5, 12.1, 9.3, 8.8, 88.2, 91.4, 93.7, 87.9], region=list("aaaaaabb"))
    before = original.assign(age=[9.5, 8.1, 12.7, 13.2, 86.1, 92.5, 94.3, 95.5], region=list("aaaaaaaa"))
    outcome = release_difference(pair_of(original, now, (before, [noisy]), steps=[noisy]), bins=2)
    # Old people in b: one in truth, two now, none before.
    assert outcome.value == pytest.approx(1 / 8)
    assert outcome.parts["cell_error_ratio"] == 0


def test_a_synthetic_release_is_left_out_of_the_join_only_where_that_is_allowed():
    original = source()
    now, before = banded(original, "now"), banded(original, "before")
    mixed = pair_of(original, now, before, (now[::-1], [SYNTHESIS]))
    assert "1 of 2 earlier releases cannot be combined" in release_difference(mixed).reason
    outcome = release_difference(mixed, leave_out=True)
    assert outcome.value == pytest.approx(7 / len(original))
    assert (outcome.parts["earlier_releases"], outcome.parts["releases_left_out"]) == (2, 1)
    assert "combined" in release_difference(pair_of(original, now, (now, [SYNTHESIS])), leave_out=True).reason


def test_budgets_of_all_releases_add_up():
    original = source()
    proved = [
        step(Protection.PERTURBATIVE, "income", budget=Budget(0.5, 1e-6)),
        step(Protection.PERTURBATIVE, "income", budget=Budget(0.25)),
    ]
    before = [step(Protection.PERTURBATIVE, "income", budget=Budget(2.0, 1e-6))]
    thrice = pair_of(original, original, (original, before), (original, before), steps=proved)
    parts = release_difference(thrice, variables=["income"]).parts
    assert parts["summed_epsilon"] == pytest.approx(4.75, rel=1e-15)
    assert parts["summed_delta"] == pytest.approx(3e-6, rel=1e-15)
    unproved = release_difference(
        pair_of(original, original, (original, before), (original, [NOISE]), steps=proved),
        variables=["income"],
    ).parts
    assert "summed_epsilon" not in unproved


def test_a_budget_spent_on_some_variables_promises_nothing_about_those_released_as_they_were():
    original = source()
    spent = [step(Protection.PERTURBATIVE, "income", budget=Budget(1.0))]
    every = [step(Protection.PERTURBATIVE, *original.columns, budget=Budget(1.0))]
    assert (
        "summed_epsilon"
        not in release_difference(pair_of(original, original, (original, spent), steps=spent)).parts
    )
    once = [step(Protection.PERTURBATIVE, "age", "income", budget=Budget(1.0))]
    assert (
        "summed_epsilon"
        not in release_difference(pair_of(original, original, (original, once), steps=every)).parts
    )
    assert (
        release_difference(pair_of(original, original, (original, every), steps=every)).parts[
            "summed_epsilon"
        ]
        == 2
    )


def test_a_candidate_that_is_not_aligned_with_true_keys_is_not_assessed():
    original = source()
    assert (
        "not aligned"
        in release_difference(
            ReleasePair.from_frames(original, original[3:], ROLES, earlier=[original])
        ).reason
    )
