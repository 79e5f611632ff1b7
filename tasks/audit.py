"""Seal the record of a run and say in the ledger how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.audit.ledger import Entry, Event, Ledger
from sdc.audit.record import CandidateRecord, RunRecord, write_record
from sdc.errors import redacted
from sdc.ingest import Ingested
from sdc.publish import Published
from sdc.report import RunFacts
from tasks.outcome import Judged
from tasks.workspace import workspace


def source_facts(run: str, ingested: Ingested) -> dict[str, Any]:
    """What was read, and which random numbers go with it: by fingerprints, never by keys."""
    space = workspace(run)
    return {
        "secret": space.secret.fingerprint,
        "randomness": space.randomness.fingerprint,
        "sha256": ingested.sha256,
        "rows": ingested.rows,
        "holdout_rows": ingested.holdout_rows,
        "population_rows": ingested.population_rows,
    }


@task(name="record", tags={"audit"}, cache_policy=NO_CACHE, persist_result=False)
def record(
    run: str, ingested: Ingested, judged: Sequence[Judged], facts: RunFacts, published: Published | None
) -> Entry:
    space = workspace(run)
    with redacted("the record of the run"):
        held = RunRecord(
            space.profile,
            space.profile_sha256,
            facts.verdict.value,
            source=source_facts(run, ingested),
            candidates=[
                CandidateRecord(
                    each.name,
                    each.candidate.sha256 if each.candidate else "",
                    each.candidate.rows if each.candidate else None,
                    each.candidate.steps if each.candidate else (),
                    space.sealed.get(each.name, ()),
                    each.assessments,
                    each.decision,
                    each.candidate.persons if each.candidate else "",
                )
                for each in judged
            ],
            chosen=facts.chosen,
            outputs=dict(published.files) if published else {},
            timings=space.timings,
            files=space.vouched_files([each.candidate for each in judged if each.candidate]),
        )
        sealed = write_record(space.run, held)
        bundle = {"bundle": published.path.name, "manifest": published.manifest_sha256} if published else {}
        event = Event(facts.verdict.value)
        return Ledger(space.home.ledger).append(
            space.run.id, space.profile.name, event, {**sealed.public_facts, **bundle}
        )


@task(name="record", tags={"audit"}, cache_policy=NO_CACHE, persist_result=False)
def record_again(run: str, published: Published, sealed: str, chosen: str) -> Entry:
    """A run whose record was sealed when it was referred has been published now: this candidate of it.

    `sealed` is the SHA-256 the ledger has of that record.
    """
    space = workspace(run)
    with redacted("the record of the run"):
        body = {
            "record": sealed,
            "chosen": chosen,
            "bundle": published.path.name,
            "manifest": published.manifest_sha256,
            "outputs": dict(published.files),
        }
        return Ledger(space.home.ledger).append(space.run.id, space.profile.name, Event.PUBLISHED, body)
