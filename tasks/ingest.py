"""Read the source into the run's warehouse, checked."""

from __future__ import annotations

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.errors import StepFailed, redacted
from sdc.ingest import Ingested
from sdc.ingest import ingest as ingest_source
from tasks.workspace import workspace


def _is_worth_retrying(_task: object, _run: object, state: object) -> bool:
    """A source on a network drive may come back; a fault in it does not go away."""
    error = getattr(state, "data", None)
    return isinstance(getattr(error, "_exception", error), (OSError, StepFailed))


@task(
    name="ingest",
    tags={"ingest"},
    retries=2,
    retry_delay_seconds=2,
    retry_condition_fn=_is_worth_retrying,
    timeout_seconds=6 * 3600,
    cache_policy=NO_CACHE,
    persist_result=False,
)
def ingest(run: str) -> Ingested:
    space = workspace(run)
    with redacted("ingest"):
        ingested = ingest_source(space.profile, space.base, space.warehouse, space.secret)
    space.source_sha256 = ingested.sha256
    return ingested
