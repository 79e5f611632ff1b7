"""A trial of a change leaves nothing behind, ends no run and keeps within the run's time, whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tasks.try_changes
from sdc.catalogue.candidate import Candidate
from sdc.catalogue.finding import Concerns, Finding, Otherwise
from sdc.catalogue.measurement import Assessment, NotAssessed
from sdc.errors import WarehouseUnusable
from sdc.gate.changes import StepChange
from sdc.gate.decision import Decision, Verdict
from sdc.gate.judged import JudgedCandidate
from sdc.ingest import ingest
from sdc.profile import StepPlan
from sdc.profile.load import load
from sdc.publish.candidates import make
from sdc.report import RunFacts
from sdc.run.home import Home, Run
from tasks.context import RunContext, open_context
from tasks.try_changes import allowed_seconds, one_takes, tried

SPENT = {"k_anonymity": 70.0, "ks_distance": 20.0}
MISSED = Finding("k_anonymity", Concerns.RISK, "masked", False, Otherwise.WITHHOLD, 1.0, 3.0, None, -2.0)
COPIES = StepChange(
    "sequential", "m", 2, 3, (StepPlan(method="sequential", **{"with": {"model": "cart", "m": 3}}),)
)


@pytest.fixture
def context(release_files: Callable[..., Path], tmp_path: Path) -> Iterator[RunContext]:
    named = "  tried_2:\n    - {method: local_suppression, with: {k: 3}}\n"
    profile = release_files(("risk:\n", f"{named}risk:\n"))
    home = Home.at(tmp_path / "home")
    with Run.start(home, "small") as run:
        opened = open_context(home, run, load(profile))
        read = ingest(opened.profile, opened.base, opened.warehouse, opened.secret)
        opened.source = {"sha256": read.sha256}
        yield opened
        opened.close()


def held(context: RunContext) -> dict[str, bytes]:
    """Every file of a candidate or of its persons."""
    places = (context.directory.candidates, context.directory.persons("").parent)
    return {
        f"{place.name}/{file.name}": file.read_bytes()
        for place in places
        if place.exists()
        for file in place.iterdir()
    }


def tables(context: RunContext) -> set[str]:
    rows = context.warehouse.database.cursor().execute("SELECT table_name FROM duckdb_tables()").fetchall()
    return {name for (name,) in rows}


def focus(context: RunContext) -> JudgedCandidate:
    made = [
        make(context.profile, context.base, context.warehouse, name, context.randomness)
        for name in context.profile.candidates
    ]
    return JudgedCandidate("masked", Decision("masked", (MISSED,)), (), made[0])


def test_the_syntheses_of_a_trial_take_no_name_of_a_candidate(context: RunContext) -> None:
    """Candidate tried_2 would be the second synthesis of a trial that is called tried."""
    judged = focus(context)
    before, known = held(context), tables(context)
    assert tried(context, judged, COPIES).findings
    assert held(context) == before
    assert tables(context) == known


@pytest.mark.parametrize("error", [WarehouseUnusable("here", "the disk is full"), ValueError("P00001")])
def test_a_trial_that_fails_half_way_says_nothing_and_leaves_nothing(
    context: RunContext, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def failing(*arguments: Any) -> Candidate:
        make(*arguments)
        raise error

    judged = focus(context)
    before, known = held(context), tables(context)
    monkeypatch.setattr(tasks.try_changes, "make", failing)
    assert tried(context, judged, COPIES).findings == ()
    assert held(context) == before
    assert tables(context) == known


def facts(context: RunContext, judged: JudgedCandidate) -> RunFacts:
    when = datetime(2026, 1, 1, tzinfo=UTC)
    return RunFacts("run", context.profile, when, Verdict.WITHHELD, (judged,))


@pytest.mark.parametrize("place", ["proposed", "make", "measured", "one_takes"])
def test_no_error_of_a_trial_ends_the_run(
    context: RunContext, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def failing(*_arguments: Any) -> None:
        raise RuntimeError("P00001")

    known = facts(context, focus(context))
    context.timings["candidates"] = 0.0
    context.machines = SimpleNamespace(at_once=1)
    before = held(context)
    monkeypatch.setattr(tasks.try_changes, place, failing)
    after = tasks.try_changes.try_changes.fn(context.name, known)
    assert not any(trial.findings for trial in after.trials)
    assert replace(after, trials=()) == known
    assert held(context) == before


def test_trials_take_a_tenth_of_the_time_that_is_left() -> None:
    """Of 10 minutes 8 are gone: 12 s of 120."""
    assert allowed_seconds(None, 480) == 60
    assert allowed_seconds(10, 0) == 60
    assert allowed_seconds(10, 480) == pytest.approx(12)
    assert allowed_seconds(10, 700) < 0


def test_a_trial_is_expected_to_take_as_long_as_its_candidate_took_on_however_many_machines() -> None:
    """Four at a time took 40 s: each took up to 40. Measures of 70 and 20 s ran side by side elsewhere."""
    taken = [Assessment(name, name, "masked", NotAssessed("no"), {}, spent) for name, spent in SPENT.items()]
    judged = JudgedCandidate("masked", Decision("masked", (MISSED,)), tuple(taken))
    assert one_takes(replace(judged, assessments=()), 40.0, 4, 4) == 40.0
    assert one_takes(replace(judged, assessments=()), 40.0, 4, 1) == 10.0
    assert one_takes(judged, 40.0, 4, 4) == 90.0
