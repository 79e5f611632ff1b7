"""The release: ingest, protect, assess risk and utility, gate, publish."""

from __future__ import annotations

from pathlib import Path

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Completed

from flows.candidate import judge_candidates, told
from flows.orchestration.stopping import within
from sdc.ingest import Ingested
from sdc.run.directory import SOURCE
from tasks.audit import source_facts
from tasks.ingest import ingest
from tasks.outcome import Judged, Outcome
from tasks.publish import conclude
from tasks.workspace import workspace


def _run_id() -> str:
    return Path(flow_run.parameters["run"]).name


@flow(name="release", flow_run_name=_run_id, validate_parameters=False, persist_result=False)
def release(run: str) -> State[None]:
    """Take one run from its source to its outcome; the state is named Published, Referred or Withheld."""
    with within(workspace(run).profile.limits.minutes):
        ingested = read(run)
        judged = judge(run)
        outcome = end(run, ingested, judged)
    return Completed(name=outcome.verdict.value.title(), message=outcome.sentence)


def read(run: str) -> Ingested:
    told(run).stage("ingest")
    space = workspace(run)
    with space.timed("ingest"):
        ingested = ingest(run)
    space.keep(SOURCE, source_facts(run, ingested))
    told(run).done("source", ingested.in_words)
    return ingested


def judge(run: str) -> list[Judged]:
    with workspace(run).timed("candidates"):
        return judge_candidates(run)


def end(run: str, ingested: Ingested, judged: list[Judged]) -> Outcome:
    told(run).stage("publish")
    outcome = conclude(run, ingested, judged)
    told(run).done(outcome.sentence)
    return outcome
