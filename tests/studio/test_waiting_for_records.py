"""While the records are read, every page answers: it says so, and shows the numbers once they are there."""

from __future__ import annotations

import threading

import pytest

from sdc.studio import open_profile
from sdc.study.workplace import Workplace
from sdc.web.studio import run_page

LONG = 120
ROOMS = ("protection", "criteria", "search")


@pytest.fixture
def slow(monkeypatch):
    """Reading that lasts until the event is set."""
    go_on, take_in = threading.Event(), Workplace.take_in

    def waiting(self, profile):
        assert go_on.wait(LONG)
        take_in(self, profile)

    monkeypatch.setattr(Workplace, "take_in", waiting)
    monkeypatch.setattr(open_profile, "PATIENCE", 0.05)
    yield go_on
    go_on.set()


def test_no_page_waits_for_the_records(visitor, slow):
    for room in ROOMS:
        page = visitor.get(f"/studio/{room}?candidate=recoded")
        assert page.status_code == 200
        assert "Reading the records" in page.text
        assert f'hx-get="/studio/{room}/part/records?candidate=recoded"' in page.text
        part = visitor.get(f"/studio/{room}/part/records?candidate=recoded")
        assert "Reading the records" in part.text
        assert f'hx-get="/studio/{room}/part/records?candidate=recoded"' in part.text
    assert visitor.get("/studio/variables").status_code == 200
    slow.set()
    assert visitor.workbench.jobs.find(open_profile.RECORDS).done.wait(LONG)
    for room in ROOMS:
        part = visitor.get(f"/studio/{room}/part/records?candidate=recoded").text
        assert f'hx-get="/studio/{room}?candidate=recoded"' in part
        assert 'hx-target="#room"' in part
        assert "Reading the records" not in visitor.get(f"/studio/{room}?candidate=recoded").text


def test_a_form_that_needs_the_records_says_so_and_changes_nothing(visitor, slow):
    before = visitor.workbench.profile_text.text
    answer = visitor.post(
        "/studio/protection/recode-width?candidate=recoded", candidate="recoded", variable="age", width="20"
    )
    assert answer.status_code == 422
    assert "records are being read" in answer.text
    assert visitor.post("/studio/search/start", minutes="1").status_code == 422
    assert visitor.workbench.profile_text.text == before


def test_reading_is_cancelled_and_begun_again(visitor, slow):
    visitor.get("/studio/protection")
    job = visitor.workbench.jobs.find(open_profile.RECORDS)
    job.cancel()
    slow.set()
    assert job.done.wait(LONG)
    page = visitor.get("/studio/protection").text
    assert "Reading the records was cancelled" in page
    assert visitor.workbench.jobs.find(open_profile.RECORDS) is job, "it does not begin by itself"
    visitor.post("/studio/frame/read", room="protection")
    assert visitor.workbench.jobs.find(open_profile.RECORDS).done.wait(LONG)
    assert "was cancelled" not in visitor.get("/studio/protection").text


def test_a_release_waits_until_the_check_has_ended(visitor, slow, monkeypatch):
    monkeypatch.setattr(run_page, "PATIENCE", 0.05)
    answer = visitor.post("/studio/run/release")
    assert answer.status_code == 422
    assert "still being checked" in answer.text
