"""The room of criteria: limits, presets, measures that make sense and those that do not."""

from __future__ import annotations

from sdc.studio import trials
from sdc.studio.criteria import CriteriaView
from sdc.studio.protection import OpenProfile


def measured(workbench, name="recoded"):
    trial = OpenProfile.of(workbench).trial(name)
    job = trials.begin(workbench, trial)
    if job is not None:
        assert job.done.wait(120)
        assert not job.error
    return CriteriaView(OpenProfile.of(workbench), name)


def test_the_room_shows_what_is_demanded_and_whether_it_holds(visitor):
    measured(visitor.workbench)
    page = visitor.get("/studio/criteria").text
    assert "k_anonymity" in page
    assert "at least 3 or any less would pass" in page
