"""Publish the chosen candidate of a run."""

from __future__ import annotations

from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.audit.announcement import require_open, require_same_history
from sdc.audit.changes import changes_since_last
from sdc.audit.ledger import Event, Ledger
from sdc.audit.software import DISTRIBUTION
from sdc.catalogue.candidate import Candidate
from sdc.errors import CannotPublish, redacted
from sdc.publish import BundlePlan, Published
from sdc.publish import publish as publish_bundle
from sdc.publish.bundle_plan import JudgedCopy
from sdc.publish.delivery import addressed
from sdc.report import RunFacts
from tasks.context import RunContext, require_as_decided, run_context


@task(name="publish", tags={"publish"}, cache_policy=NO_CACHE, persist_result=False)
def publish(run: str, facts: RunFacts, public_report: str) -> Published:
    """The bundle in the outbox, announced in the ledger before it moves there."""
    context, ledger = run_context(run), Ledger(run_context(run).home.ledger)
    candidate = _leaving(context, facts)
    plan = BundlePlan(
        context.profile,
        context.run.id,
        context.pair(candidate).candidate,
        context.directory.stored(candidate.name),
        candidate.sha256,
        candidate.rows,
        candidate.steps,
        public_report,
        facts.when,
        ledger.anchor(),
        {
            "source": facts.provenance.source_sha256,
            "profile": facts.provenance.profile_sha256,
            "version": facts.provenance.versions.get(DISTRIBUTION, ""),
        },
        changes_since_last(
            context.home,
            ledger.entries(),
            context.profile,
            context.run.id,
            candidate,
            facts.focus.decision.findings if facts.focus else (),
        ),
        _further(context, candidate),
    )

    def announce(intent: dict[str, str]) -> None:
        directory, family = context.directory, context.profile.family
        looked_back = context.files.get(directory.name_of(directory.earlier))
        with ledger.writing() as writer:
            entries = writer.entries()
            require_open(entries, context.run.id, context.outbox)
            require_same_history(entries, directory, family, looked_back, context.outbox)
            if context.record is not None:
                require_as_decided(directory, context.record)
            said = {**intent, "family": family, "chosen": candidate.name, **_places(context)}
            writer.append(context.run.id, context.profile.name, Event.PUBLISHING, said)

    with redacted("publishing"), context.timed("publish"):
        return publish_bundle(plan, context.outbox, announce=announce)


def _further(context: RunContext, candidate: Candidate) -> tuple[JudgedCopy, ...]:
    """The further syntheses that leave with a candidate, as they were judged."""
    tables = context.pair(candidate).leaving
    named = list(zip(candidate.fingerprints.items(), tables, strict=False))
    return tuple(
        JudgedCopy(table, context.directory.stored(copy), sha256, candidate.rows)
        for (copy, sha256), table in named[1:]
    )


def _places(context: RunContext) -> dict[str, Any]:
    """Where else the bundle goes, for the ledger: who withdraws it must find it."""
    publish = context.profile.publish
    if not publish.to:
        return {}
    return {"to": [addressed(address, context.base) for address in publish.to], "layout": publish.layout}


def _leaving(context: RunContext, facts: RunFacts) -> Candidate:
    """The chosen candidate of a run that leaves; after a decision of people, the very one they decided on."""
    candidate = facts.focus.made if facts.focus and facts.leaves and facts.chosen else None
    if candidate is None:
        raise CannotPublish(context.outbox, f"no candidate of run {context.run.id} may leave")
    if context.record is not None:
        directory, files = context.directory, context.record["files"]
        known = {copy: files.get(directory.name_of(directory.stored(copy))) for copy in candidate.copies}
        if candidate.fingerprints != known:
            problem = f"candidate {candidate.name} of run {context.run.id} is not the one that was decided on"
            raise CannotPublish(context.outbox, problem)
    return candidate
