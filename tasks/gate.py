"""Judge one candidate by the release criteria, and compare it with the original before that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.measurement import Assessment
from sdc.errors import redacted
from sdc.gate import build_suites, comparison_facts, judge, table_facts
from sdc.gate.copies import ComparisonFact
from sdc.gate.judged import JudgedCandidate
from sdc.gate.untouched import NAME
from sdc.ingest.identifier_traces import Trace, identifier_traces
from sdc.profile import Criterion
from tasks.context import RunContext, run_context
from tasks.measure import measured


@task(
    name="compare_with_original",
    task_run_name="compare {candidate.name} with the original",
    tags={"gate"},
    cache_policy=NO_CACHE,
    persist_result=False,
)
def compare_with_original(run: str, candidate: Candidate) -> Mapping[str, ComparisonFact]:
    """What must hold of a candidate beside the original, which is measured in its place if need be."""
    context = run_context(run)
    context.progress.begin(f"gate {candidate.name}")

    def of_original(criterion: Criterion) -> Assessment:
        """Taken once in a run."""
        pair = context.untouched
        return pair.once(
            ("of_original", criterion.measure, criterion.alias, repr(criterion.options)),
            lambda: measured(context, pair, criterion, NAME),
        )

    with redacted(f"judging candidate {candidate.name}"):
        pair = context.pair(candidate)
        return comparison_facts(context.profile, candidate.name, pair, _traces(context), of_original)


def _traces(context: RunContext) -> tuple[Trace, ...] | None:
    """The traces of the direct identifiers, read once in a run and kept in memory alone."""
    return context.untouched.once(
        "traces",
        lambda: identifier_traces(
            context.profile, context.base, context.source_sha256, context.directory.path
        ),
    )


@task(
    name="gate",
    task_run_name="gate {candidate.name}",
    tags={"gate"},
    cache_policy=NO_CACHE,
    persist_result=False,
)
def gate(
    run: str, candidate: Candidate, assessments: Sequence[Assessment], beside: Mapping[str, ComparisonFact]
) -> JudgedCandidate:
    """The decision on a candidate, kept with the run; `beside` is what was found beside the original."""
    context, name = run_context(run), candidate.name
    with redacted(f"judging candidate {name}"):
        table = context.pair(candidate).candidate
        facts = {
            **table_facts(context.profile, table, candidate.steps),
            **{column: fact.number for column, fact in beside.items()},
        }
        words = {column: fact.words for column, fact in beside.items() if fact.words}
        suites = build_suites(context.profile, name, candidate.steps)
        found = judge(context.profile, name, assessments, facts, suites, words)
        asked = {"scorecard": suites.scorecard, "candidate": suites.candidate}
        numbers = {"scorecard": found.scorecard, "facts": found.facts, "words": words}
        context.keep(context.directory.suites(name), asked)
        context.keep(context.directory.judged(name), numbers)
        context.keep(context.directory.results(name), found.results)
        context.warehouse.store_findings(found.decision.findings)
    judged = JudgedCandidate(name, found.decision, tuple(assessments), candidate)
    context.judged[name] = judged
    context.progress.done(f"gate {name}", found.decision.verdict.of_candidate)
    return judged
