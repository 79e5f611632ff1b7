"""Judge one candidate by the release criteria, and compare it with the original before that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.measurement import Assessment
from sdc.data.release_pair import ReleasePair
from sdc.errors import redacted
from sdc.gate import build_suites, comparison_facts, judge, table_facts, worst_comparison, worst_facts
from sdc.gate.copies import ComparisonFact
from sdc.gate.judged import JudgedCandidate
from sdc.gate.table_facts import table_limits
from sdc.ingest.identifier_traces import Trace, identifier_traces
from sdc.profile import Criterion
from tasks.context import RunContext, run_context


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
        return context.of_original.once(
            (criterion.measure, criterion.alias, repr(criterion.options)),
            lambda: context.machines.of_original(criterion),
        )

    with redacted(f"judging candidate {candidate.name}"):
        found = [
            comparison_facts(context.profile, candidate.name, pair, _traces(context), of_original)
            for pair in _leaving(context, candidate)
        ]
        # What was counted is kept; the columns it was counted on need no room any more.
        context.untouched.forget()
        return worst_comparison(context.profile, found)


def _leaving(context: RunContext, candidate: Candidate) -> list[ReleasePair]:
    """Each synthesis that leaves beside the original; one where there is one."""
    pair = context.pair(candidate)
    return [pair.of_synthesis(number) for number in range(1, len(pair.leaving) + 1)]


def _traces(context: RunContext) -> tuple[Trace, ...] | None:
    """The traces of the direct identifiers, read once in a run and kept in memory alone."""
    return context.of_original.once(
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
        profile, steps = context.profile, candidate.steps
        own = [table_facts(profile, pair.candidate, steps) for pair in _leaving(context, candidate)]
        facts = {
            **worst_facts(table_limits(profile, steps), own),
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
    # The columns of a candidate that is judged need no room while others are measured; reports are drawn
    # from what was counted.
    context.pair(candidate).forget()
    context.progress.done(f"gate {name}", found.decision.verdict.of_candidate)
    return judged
