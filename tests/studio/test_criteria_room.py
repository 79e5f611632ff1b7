"""The room of criteria: limits, presets, measures that make sense and those that do not."""

from __future__ import annotations

import pytest

from sdc.profile.plan import Criterion
from sdc.studio import trials
from sdc.studio.criteria import CriteriaView
from sdc.studio.criterion_limits import side_of, slider
from sdc.studio.open_profile import OpenProfile
from sdc.studio.presets import NO_STANDARD, NOBODY_ALONE, PRESETS, offered


def measured(workbench, name="recoded"):
    trial = OpenProfile.of(workbench).trial(name)
    job = trials.begin(workbench, trial)
    if job is not None:
        assert job.done.wait(240)
        assert not job.error
    return CriteriaView(OpenProfile.of(workbench), name)


@pytest.fixture
def untried(monkeypatch):
    """Nothing is tried: for tests of edits alone."""
    monkeypatch.setattr(trials, "begin", lambda *_told, **_more: None)


def test_the_room_shows_what_is_demanded_and_which_limits_would_pass(visitor):
    view = measured(visitor.workbench)
    k = next(each for each in view.criteria if each.label == "k_anonymity")
    assert (k.limit, k.state) == ("at least 3", "holds")
    assert [(on.candidate, on.said, on.holds) for on in k.found] == [("recoded", "3", True)]
    page = visitor.get("/studio/criteria").text
    assert "at least 3 or any less would pass" in page
    assert "usual: at least 3 (Benschop, Machingauta and Welch 2019)" in page
    visitor.post("/studio/criteria/limit", criterion="risk.0", side="at_least", limit="4")
    assert visitor.workbench.profile_text.at(("risk", 0, "at_least")) == 4
    view = measured(visitor.workbench)
    assert next(each for each in view.criteria if each.label == "k_anonymity").state == "missed"


def test_limits_reasons_and_options_are_edits_of_the_profile(visitor, untried):
    text = visitor.workbench.profile_text
    visitor.post("/studio/criteria/limit", criterion="utility.0", side="at_most", limit="0.5")
    assert text.at(("utility", 0, "at_most")) == 0.5
    told = {"because": "Rule 4", "otherwise": "refer"}
    visitor.post("/studio/criteria/words", criterion="utility.0", **told)
    assert {key: text.at(("utility", 0, key)) for key in told} == told
    visitor.post("/studio/criteria/words", criterion="utility.0", because="", otherwise="withhold")
    assert text.at(("utility", 0, "otherwise")) is None
    visitor.post("/studio/criteria/limit", criterion="utility.0", side="at_most", limit="")
    assert text.at(("utility", 0, "at_most")) is None
    visitor.post("/studio/criteria/options", criterion="risk.0", **{"option/k": "5"})
    assert text.at(("risk", 0, "with")) == {"k": 5}
    answer = visitor.post("/studio/criteria/limit", criterion="risk.0", side="at_least", limit="few")
    assert "A limit must be a number" in answer.text
    answer = visitor.post("/studio/criteria/limit", criterion="risk.99", limit="1")
    assert "There is no such criterion" in answer.text
    before = len(text.at(("utility",)))
    visitor.post("/studio/criteria/remove", criterion="utility.0")
    assert len(text.at(("utility",))) == before - 1


def test_measures_that_make_no_sense_are_greyed_with_the_reason(workbench):
    view = CriteriaView(OpenProfile.of(workbench), "recoded")
    risks = {each.measure.name: each for each in view.catalogue["risk"]}
    assert risks["k_anonymity"].reason == ""
    assert risks["membership_inference"].reason == "there is no holdout"
    assert "microaggregation perturbs" in risks["t_closeness"].reason
    assert risks["t_closeness"].alternatives
    assert [bool(each.reason) for each in view.catalogue["risk"]] == sorted(
        bool(each.reason) for each in view.catalogue["risk"]
    )


