"""Write the report of a run, in the edition asked for."""

from __future__ import annotations

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.errors import redacted
from sdc.ingest import identifier_values
from sdc.report import Edition, RunFacts, page
from sdc.report.figures.multiples import MOST_COLUMNS
from sdc.run import durable
from tasks.context import RunContext, run_context


@task(
    name="report",
    task_run_name="{edition.value} report",
    tags={"report"},
    cache_policy=NO_CACHE,
    persist_result=False,
)
def report(run: str, facts: RunFacts, edition: Edition) -> str:
    """The page about the candidate in focus; the internal one shows it beside others and is kept."""
    context = run_context(run)
    with redacted(f"the {edition.value} report"):
        if edition is Edition.PUBLIC:
            return _public(context, facts)
        html = _internal(context, facts)
    with redacted("writing the internal report"):
        context.keep_bytes(context.directory.report, html.encode())
    return html


def _internal(context: RunContext, facts: RunFacts) -> str:
    about = facts.focus.made if facts.focus else None
    others = [each.made for each in facts.candidates if each.made and each.made != about][:MOST_COLUMNS]
    return page(
        facts,
        Edition.INTERNAL,
        context.pair(about) if about else None,
        others={other.name: context.pair(other) for other in others},
    )


def _public(context: RunContext, facts: RunFacts) -> str:
    """A page that would disclose something is refused.

    For that the direct identifiers are read once more from the source; nothing of them is kept. A refused
    page stays in the directory of the run, confidential, so that somebody can look at the lines the error
    names.
    """
    about = facts.focus.made if facts.focus else None
    with identifier_values(
        context.profile, context.base, facts.provenance.source_sha256, context.directory.path
    ) as identifiers:
        return page(
            facts,
            Edition.PUBLIC,
            context.pair(about) if about else None,
            identifiers=identifiers,
            refused=lambda html: durable.write(context.directory.refused, html.encode()),
        )
