"""The room of protection: candidates, steps as forms, recoding with a picture, numbers after each change."""

from __future__ import annotations

from sdc.studio import trials
from sdc.studio.protection import OpenProfile, ProtectionView

RECODED = "/studio/protection?candidate=recoded"


def numbers_of(visitor, name="recoded"):
    """The open candidate once all of it was measured."""
    view = ProtectionView(OpenProfile.of(visitor.workbench), name)
    job = trials.begin(visitor.workbench, view.opened.trial(name))
    if job is not None:
        assert job.done.wait(120)
        assert not job.error, job.error
    return ProtectionView(OpenProfile.of(visitor.workbench), name).open.numbers


def test_the_room_opens_with_the_draft_and_its_numbers(visitor):
    page = visitor.get("/studio/protection")
    assert page.status_code == 200
    assert "global_recode" in page.text
    numbers_of(visitor)
    page = visitor.get("/studio/protection").text
    assert "k_anonymity" in page
    assert "holds" in page
