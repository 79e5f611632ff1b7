"""The room of protection: candidates, steps as forms, recoding with a picture, numbers after each change."""

from __future__ import annotations

import threading

import pytest

from sdc.catalogue.registry import Need
from sdc.studio import candidate_edits, trial, trials
from sdc.studio.open_profile import OpenProfile
from sdc.studio.protection import ProtectionView, chosen_candidate
from sdc.studio.trial import Trial, planned_steps, why_not
from sdc.studio.trial_numbers import TrialNumbers

HERE = "candidate=recoded"


@pytest.fixture
def untried(monkeypatch):
    """Nothing is tried: for tests of edits alone."""
    monkeypatch.setattr(trials, "begin", lambda *_told, **_more: None)


def view_of(workbench, name="recoded"):
    return ProtectionView(OpenProfile.of(workbench), name)


def tried(workbench, name="recoded"):
    """The numbers of a candidate once all of it was measured."""
    job = trials.begin(workbench, view_of(workbench, name).opened.trial(name))
    if job is not None:
        assert job.done.wait(120)
        assert not job.error, job.error
    return view_of(workbench, name).open.numbers


def text_of(visitor):
    return visitor.workbench.profile_text


def test_the_room_opens_with_the_draft_and_its_numbers(visitor):
    assert "global_recode" in visitor.get("/studio/protection").text
    tried(visitor.workbench)
    page = visitor.get("/studio/protection").text
    assert "k_anonymity" in page
    assert "passes" in page


def test_candidates_are_added_copied_renamed_and_removed(visitor, untried):
    visitor.post("/studio/protection/add-candidate?candidate=@last", name="mild")
    assert candidate_edits.names(text_of(visitor)) == ["recoded", "mild"]
    assert text_of(visitor).at(("candidates", "mild")) == []
    visitor.post("/studio/protection/copy", candidate="recoded")
    assert candidate_edits.names(text_of(visitor)) == ["recoded", "mild", "recoded_b"]
    assert text_of(visitor).at(("candidates", "recoded_b")) == text_of(visitor).at(("candidates", "recoded"))
    visitor.post("/studio/protection/rename", candidate="recoded_b", name="strong")
    visitor.post("/studio/protection/remove", candidate="mild")
    assert candidate_edits.names(text_of(visitor)) == ["recoded", "strong"]
    visitor.post("/studio/frame/undo")
    assert candidate_edits.names(text_of(visitor)) == ["recoded", "mild", "strong"]


def test_a_name_that_cannot_be_is_refused_with_its_reason(visitor, untried):
    answer = visitor.post("/studio/protection/add-candidate", name="Not this")
    assert answer.status_code == 422
    assert "small letters, digits and _" in answer.text
    answer = visitor.post("/studio/protection/add-candidate", name="recoded")
    assert "There is a candidate of this name already" in answer.text


def test_criteria_for_some_candidates_follow_their_names(visitor, untried):
    text = text_of(visitor)
    visitor.post("/studio/protection/copy", candidate="recoded")
    text.set(("risk", 0, "for"), ["recoded", "recoded_b"], expected=text.revision)
    text.set(("risk", 1, "for"), ["recoded_b"], expected=text.revision)
    visitor.post("/studio/protection/rename", candidate="recoded_b", name="other")
    assert text.at(("risk", 0, "for")) == ["recoded", "other"]
    before = len(text.at(("risk",)))
    visitor.post("/studio/protection/remove", candidate="other")
    assert text.at(("risk", 0, "for")) == ["recoded"]
    assert len(text.at(("risk",))) == before - 1


def test_the_open_candidate_is_found_by_name_place_or_as_the_last():
    assert chosen_candidate(["a", "b", "c"], "b") == "b"
    assert chosen_candidate(["a", "b", "c"], "@2") == "c"
    assert chosen_candidate(["a", "b", "c"], "@9") == "c"
    assert chosen_candidate(["a", "b", "c"], "@last") == "c"
    assert chosen_candidate(["a", "b"], "gone") == "a"
    assert chosen_candidate([], "@1") == ""


