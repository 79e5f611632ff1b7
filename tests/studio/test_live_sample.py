"""The numbers beside the variables of a large file: a sample first, which says so, then all records."""

from __future__ import annotations

import threading

import pytest

from sdc.studio import live_state
from sdc.studio.live_risk import live_risk

LONG = 120
ALL = 5915
"""Records of the demonstration data."""


@pytest.fixture
def held_back(monkeypatch):
    """A file of more than 1,000 records is large, and counting all of them waits for the event."""
    go_on = threading.Event()

    def counted(pair, *asked):
        if pair.original.rows == ALL:
            assert go_on.wait(LONG)
        return live_risk(pair, *asked)

    monkeypatch.setattr(live_state, "LARGE", 1000)
    monkeypatch.setattr(live_state, "SAMPLE", 1000)
    monkeypatch.setattr(live_state, "live_risk", counted)
    yield go_on
    go_on.set()


def wait_for(found):
    for _ in range(LONG * 50):
        if (held := found()) is not None:
            return held
        threading.Event().wait(0.02)
    raise AssertionError("it never came")


def test_of_a_large_file_a_sample_is_counted_first_and_says_so(visitor, held_back):
    live = visitor.workbench.live
    job = live.risk()
    first = wait_for(lambda: live.first(job))
    assert 700 < first.records < 1300, "about a thousand, drawn by household"
    assert job.is_under_way
    part = visitor.get("/studio/variables/part/risk", headers={"hx-request": "true"}).text
    assert f"a sample of {first.records:,} of 5,915 records" in part
    assert f">{first.uniques:,} <" in part
    assert 'hx-get="/studio/variables/part/risk"' in part, "it asks again for the exact numbers"
    assert 'id="effect-' in part
    held_back.set()
    assert job.done.wait(LONG)
    assert job.result.records == ALL
    part = visitor.get("/studio/variables/part/risk").text
    assert "a sample of" not in part
    assert "5,915" in part
    assert 'hx-get="/studio/variables/part/risk"' not in part


def test_what_it_was_before_is_never_of_another_number_of_records(visitor, held_back):
    """Unique people of a sample stand beside those of a sample, and of all beside those of all."""
    live = visitor.workbench.live
    job = live.risk()
    first = wait_for(lambda: live.first(job))
    held_back.set()
    assert job.done.wait(LONG)
    every = job.result
    held_back.clear()
    visitor.post("/studio/variables/declare", **{"role:age": "other"})
    job = live.risk()
    second = wait_for(lambda: live.first(job))
    assert live.before_of(second) == first
    held_back.set()
    assert job.done.wait(LONG)
    assert live.before_of(job.result) == every


def test_variables_that_tell_others_come_from_a_sample_first(visitor, held_back, monkeypatch):
    go_on, giveaways = threading.Event(), live_state.giveaways

    def looked_for(table, *asked):
        if table.rows == ALL:
            assert go_on.wait(LONG)
        return giveaways(table, *asked)

    monkeypatch.setattr(live_state, "giveaways", looked_for)
    live = visitor.workbench.live
    job = live.giveaways()
    wait_for(lambda: live.first(job))
    part = visitor.get("/studio/variables/part/giveaways").text
    assert "a sample of" in part
    assert 'hx-get="/studio/variables/part/giveaways"' in part
    go_on.set()
    assert job.done.wait(LONG)
    assert "a sample of" not in visitor.get("/studio/variables/part/giveaways").text


def test_a_small_file_has_no_sample(workbench):
    job = workbench.live.risk()
    assert job.done.wait(LONG)
    assert workbench.live.first(job) is None
    assert job.result.records == ALL
