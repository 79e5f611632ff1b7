"""The room of search: a space around a candidate, the front that grows, a point that is taken."""

from __future__ import annotations

import pytest

from sdc.studio import front, space
from sdc.studio.candidate_edits import BadCandidate

SWEPT = {"sweep/0/age/width": "10, 20", "sweep/1/k/": "3, 5"}


@pytest.fixture
def few(workbench):
    """The draft with few measurements: a search takes them on every candidate."""
    text = workbench.profile_text
    told = text.at(("risk",))[0]
    text.set(("risk",), [told], expected=text.revision)
    text.set(
        ("utility",), [{"measure": "records_changed"}, {"measure": "ks_distance"}], expected=text.revision
    )
    return workbench


def searched(visitor, **told):
    answer = visitor.post("/studio/search/space?candidate=recoded", candidate="recoded", **(told or SWEPT))
    assert answer.status_code == 200
    answer = visitor.post("/studio/search/start", minutes="5")
    assert answer.status_code == 200
    job = visitor.workbench.jobs.find(front.SEARCH)
    assert job.done.wait(240)
    assert not job.error
    return front.last_search(visitor.workbench)


def test_a_search_tries_all_of_the_space_and_a_point_becomes_the_candidate(few, visitor):
    found = searched(visitor)
    text = visitor.workbench.profile_text
    step = text.at(("space", "recoded_tried"))[1]
    assert step["sweep"] == {"k": [3, 5]}
    assert "k" not in step.get("with", {})
    assert text.at(("space", "recoded_tried"))[0]["sweep"] == {"age": [{"width": 10}, {"width": 20}]}
    assert len(found.found) == 4
    assert found.place.held == [], "tables of the search are dropped"
    k = {name: each.assessments[0].outcome.value for name, each in found.found.items()}
    assert {name: value for name, value in k.items() if name.endswith("k3")} == dict.fromkeys(
        [name for name in k if name.endswith("k3")], 3
    )
    page = visitor.get("/studio/search").text
    assert "Tried all 4 candidates" in page
    assert "<svg" in page
    assert "recommended" in page
    for room in ("scripts", "criteria"):
        beside = visitor.get(f"/studio/{room}").text.partition("The profile as text")[0]
        assert "recoded_tried" not in beside, "what is only searched is no candidate"
    name = found.planned.recommended
    answer = visitor.post("/studio/search/take", point=name)
    assert f"{name} is now the candidate recommended." in answer.text
    assert [each["method"] for each in text.at(("candidates", "recommended"))] == [
        each["method"] for each in text.at(("candidates", "recoded"))
    ]
    assert text.at(("candidates", "recommended")) == found.steps(name)
    answer = visitor.post("/studio/search/take", point="nothing")
    assert answer.status_code == 422


def test_the_picture_grows_while_the_search_goes_on_and_it_can_be_cancelled(few, visitor, monkeypatch):
    grown = []
    judged = front.FrontSearch._judged

    def looked_at(self, name, progress):
        part = visitor.get("/studio/search/part/front").text
        grown.append(part.count("<circle"))
        assert 'hx-trigger="every 1s"' in part
        if len(self.found) == 2:
            visitor.workbench.jobs.find(front.SEARCH).cancel()
        return judged(self, name, progress)

    monkeypatch.setattr(front.FrontSearch, "_judged", looked_at)
    visitor.post("/studio/search/space?candidate=recoded", candidate="recoded", **SWEPT)
    visitor.post("/studio/search/start", minutes="5")
    job = visitor.workbench.jobs.find(front.SEARCH)
    assert job.done.wait(240)
    assert job.state.value == "cancelled"
    assert grown[0] == 0
    assert 0 < grown[1] < grown[2]
    assert len(front.last_search(visitor.workbench).found) == 2
    assert "This was cancelled." in visitor.get("/studio/search").text


def test_a_candidate_that_cannot_be_made_is_told_and_the_search_goes_on(few, visitor):
    text = visitor.workbench.profile_text
    chain = {"hierarchy": {"North": ["up"]}, "level": 1}
    text.set(("candidates", "recoded", 0, "with", "region"), chain, expected=text.revision)
    found = searched(visitor, **{"sweep/1/k/": "3, 5"})
    assert len(found.found) == 2
    assert all("no ancestor" in each.decision.findings[0].reason for each in found.found.values())
    assert "None passes" in visitor.get("/studio/search").text


def test_what_makes_no_space_is_said(visitor):
    text, roles = visitor.workbench.profile_text, visitor.workbench.reading().profile.roles
    answer = visitor.post("/studio/search/space", candidate="recoded")
    assert "Say values for one option at least" in answer.text
    answer = visitor.post("/studio/search/space", candidate="recoded", **{"sweep/1/k/": "3, many"})
    assert "a whole number is wanted" in answer.text
    many = ", ".join(str(number) for number in range(2, 40))
    with pytest.raises(BadCandidate, match="1,444 candidates, and 1,000 are the most"):
        space.write_space(
            text, "recoded", roles, {"sweep/1/k/": many, "sweep/2/k/": many}, expected=text.revision
        )
    answer = visitor.post("/studio/search/start", minutes="0")
    assert "Minutes must lie above 0" in answer.text


def test_values_are_proposed_around_what_is_there(workbench):
    roles = workbench.reading().profile.roles
    options = {each.name: each for each in space.sweepable(workbench.profile_text, "recoded", roles)}
    assert options["sweep/1/k/"].proposed == "2, 3, 6"
    assert options["sweep/0/age/width"].proposed == "5, 10, 20"


def test_a_search_waits_until_the_profile_has_no_faults(visitor):
    text = visitor.workbench.profile_text
    text.set(("risk", 0, "measure"), "k_anonimity", expected=text.revision)
    assert "The search can begin once the profile has no faults" in visitor.get("/studio/search").text
    assert visitor.post("/studio/search/start", minutes="1").status_code == 422