def test_a_step_is_added_from_the_catalogue_by_its_form(visitor, untried):
    page = visitor.get(f"/studio/protection?{HERE}&add=rank_swap").text
    assert 'name="option/p"' in page
    assert 'max="1"' in page
    fields = {"option/variables": "income", "option/p": "0.2"}
    answer = visitor.post(
        f"/studio/protection/add-step?{HERE}", candidate="recoded", method="rank_swap", **fields
    )
    assert answer.status_code == 200
    last = text_of(visitor).at(("candidates", "recoded"))[-1]
    assert last == {"method": "rank_swap", "with": {"variables": ["income"], "p": 0.2}}


def test_a_form_that_does_not_hold_changes_nothing_and_says_why(visitor, untried):
    before = text_of(visitor).text
    answer = visitor.post(
        f"/studio/protection/add-step?{HERE}", candidate="recoded", method="rank_swap", **{"option/p": "3"}
    )
    assert answer.status_code == 422
    assert "p must be at most 1" in answer.text
    assert text_of(visitor).text == before


def test_steps_are_changed_moved_and_removed_and_comments_stay(visitor, untried):
    text = text_of(visitor)
    methods = [step["method"] for step in text.at(("candidates", "recoded"))]
    place = methods.index("local_suppression")
    visitor.post(
        f"/studio/protection/change-step?{HERE}",
        candidate="recoded",
        step=str(place),
        **{"option/k": "5", "option/by_household": "true"},
    )
    assert text.at(("candidates", "recoded", place, "with", "k")) == 5
    visitor.post("/studio/protection/move-step", candidate="recoded", step=str(place), to="0")
    assert text.at(("candidates", "recoded"))[0]["method"] == "local_suppression"
    answer = visitor.post("/studio/protection/move-step", candidate="recoded", step="0", to="-1")
    assert "at the end already" in answer.text
    visitor.post("/studio/protection/remove-step", candidate="recoded", step="0")
    assert "local_suppression" not in [step["method"] for step in text.at(("candidates", "recoded"))]
    assert "# Every line is a guess from names and counts." in text.text
    answer = visitor.post("/studio/protection/remove-step", candidate="recoded", step="9")
    assert "There is no such step" in answer.text


def test_borders_and_categories_are_edits_of_the_recoding(visitor, untried):
    text, at = text_of(visitor), ("candidates", "recoded", 0, "with")
    spot = {"candidate": "recoded", "variable": "age"}
    address = f"/studio/protection/recode-border?{HERE}&variable=age"
    answer = visitor.post(address, border="0", to="18", **spot)
    assert answer.status_code == 200
    assert text.at((*at, "age"))["bands"][0] == 18
    assert "&lt;18" in answer.text
    visitor.post(address, do="add", to="65", **spot)
    assert 65 in text.at((*at, "age"))["bands"]
    visitor.post(address, do="remove", border="0", **spot)
    assert 18 not in text.at((*at, "age"))["bands"]
    region = {"candidate": "recoded", "variable": "region"}
    labels = ["North", "South"]
    answer = visitor.post("/studio/protection/recode-join?variable=region", label=labels, name="", **region)
    assert text.at((*at, "region")) == {"groups": {"North or South": labels}}, answer.text[:500]
    visitor.post("/studio/protection/recode-part", label="North or South", **region)
    assert text.at((*at, "region")) is None
    visitor.post("/studio/protection/recode-width", width="20", start="", bottom="", top="80", **spot)
    assert text.at((*at, "age")) == {"width": 20, "top": 80}
    visitor.post("/studio/protection/recode-none", **spot)
    assert "global_recode" not in [step["method"] for step in text.at(("candidates", "recoded"))]
    visitor.post("/studio/protection/recode-width", width="10", start="", bottom="", top="", **spot)
    assert text.at(("candidates", "recoded"))[0] == {
        "method": "global_recode",
        "with": {"age": {"width": 10}},
    }


