"""Work that says nothing for long is cancelled where it is, and leaves nothing half done behind."""

from __future__ import annotations

import threading
import time
from contextlib import suppress

import pytest

from sdc.catalogue.measurement import Measurement
from sdc.data.database import Database
from sdc.measures import assess as assessing
from sdc.studio.interruption import Interrupted
from sdc.studio.jobs import Jobs, JobState
from sdc.studio.open_profile import OpenProfile

LONG = 60


def busy(begun):
    """Work of Python that never says how far it is."""

    def work(_progress, _cancelled):
        begun.set()
        while True:
            time.sleep(0.001)

    return work


def test_work_that_never_says_how_far_it_is_ends_when_it_is_cancelled():
    jobs, begun = Jobs(1), threading.Event()
    job = jobs.start("a step", busy(begun))
    assert begun.wait(LONG)
    job.cancel()
    assert job.done.wait(LONG)
    assert (job.state, job.error) == (JobState.CANCELLED, "this was cancelled")
    jobs.close()


def test_work_that_catches_every_error_ends_too():
    """A measure that breaks is only not assessed: what is caught there must not catch this."""
    jobs, begun = Jobs(1), threading.Event()

    def stubborn(_progress, _cancelled):
        begun.set()
        while True:
            with suppress(Exception):
                time.sleep(0.001)

    job = jobs.start("a step", stubborn)
    assert begun.wait(LONG)
    job.cancel()
    assert job.done.wait(LONG)
    assert job.state is JobState.CANCELLED
    jobs.close()


def test_work_that_ended_is_not_cancelled_and_the_next_is_not_hit():
    jobs = Jobs(1)
    for number in range(200):
        job = jobs.start(f"part {number}", lambda _progress, _cancelled: "made")
        if number % 2:
            job.done.wait(LONG)
        job.cancel()
        assert job.done.wait(LONG)
        assert job.state in (JobState.DONE, JobState.CANCELLED)
        assert (job.result == "made") is (job.state is JobState.DONE)
    after = jobs.start("the last", lambda _progress, _cancelled: "made")
    assert after.done.wait(LONG)
    assert (after.state, after.result) == (JobState.DONE, "made")
    jobs.close()


def test_work_that_waits_for_its_turn_is_cancelled_before_it_begins():
    jobs, begun = Jobs(1), threading.Event()
    first = jobs.start("first", busy(begun))
    assert begun.wait(LONG)
    second = jobs.start("second", lambda _progress, _cancelled: "made")
    second.cancel()
    first.cancel()
    assert second.done.wait(LONG)
    assert (second.state, second.result) == (JobState.CANCELLED, None)
    jobs.close()


def test_a_measure_cut_short_is_neither_a_number_nor_a_reason(workbench, monkeypatch):
    """It is measured again when it is asked for: that it was cancelled is no outcome of the measure."""
    trial = OpenProfile.of(workbench).trial("recoded")
    judged = next(each for each in trial.asked if each.measure == "k_anonymity")
    begun, guarded = threading.Event(), assessing._guarded

    def endless(*_asked):
        begun.set()
        while True:
            time.sleep(0.001)

    monkeypatch.setattr(assessing, "_guarded", endless)
    job = workbench.jobs.start("trial", lambda progress, _cancelled: trial.carry_out(progress))
    assert begun.wait(LONG)
    job.cancel()
    assert job.done.wait(LONG)
    assert job.state is JobState.CANCELLED
    assert trial.known(judged) is None
    monkeypatch.setattr(assessing, "_guarded", guarded)
    trial.measure([judged], lambda _share, _said: None, "")
    assert isinstance(trial.known(judged).outcome, Measurement)


def test_a_candidate_is_made_again_though_its_table_was_left_behind(workbench):
    """Somebody cancelled after the table had its own name, and before anybody knew of it."""
    trial = OpenProfile.of(workbench).trial("recoded")
    made = trial.place.made(trial.profile, trial.planned)
    trial.place._made.clear()
    again = trial.place.made(trial.profile, trial.planned)
    assert again.tables == made.tables
    assert trial.place.warehouse.database.table(again.tables[0]).rows == 5915


def test_work_that_must_end_itself_is_only_told():
    """A run has a process of its own to end; what it says at the end is believed."""
    jobs, begun = Jobs(1), threading.Event()

    def ordered(_progress, cancelled):
        begun.set()
        while not cancelled():
            time.sleep(0.001)
        time.sleep(0.05)
        return "in order"

    job = jobs.start("a run", ordered, ends_itself=True)
    assert begun.wait(LONG)
    job.cancel()
    assert job.done.wait(LONG)
    assert (job.state, job.result) == (JobState.DONE, "in order")
    jobs.close()


def test_a_sample_is_drawn_again_though_drawing_was_cut_short(workbench, monkeypatch):
    trial = OpenProfile.of(workbench).trial("recoded")

    def cut_short(*_given):
        raise Interrupted

    with monkeypatch.context() as patched:
        patched.setattr(Database, "write", cut_short)
        with pytest.raises(Interrupted):
            trial.place.sampled(trial.profile, 1000)
    sample = trial.place.sampled(trial.profile, 1000)
    assert 0 < sample.ingested.rows < 5915
