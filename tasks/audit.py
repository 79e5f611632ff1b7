"""Seal the record of a run and say in the ledger how it ended."""

from __future__ import annotations

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.audit.candidate_record import CandidateRecord
from sdc.audit.ledger import Entry, Event, Ledger
from sdc.audit.record import RunRecord, write_record
from sdc.errors import redacted
from sdc.publish import Published
from sdc.report import RunFacts
from tasks.context import run_context


@task(name="record", tags={"audit"}, cache_policy=NO_CACHE, persist_result=False)
def record(run: str, facts: RunFacts, published: Published | None) -> Entry:
    context = run_context(run)
    with redacted("the record of the run"):
        held = RunRecord(
            context.profile,
            context.profile_sha256,
            facts.verdict.value,
            source=context.source,
            candidates=[CandidateRecord.of(each) for each in facts.candidates],
            chosen=facts.chosen,
            choice=facts.choice,
            outputs=dict(published.files) if published else {},
            timings=context.timings,
            files=context.vouched_files([each.made for each in facts.candidates if each.made]),
            trials=[trial.as_record() for trial in facts.trials],
        )
        sealed = write_record(context.run, held)
        bundle = {"bundle": published.path.name, "manifest": published.manifest_sha256} if published else {}
        event = Event(facts.verdict.value)
        return Ledger(context.home.ledger).append(
            context.run.id, context.profile.name, event, {**sealed.public_facts, **bundle}
        )


@task(name="record", tags={"audit"}, cache_policy=NO_CACHE, persist_result=False)
def record_again(run: str, published: Published, sealed: str, chosen: str) -> Entry:
    """A run whose record was sealed when it was referred has been published now: this candidate of it.

    `sealed` is the SHA-256 the ledger has of that record.
    """
    context = run_context(run)
    with redacted("the record of the run"):
        body = {
            "record": sealed,
            "chosen": chosen,
            "bundle": published.path.name,
            "manifest": published.manifest_sha256,
            "outputs": dict(published.files),
        }
        return Ledger(context.home.ledger).append(context.run.id, context.profile.name, Event.PUBLISHED, body)
