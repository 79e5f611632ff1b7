"""Judge one candidate by the release criteria."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.catalogue.measurement import Assessment
from sdc.errors import redacted
from sdc.gate import build_suites, comparison_facts, judge, table_facts
from sdc.gate.decision import Decision
from sdc.gate.untouched import NAME
from sdc.ingest.identifier_traces import Trace, identifier_traces
from sdc.profile import Criterion
from tasks.measure import measured
from tasks.outcome import Candidate
from tasks.workspace import Workspace, workspace


@task(
    name="gate",
    task_run_name="gate {candidate.name}",
    tags={"gate"},
    cache_policy=NO_CACHE,
    persist_result=False,
)
def gate(run: str, candidate: Candidate, assessments: Sequence[Assessment]) -> Decision:
    space = workspace(run)
    with redacted(f"judging candidate {candidate.name}"):
        pair = space.pair(candidate)
        beside = comparison_facts(
            space.profile, candidate.name, pair, _traces(space), partial(_of_original, space)
        )
        facts = {
            **table_facts(space.profile, pair.candidate, candidate.steps),
            **{name: fact.number for name, fact in beside.items()},
        }
        words = {name: fact.words for name, fact in beside.items() if fact.words}
        suites = build_suites(space.profile, candidate.name, candidate.steps)
        judgement = judge(space.profile, candidate.name, assessments, facts, suites, words)
        space.keep(
            f"gate/{candidate.name}.suites.json",
            {"scorecard": suites.scorecard, "candidate": suites.candidate},
        )
        space.keep(
            f"gate/{candidate.name}.judged.json",
            {"scorecard": judgement.scorecard, "facts": judgement.facts, "words": words},
        )
        space.keep(f"gate/{candidate.name}.results.json", judgement.results)
        space.warehouse.store_findings(judgement.decision.findings)
    return judgement.decision


def _of_original(space: Workspace, criterion: Criterion) -> Assessment:
    """A measure on the original in the place of a candidate, taken once in a run."""
    pair = space.untouched
    return pair.once(
        ("of_original", criterion.measure, criterion.alias, repr(criterion.options)),
        lambda: measured(space, pair, criterion, NAME),
    )


def _traces(space: Workspace) -> tuple[Trace, ...] | None:
    """The traces of the direct identifiers, read once in a run and kept in memory alone."""
    return space.untouched.once(
        "traces",
        lambda: identifier_traces(space.profile, space.base, space.source_sha256, space.run.directory),
    )