def test_a_hierarchy_may_stand_in_a_file_and_its_level_be_moved(visitor, untried):
    text, at = text_of(visitor), ("candidates", "recoded", 0, "with", "sex")
    lines = "female,person,anybody\nmale,person,anybody\n"
    (visitor.workbench.path.parent / "sexes.csv").write_text(lines)
    text.set(at, {"hierarchy": "sexes.csv", "level": 1}, expected=text.revision)
    page = visitor.get(f"/studio/protection?{HERE}&variable=sex").text
    assert "level 1 of 2" in page
    assert "It is recoded by hierarchy into 1" in page
    spot = {"candidate": "recoded", "variable": "sex"}
    answer = visitor.post(f"/studio/protection/recode-hierarchy?{HERE}&variable=sex", level="2", **spot)
    assert answer.status_code == 200
    assert text.at(at) == {"hierarchy": "sexes.csv", "level": 2}
    answer = visitor.post("/studio/protection/recode-hierarchy", level="3", **spot)
    assert "have no ancestor at level 3" in answer.text


def test_after_a_change_every_number_stands_beside_what_it_was(visitor):
    text = text_of(visitor)
    first = tried(visitor.workbench)
    assert first.earlier is None
    place = [step["method"] for step in text.at(("candidates", "recoded"))].index("local_suppression")
    was = {each.variable: each.count for each in first.suppressions}
    text.set(("candidates", "recoded", place, "with", "k"), 6, expected=text.revision)
    now = tried(visitor.workbench)
    k = next(each for each in now.judged if each.label == "k_anonymity")
    assert (k.value, k.was, k.course, k.holds) == ("6 records in the class", "3", "better", True)
    assert {each.variable: each.was for each in now.suppressions if each.was} == was
    page = visitor.get(f"/studio/protection?{HERE}").text
    assert "before 3" in page
    visitor.post("/studio/frame/undo")
    back = view_of(visitor.workbench)
    assert back.opened.trial("recoded").is_complete, "what was measured is known after undo"


def test_the_judged_numbers_are_measured_first(workbench):
    asked = [each.alias for each in view_of(workbench).opened.trial("recoded").asked]
    assert asked[:2] == ["k_anonymity", "added_missing"]
    assert asked.index("propensity_mse") > asked.index("il1s")


def test_a_method_that_fails_on_these_data_says_its_sentence(visitor):
    text = text_of(visitor)
    chain = {"hierarchy": {"North": ["up"]}}
    text.set(("candidates", "recoded", 0, "with", "region"), chain, expected=text.revision)
    job = trials.begin(visitor.workbench, view_of(visitor.workbench).opened.trial("recoded"))
    assert job.done.wait(120)
    page = visitor.get(f"/studio/protection?{HERE}").text
    assert "could not be tried on these data" in page
    assert "of its values have no ancestor at level 1 of the hierarchy" in page
    assert visitor.workbench.jobs.find(trials.job_name("recoded")) is job, "it is not tried again by itself"


def test_a_step_that_takes_long_shows_its_progress_and_is_cancelled(visitor, monkeypatch):
    begun, ended = threading.Event(), threading.Event()

    def slow(self, say):
        say(0.4, "step 2 of 3, local_suppression")
        begun.set()
        while not ended.wait(0.02):
            say(0.4, "step 2 of 3, local_suppression")

    monkeypatch.setattr(Trial, "carry_out", slow)
    monkeypatch.setattr(trials, "PATIENCE", 0.2)
    page = visitor.get(f"/studio/protection?{HERE}").text
    assert begun.wait(10)
    assert "step 2 of 3, local_suppression" in page
    assert 'hx-trigger="every 700ms"' in page
    assert 'id="cancel"' in page
    assert 'value="40"' in visitor.get(f"/studio/protection/part/numbers?{HERE}").text
    answer = visitor.post(f"/studio/protection/cancel?{HERE}", candidate="recoded")
    assert "It was cancelled." in answer.text
    part = visitor.get(f"/studio/protection/part/numbers?{HERE}").text
    assert "This was cancelled." in part
    assert "every 700ms" not in part
    monkeypatch.undo()
    visitor.post(f"/studio/protection/try?{HERE}", candidate="recoded")
    assert visitor.workbench.jobs.find(trials.job_name("recoded")).done.wait(120)
    assert view_of(visitor.workbench).open.standing == "passes"


