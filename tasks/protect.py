"""Make one candidate: apply its steps, write its file, read it back."""

from __future__ import annotations

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.publish.candidates import make
from sdc.run import digest
from sdc.run.directory import steps_of
from tasks.outcome import Candidate
from tasks.workspace import workspace


@task(
    name="protect",
    task_run_name="protect {candidate}",
    tags={"protect"},
    cache_policy=NO_CACHE,
    persist_result=False,
)
def protect(run: str, candidate: str) -> Candidate:
    space = workspace(run)
    made = make(space.profile, space.base, space.warehouse, candidate, space.randomness)
    stored, protected = made.stored, made.protected
    space.sealed[candidate] = list(protected.sealed)
    space.keep(steps_of(candidate), digest.plain({"steps": protected.steps, "sealed": protected.sealed}))
    return Candidate(
        candidate,
        str(stored.path),
        stored.sha256,
        stored.rows,
        protected.steps,
        1 + len(protected.syntheses),
        stored.persons,
    )
