"""Make one candidate: apply its steps, write its file, read it back."""

from __future__ import annotations

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.errors import redacted
from sdc.protect import protect as apply_steps
from tasks.workspace import Candidate, workspace


@task(name="protect", task_run_name="protect {candidate}", tags={"protect"}, cache_policy=NO_CACHE, persist_result=False)
def protect(run: str, candidate: str) -> Candidate:
    space = workspace(run)
    profile = space.profile
    with redacted(f"reading the original for candidate {candidate}"):
        original = space.warehouse.database.table("original").frame(profile.roles.released, profile.roles)
    made = apply_steps(original, profile.roles, profile.candidates[candidate], name=candidate, seed=profile.seed, missing=profile.missing_keys)
    with redacted(f"writing candidate {candidate}"):
        stored = space.warehouse.store_candidate(candidate, made.table, profile.roles, made.order)
        for copy, synthesis in enumerate(made.syntheses, start=2):
            space.warehouse.store_candidate(f"{candidate}_{copy}", synthesis, profile.roles, made.order)
    space.sealed[candidate] = list(made.sealed)
    return Candidate(candidate, str(stored.path), stored.sha256, stored.rows, made.steps, 1 + len(made.syntheses))
