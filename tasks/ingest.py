"""Read the source into the run's warehouse, checked."""

from __future__ import annotations

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.errors import HomeUnusable, StepFailed, redacted
from sdc.ingest import Ingested
from sdc.ingest import ingest as ingest_source
from sdc.run import durable
from sdc.run.randomness import Randomness
from tasks.context import run_context


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
    """The source in the warehouse, and on record what was read: by fingerprints, never by keys."""
    context = run_context(run)
    context.progress.stage("ingest")
    with redacted("ingest"), context.timed("ingest"):
        ingested = ingest_source(
            context.profile, context.base, context.warehouse, context.secret, context.machines.elsewhere
        )
    randomness = Randomness.of_release(context.secret, context.profile, ingested.sha256)
    context.source = {
        "secret": context.secret.fingerprint,
        "randomness": randomness.fingerprint,
        "sha256": ingested.sha256,
        "rows": ingested.rows,
        "holdout_rows": ingested.holdout_rows,
        "left_out_rows": ingested.left_out_rows,
        "population_rows": ingested.population_rows,
    }
    try:
        context.keep(context.directory.source, context.source)
    except OSError as error:
        # Not worth another ingest: the source was read.
        raise HomeUnusable(context.directory.source, durable.reason(error)) from None
    context.progress.done("source", ingested.in_words)
    return ingested
