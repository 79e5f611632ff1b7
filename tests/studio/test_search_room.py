"""The room of search: a space around a candidate, the front that grows, a point that is taken."""

from __future__ import annotations

from sdc.studio import front

SWEPT = {"sweep/0/age/width": "10, 20", "sweep/1/k/": "3, 5"}


def searched(visitor, **told):
    answer = visitor.post("/studio/search/space?candidate=recoded", candidate="recoded", **(told or SWEPT))
    assert answer.status_code == 200, answer.text
    answer = visitor.post("/studio/search/start", minutes="5")
    assert answer.status_code == 200
    job = visitor.workbench.jobs.find(front.SEARCH)
    assert job.done.wait(240)
    assert not job.error
    return front.last_search(visitor.workbench)


def test_a_search_tries_all_of_the_space_and_a_point_becomes_the_candidate(visitor):
    found = searched(visitor)
    assert len(found.found) == 4
    page = visitor.get("/studio/search").text
    assert "Tried all 4 candidates" in page
    assert "<svg" in page
