"""Judge one candidate by the release criteria."""

from __future__ import annotations

from collections.abc import Sequence

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.assess import Assessment
from sdc.errors import redacted
from sdc.gate import Decision
from sdc.release_criteria import build_suites, judge, table_facts
from tasks.workspace import Candidate, workspace


@task(name="gate", task_run_name="gate {candidate.name}", tags={"gate"}, cache_policy=NO_CACHE, persist_result=False)
def gate(run: str, candidate: Candidate, assessments: Sequence[Assessment]) -> Decision:
    space = workspace(run)
    with redacted(f"judging candidate {candidate.name}"):
        facts = table_facts(space.profile, space.pair(candidate).candidate, candidate.steps)
        suites = build_suites(space.profile, candidate.name, candidate.steps)
        judgement = judge(space.profile, candidate.name, assessments, facts, suites)
        space.keep(f"gate/{candidate.name}.suites.json", {"scorecard": suites.scorecard, "candidate": suites.candidate})
        space.keep(f"gate/{candidate.name}.judged.json", {"scorecard": judgement.scorecard, "facts": judgement.facts})
        space.keep(f"gate/{candidate.name}.results.json", judgement.results)
        space.warehouse.store_findings(judgement.decision.findings)
    return judgement.decision
