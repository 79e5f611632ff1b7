"""Make one candidate: apply its steps, write its file, read it back."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.catalogue.candidate import Candidate
from sdc.errors import SdcError
from sdc.publish.candidates import make
from sdc.run import digest
from sdc.run.progress import reporting_to
from sdc.spelling import counted
from tasks.context import RunContext, run_context
from tasks.portions import Portion


@task(
    name="protect",
    task_run_name="protect {candidate}",
    tags={"protect"},
    cache_policy=NO_CACHE,
    persist_result=False,
)
def protect_here(run: str, candidate: str) -> Candidate:
    """Make a candidate on this machine."""
    context = run_context(run)
    context.progress.begin(f"protect {candidate}")
    with reporting_to(partial(context.progress.under_way, f"protect {candidate}")):
        made = make(context.profile, context.base, context.warehouse, candidate, context.randomness)
    return keep_made(context, made)


def keep_made(context: RunContext, made: Candidate) -> Candidate:
    """Keep how a candidate was made with the run, from the moment it is there."""
    steps = {"steps": [step.as_record() for step in made.steps], "sealed": digest.plain(made.sealed)}
    context.keep(context.directory.steps(made.name), steps)
    context.progress.done(f"protect {made.name}", counted(made.rows, "record"))
    return made


@task(
    name="protect",
    task_run_name="protect {candidate}",
    tags={"protect"},
    cache_policy=NO_CACHE,
    persist_result=False,
)
def protect_elsewhere(folder: str, candidate: str, portions: int = 0) -> None:
    """Make a candidate on a worker, from its portions where others made some.

    Names come in, nothing goes out; file and steps lie in the folder.
    """
    from distributed import get_worker

    from tasks.worker import make_candidate

    try:
        make_candidate(folder, candidate, Path(get_worker().local_directory), portions)
    except SdcError as error:
        # Errors with facts of their own do not survive the way back.
        raise SdcError(str(error)) from None


@task(
    name="protect in part",
    task_run_name="protect {candidate}, portion {number} of {of}",
    tags={"protect"},
    cache_policy=NO_CACHE,
    persist_result=False,
)
def protect_portion(folder: str, candidate: str, number: int, of: int) -> None:
    """Make some strata or syntheses of a candidate on a worker; they lie in the folder."""
    from distributed import get_worker

    from tasks.worker import make_portion

    try:
        make_portion(folder, Portion(candidate, number, of), Path(get_worker().local_directory))
    except SdcError as error:
        raise SdcError(str(error)) from None
