"""Write the report of a run, in the edition asked for."""

from __future__ import annotations

from collections.abc import Sequence

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.errors import redacted
from sdc.ingest import identifier_values
from sdc.report import Edition, RunFacts, page
from sdc.run import durable
from tasks.outcome import Candidate
from tasks.workspace import workspace

REFUSED = "refused.html"


@task(
    name="report",
    task_run_name="{edition.value} report",
    tags={"report"},
    cache_policy=NO_CACHE,
    persist_result=False,
)
def report(
    run: str, facts: RunFacts, edition: Edition, about: Candidate | None, others: Sequence[Candidate] = ()
) -> str:
    """The page about one candidate, beside the others; a public one that would disclose something is refused.

    For that the direct identifiers are read once more from the source; nothing of them is kept. A refused
    page stays in the directory of the run, confidential, so that somebody can look at the lines the error
    names.
    """
    space = workspace(run)
    with redacted(f"the {edition.value} report"):
        pair = space.pair(about) if about else None
        if edition is Edition.INTERNAL:
            return page(facts, edition, pair, others={other.name: space.pair(other) for other in others})
        with identifier_values(
            space.profile, space.base, facts.provenance.source_sha256, space.run.directory
        ) as identifiers:
            return page(
                facts,
                edition,
                pair,
                identifiers=identifiers,
                refused=lambda html: durable.write(space.run.directory / REFUSED, html.encode()),
            )