def test_of_a_large_file_a_sample_is_shown_first_and_says_so(workbench, monkeypatch):
    """5,915 records are large here; the sample has about a thousand."""
    monkeypatch.setattr(trial, "LARGE", 1000)
    monkeypatch.setattr(trial, "SAMPLE", 1000)
    opened = view_of(workbench).opened.trial("recoded")
    seen = []

    def say(_share, sentence):
        seen.append(sentence)
        if not sentence.startswith("a sample"):
            raise InterruptedError

    with pytest.raises(InterruptedError):
        opened.carry_out(say)
    assert seen[0] == "a sample: step 1 of 3, global_recode"
    numbers = TrialNumbers(opened)
    k = next(each for each in numbers.judged if each.label == "k_anonymity")
    assert k.on_sample
    assert k.holds is None, "a sample decides nothing"
    assert numbers.standing == ""
    assert 800 < numbers.sample.place.ingested.rows < 1200
    opened.carry_out(lambda _share, _sentence: None)
    exact = TrialNumbers(opened)
    assert not exact.on_sample
    assert exact.standing == "passes"


def test_what_makes_no_sense_is_told_with_its_reason(workbench):
    profile = OpenProfile.of(workbench).reading.profile
    assert why_not(profile, "recoded", "k_anonymity") == ""
    assert why_not(profile, "recoded", "membership_inference") == "there is no holdout"
    assert "proves no privacy budget" in why_not(profile, "recoded", "privacy_budget")
    assert why_not(profile, "recoded", "nothing") == "the catalogue has no such measure"
    assert Need.HOLDOUT in trial.NOT_IN_A_SAMPLE


def test_tables_of_steps_that_are_gone_are_dropped(visitor):
    text = text_of(visitor)
    tried(visitor.workbench)
    old = planned_steps(view_of(visitor.workbench).opened.reading.profile, "recoded")
    text.set(("candidates", "recoded", 0, "with", "age"), {"width": 20}, expected=text.revision)
    tried(visitor.workbench)
    place = view_of(visitor.workbench).opened.place
    assert old.key not in place.held
    assert len(place.held) == 1


def test_a_profile_with_faults_still_opens_and_marks_them(visitor, untried):
    text = text_of(visitor)
    text.set(("candidates", "recoded", 1, "with"), {"k": 0}, expected=text.revision)
    page = visitor.get(f"/studio/protection?{HERE}").text
    assert "Its steps have faults" in page
    assert "k must be at least 2" in page
    text.replace_text("name: [", expected=text.revision)
    assert "The text cannot be read" in visitor.get("/studio/protection").text


def test_a_sweep_is_shown_and_left_to_the_text(visitor, untried):
    text = text_of(visitor)
    swept = [{"method": "local_suppression", "sweep": {"k": [3, 5]}}]
    text.set(("candidates", "both"), {"steps": swept}, expected=text.revision)
    page = visitor.get("/studio/protection?candidate=both").text
    assert "It stands for several candidates" in page


def test_names_of_variables_are_escaped_and_no_value_is_in_an_address(visitor, untried):
    page = visitor.get(f"/studio/protection?{HERE}&variable=region").text
    addresses = [part.split('"')[0] for part in page.split('action="')[1:]]
    assert not [address for address in addresses if "North" in address]
