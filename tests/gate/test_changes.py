"""Which changes of a candidate's steps are proposed, and what is said of those that were tried."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sdc.catalogue.finding import Concerns, Finding, Otherwise
from sdc.catalogue.measurement import Assessment, Interval, Measurement, NotAssessed
from sdc.gate.changes import MOST, StepChange, TriedChange, proposed
from sdc.profile import Profile, StepPlan
from sdc.profile.load import load_profile
from sdc.report.trials import said_of_trials
from tests.flows.small_release import PROFILE, small_people

K = Finding("k_anonymity", Concerns.RISK, "masked", False, Otherwise.WITHHOLD, 3.0, 5.0, None, -2.0)
KS = Finding("ks_distance", Concerns.UTILITY, "masked", True, Otherwise.WITHHOLD, 0.1, None, 0.5, 0.4)


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Profile:
    place = tmp_path_factory.mktemp("changes")
    small_people(20).to_csv(place / "people.csv", index=False)
    (place / "small.yaml").write_text(PROFILE)
    return load_profile(place / "small.yaml")


def steps_of(*steps: tuple[str, dict[str, object]]) -> tuple[StepPlan, ...]:
    return tuple(StepPlan(method=method, **{"with": options}) for method, options in steps)


def words(changes: list[StepChange]) -> list[str]:
    return [change.words for change in changes]


def test_class_sizes_are_raised_to_the_limit_first_and_then_every_number_is_scaled(profile: Profile):
    """Width 20, k 3 of two steps: two aimed at the limit 5, then doubled and halved (3 / 2 rounds to 2)."""
    found = proposed(profile, tuple(profile.candidates["masked"]), [K])
    assert words(found) == [
        "local_suppression with k 5 instead of 3",
        "microaggregation with k 5 instead of 3",
        "global_recode with age.width 40 instead of 20",
        "local_suppression with k 6 instead of 3",
        "microaggregation with k 6 instead of 3",
        "global_recode with age.width 10 instead of 20",
        "local_suppression with k 2 instead of 3",
        "microaggregation with k 2 instead of 3",
    ]
    changed = found[0].steps[1]
    assert (changed.method, changed.options) == ("local_suppression", {"k": 5})
    assert [found[0].steps[place] for place in (0, 2)] == [
        profile.candidates["masked"][place] for place in (0, 2)
    ]


def test_where_nothing_suppresses_a_step_that_does_is_added(profile: Profile):
    first, *_ = proposed(profile, steps_of(("global_recode", {"age": {"width": 5}})), [K])
    assert first.words == "local_suppression with k 5 as a further step"
    assert [step.method for step in first.steps] == ["global_recode", "local_suppression"]


def test_an_option_is_not_given_a_value_its_method_refuses(profile: Profile):
    """k of microaggregation is at least 2, so 2 is not halved; p of rank_swap is at most 1."""
    found = proposed(
        profile,
        steps_of(("microaggregation", {"k": 2, "variables": ["income"]})),
        [replace(K, family=Concerns.UTILITY)],
    )
    assert words(found) == ["microaggregation with k 4 instead of 2"]
    found = proposed(
        profile,
        steps_of(("rank_swap", {"p": 0.8, "variables": ["income"]})),
        [replace(K, family=Concerns.UTILITY)],
    )
    assert words(found) == ["rank_swap with p 0.4 instead of 0.8"]


def test_a_name_that_is_a_number_stays_one_and_what_has_no_double_is_left(profile: Profile):
    """A level 1 of a variable is changed in its place, not beside it under the text 1."""
    matrix = {1: {1: 0.4, 2: 0.6}, 2: {1: 0.5, 2: 0.5}}
    pram = ("pram", {"variables": ["sex"], "matrix": {"sex": matrix}, "keep": 0.4})
    found = proposed(profile, steps_of(pram), [replace(K, family=Concerns.UTILITY)])
    assert [change.steps[0].options["matrix"] for change in found] == [{"sex": matrix}] * len(found)
    assert words(found) == ["pram with keep 0.8 instead of 0.4", "pram with keep 0.2 instead of 0.4"]
    huge = ("additive_noise", {"variables": ["income"], "level": 1e308})
    halved = proposed(profile, steps_of(huge), [replace(K, family=Concerns.UTILITY)])
    assert [change.steps[0].options["level"] for change in halved] == [5e307]


def test_nothing_is_proposed_where_nothing_is_missed_and_never_more_than_can_be_tried(profile: Profile):
    assert proposed(profile, tuple(profile.candidates["masked"]), []) == []
    many = steps_of(*(("global_recode", {"age": {"width": width}}) for width in range(3, 20)))
    assert len(proposed(profile, many, [K])) == MOST


def trial(after: float, k: float, ks: float) -> TriedChange:
    change = StepChange("local_suppression", "k", 3, after, ())
    at = replace(K, value=k, margin=k - 5, holds=k >= 5)
    return TriedChange.of(change, (at, replace(KS, value=ks, margin=0.5 - ks, holds=ks <= 0.5)))


def test_a_trial_that_meets_all_is_named_before_one_that_meets_the_criterion_alone():
    said = said_of_trials([trial(10, 10, 0.7), trial(5, 5, 0.2), trial(2, 2, 0.1)], K, [K, KS])
    assert said == (
        "Tried: local_suppression with k 5 instead of 3 gives 5 and meets every criterion of risk and utility;"
        " local_suppression with k 10 instead of 3 gives 10 and meets it, but then “ks_distance” does not hold."
    )


def test_what_does_not_hold_anyhow_is_not_said_to_come_of_the_change():
    """ks_distance is missed by the candidate and by the trial: the change did not do that."""
    missed = replace(KS, value=0.6, margin=-0.1, holds=False)
    assert said_of_trials([trial(5, 5, 0.7)], K, [K, missed]) == (
        "Tried: local_suppression with k 5 instead of 3 gives 5 and meets it; “ks_distance” still does not hold."
    )


def test_that_checks_of_the_table_were_not_repeated_is_said_where_one_does_not_hold():
    check = Finding(
        "table.lone_values", Concerns.TABLE, "masked", False, Otherwise.WITHHOLD, 4.0, 0.0, 0.0, -4.0
    )
    assert said_of_trials([trial(5, 5, 0.2)], K, [K, KS, check]) == (
        "Tried: local_suppression with k 5 instead of 3 gives 5 and meets every criterion of risk and utility."
        " The checks of the table were not repeated."
    )


def test_where_no_trial_gets_there_the_nearest_is_named():
    one = replace(K, value=1.0, margin=-4.0)
    assert said_of_trials([trial(6, 4, 0.2), trial(2, 2, 0.1)], one, [one, KS]) == (
        "None of 2 changes tried meets it; the nearest is local_suppression with k 6 instead of 3, which gives 4."
    )
    assert said_of_trials([trial(6, 4, 0.2)], one, [one]).startswith(
        "The one change tried does not meet it; "
    )


def test_a_trial_that_is_no_nearer_than_the_candidate_is_not_called_the_nearest():
    """The candidate has 3; 2 is further off and 3 is the same."""
    for value in (2, 3):
        said = said_of_trials([trial(6, value, 0.2), trial(2, 2, 0.1)], K, [K, KS])
        assert said == "None of 2 changes tried brings it nearer to the limit."
    assert said_of_trials([trial(6, 3, 0.2)], K, [K]) == (
        "The one change tried does not bring it nearer to the limit."
    )


def test_a_trial_with_an_interval_says_estimate_interval_and_judged_end():
    out = Finding("singling_out", Concerns.RISK, "masked", False, Otherwise.REFER, 0.07, None, 0.05, -0.02)
    taken = Assessment("singling_out", "singling_out", "", Measurement(0.01, {}, Interval(0.0, 0.04)))
    held = replace(out, value=0.04, margin=0.01, holds=True)
    change = StepChange("rounding", "to", 10, 20, ())
    tried = TriedChange.of(change, (held,), [taken, Assessment("x", "x", "", NotAssessed("none"))])
    assert said_of_trials([TriedChange.from_record(tried.as_record())], out, [out]) == (
        "Tried: rounding with to 20 instead of 10 gives 0.010 (95 % 0.000 to 0.040), judged at 0.040"
        " and meets every criterion of risk and utility."
    )


def test_nothing_is_said_where_nothing_could_be_made_or_measured():
    change = StepChange("local_suppression", "k", 3, 6, ())
    assert said_of_trials([], K, [K]) == ""
    assert said_of_trials([TriedChange.of(change)], K, [K]) == ""
    assert said_of_trials([TriedChange.of(change, (replace(K, value=None, margin=None),))], K, [K]) == ""
    assert not TriedChange.of(change).meets_all
