"""Make one candidate: apply its steps, write its file, read it back."""

from __future__ import annotations

from functools import partial

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.catalogue.candidate import Candidate
from sdc.publish.candidates import make
from sdc.run import digest
from sdc.run.progress import reporting_to
from sdc.spelling import counted
from tasks.context import run_context


@task(
    name="protect",
    task_run_name="protect {candidate}",
    tags={"protect"},
    cache_policy=NO_CACHE,
    persist_result=False,
)
def protect(run: str, candidate: str) -> Candidate:
    context = run_context(run)
    context.progress.begin(f"protect {candidate}")
    with reporting_to(partial(context.progress.under_way, f"protect {candidate}")):
        made = make(context.profile, context.base, context.warehouse, candidate, context.randomness)
    steps = {"steps": [step.as_record() for step in made.steps], "sealed": digest.plain(made.sealed)}
    context.keep(context.directory.steps(candidate), steps)
    context.progress.done(f"protect {candidate}", counted(made.rows, "record"))
    return made