def test_the_validity_rules_decide_after_a_synthesis(visitor, untried):
    text = visitor.workbench.profile_text
    text.set(("candidates", "synthetic"), [{"method": "sequential"}], expected=text.revision)
    page = visitor.get("/studio/criteria?candidate=synthetic").text
    assert "counts of equal keys measure risk only while a record is a person" in page
    answer = visitor.post("/studio/criteria/add", measure="replicated_uniques")
    assert answer.status_code == 200
    answer = visitor.post("/studio/criteria/add", measure="reidentification_risk")
    added = text.at(("risk",))[-1]
    assert added == {"measure": "reidentification_risk", "for": ["recoded"]}
    answer = visitor.post("/studio/criteria/add", measure="membership_inference")
    assert answer.status_code == 422
    assert "there is no holdout" in answer.text


def test_a_measure_taken_twice_gets_a_name_of_its_own(visitor, untried):
    visitor.post("/studio/criteria/add", measure="k_anonymity")
    assert visitor.workbench.profile_text.at(("risk",))[-1] == {
        "measure": "k_anonymity",
        "as": "k_anonymity_2",
    }


def test_every_limit_of_a_preset_has_its_source_or_says_that_it_has_none():
    sourced = {"k_anonymity", "reidentification_risk", "l_diversity", "privacy_budget", "propensity_mse"}
    for preset in PRESETS:
        for limit in preset.limits:
            if limit.number is None:
                assert limit.measure in sourced
                assert any(letter.isdigit() for letter in limit.because), "a source has its year"
            elif limit.measure == "k_anonymity":
                assert (limit.number, limit.because) == (2, NOBODY_ALONE)
                assert "sdcMicro" in NOBODY_ALONE
            else:
                assert limit.because == NO_STANDARD
                assert "without a source" in NO_STANDARD
    assert [preset.access.value for preset in PRESETS] == ["open", "safeguarded", "secure"]


def test_a_preset_is_written_for_the_candidates_on_which_it_may_be_believed(visitor, untried):
    text = visitor.workbench.profile_text
    text.set(("candidates", "synthetic"), [{"method": "sequential"}], expected=text.revision)
    answer = visitor.post("/studio/criteria/preset", preset="scientific")
    assert "3 limits were written; 1 make no sense here" in answer.text
    risk = {each.get("as", each["measure"]): each for each in text.at(("risk",))}
    assert risk["k_anonymity"]["for"] == ["recoded"]
    assert risk["k_anonymity"]["at_least"] == 3
    assert risk["k_anonymity"]["because"] == "Benschop, Machingauta and Welch 2019"
    assert risk["replicated_uniques"] == {
        "measure": "replicated_uniques",
        "at_most": 5,
        "because": NO_STANDARD,
        "for": ["synthetic"],
    }
    assert text.at(("access",)) == "safeguarded"
    visitor.post("/studio/frame/undo")
    assert text.at(("access",)) == "open"
    assert "replicated_uniques" not in text.text


def test_a_stand_in_is_only_for_candidates_that_need_it(workbench):
    profile = OpenProfile.of(workbench).reading.profile
    stand_in = next(each for each in offered(PRESETS[0], profile) if each.limit.instead_of)
    assert stand_in.candidates == ()
    assert stand_in.reason == "k_anonymity can be believed"


def test_a_slider_spans_what_was_measured_the_limit_and_the_usual_one():
    from sdc.catalogue.registry import find_measure

    k = Criterion(measure="k_anonymity", at_least=5)
    shown = slider(find_measure("k_anonymity"), k, [3.0])
    assert (shown.side, shown.low, shown.high, shown.step, shown.value) == ("at_least", 1, 10, 1, 5)
    share = slider(find_measure("unique_entries"), Criterion(measure="unique_entries"), [0.02])
    assert (share.side, share.low, share.high, share.step) == ("at_most", 0, 1, 0.005)
    part = Criterion(measure="k_anonymity", part="records_below_3", at_most=0)
    assert side_of(part) == "at_most"
