"""The release: ingest, protect, assess risk and utility, gate, publish."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.futures import PrefectFuture, as_completed
from prefect.runtime import flow_run
from prefect.states import Completed
from prefect.task_runners import ThreadPoolTaskRunner

from flows.progress import Progress, Silent
from flows.summary import number
from sdc.assess import Assessment
from sdc.gate import Decision
from sdc.ingest import Ingested
from tasks.gate import gate
from tasks.ingest import ingest
from tasks.measure import measure_task
from tasks.protect import protect
from tasks.publish import conclude
from tasks.workspace import Candidate, Outcome, workspace

WORKERS = 4
THREADS: Any = ThreadPoolTaskRunner(max_workers=WORKERS)

_told: dict[str, Progress] = {}


def tell(run: str, progress: Progress) -> None:
    """Whom the flow of this run reports its progress to."""
    _told[run] = progress


def _run_id() -> str:
    return Path(flow_run.parameters["run"]).name


@flow(name="release", flow_run_name=_run_id, task_runner=THREADS, validate_parameters=False, persist_result=False)
def release(run: str) -> State[None]:
    """Take one run from its source to its outcome; the state is named Published, Referred or Withheld."""
    ingested = read(run)
    candidates = protect_all(run)
    assessments = assess_all(run, candidates)
    decisions = judge_all(run, candidates, assessments)
    outcome = end(run, ingested, candidates, assessments, decisions)
    return Completed(name=outcome.verdict.value.title(), message=outcome.sentence)


def read(run: str) -> Ingested:
    told = _told.get(run, Silent())
    told.stage("ingest")
    ingested = ingest(run)
    told.done("source", f"{ingested.rows:,} records")
    return ingested


def protect_all(run: str) -> list[Candidate]:
    told = _told.get(run, Silent())
    names = list(workspace(run).profile.candidates)
    told.stage("protect", len(names))
    futures = {protect.submit(run, name): name for name in names}
    for future in as_completed(list(futures)):
        told.done(futures[future], f"{future.result().rows:,} records")
    return [future.result() for future in futures]


def assess_all(run: str, candidates: Sequence[Candidate]) -> dict[str, list[Assessment]]:
    """Every measure on every candidate it covers, risk and utility side by side."""
    told = _told.get(run, Silent())
    planned = [(candidate, criterion) for candidate in candidates for criterion in workspace(run).profile.measurements(candidate.name)]
    told.stage("assess", len(planned))
    futures: list[PrefectFuture[Any]] = [measure_task(criterion.measure).submit(run, candidate, criterion) for candidate, criterion in planned]
    for future in as_completed(futures):
        assessed: Assessment = future.result()
        told.done(f"{assessed.alias} of {assessed.candidate}", number(assessed.value) if assessed.not_assessed is None else assessed.not_assessed)
    taken: dict[str, list[Assessment]] = {candidate.name: [] for candidate in candidates}
    for future in futures:
        taken[future.result().candidate].append(future.result())
    return taken


def judge_all(run: str, candidates: Sequence[Candidate], assessments: dict[str, list[Assessment]]) -> dict[str, Decision]:
    told = _told.get(run, Silent())
    told.stage("gate", len(candidates))
    decisions = {}
    for candidate in candidates:
        decisions[candidate.name] = gate(run, candidate, assessments[candidate.name])
        told.done(candidate.name, decisions[candidate.name].verdict.value)
    return decisions


def end(
    run: str, ingested: Ingested, candidates: Sequence[Candidate], assessments: dict[str, list[Assessment]], decisions: dict[str, Decision]
) -> Outcome:
    told = _told.get(run, Silent())
    told.stage("publish")
    outcome = conclude(run, ingested, candidates, assessments, decisions)
    told.done(outcome.sentence)
    return outcome
