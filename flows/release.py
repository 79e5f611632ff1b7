"""The release: ingest, protect, assess risk and utility, gate, publish."""

from __future__ import annotations

from collections.abc import Sequence

from prefect import flow
from prefect.futures import PrefectFuture, as_completed
from prefect.states import Completed, State
from prefect.task_runners import ThreadPoolTaskRunner

from flows.progress import Progress, Silent
from sdc.assess import Assessment
from sdc.gate import Decision
from tasks.gate import gate
from tasks.ingest import ingest
from tasks.measure import measure_task
from tasks.protect import protect
from tasks.publish import Outcome, conclude
from tasks.workspace import Candidate, workspace

WORKERS = 4

_told: dict[str, Progress] = {}


def tell(run: str, progress: Progress) -> None:
    """Whom the flow of this run reports its progress to."""
    _told[run] = progress


@flow(name="release", flow_run_name="{run_id}", task_runner=ThreadPoolTaskRunner(max_workers=WORKERS), validate_parameters=False, persist_result=False)
def release(run: str, run_id: str) -> State[Outcome]:
    """Take one run from its source to its outcome. The state is named Published, Referred or Withheld."""
    ingested = ingested_source(run)
    candidates = protected_candidates(run)
    assessments = measurements(run, candidates)
    decisions = judgements(run, candidates, assessments)
    outcome = concluded(run, ingested, candidates, assessments, decisions)
    return Completed(name=outcome.verdict.value.title(), message=outcome.sentence, data=outcome)
