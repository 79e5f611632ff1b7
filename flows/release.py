"""The release: ingest → protect → assess risk → assess utility → gate → publish."""

from __future__ import annotations

from prefect import State, flow
from prefect.states import Completed

from flows.candidates import assess_risk, assess_utility, each_candidate, measuring, protect
from flows.conclusion import conclude, write_reports
from flows.orchestration.stopping import within
from tasks.choose import choose
from tasks.context import run_context
from tasks.gate import compare_with_original, gate
from tasks.ingest import ingest
from tasks.publish import publish
from tasks.try_changes import try_changes


@flow(name="release", validate_parameters=False, persist_result=False)
def release(run: str) -> State[None]:
    """Take one run from its source to its outcome; the state is named Published, Referred or Withheld."""
    with within(run_context(run).profile.limits.minutes):
        source = ingest(run)
        judged = each_candidate(run, candidate)  # protect → assess risk → assess utility → gate
        facts = try_changes(run, choose(run, source, judged))
        page = write_reports(run, facts)
        outcome = conclude(run, facts, publish(run, facts, page) if facts.leaves else None)
    return Completed(name=outcome.verdict.value.title(), message=outcome.sentence)


@flow(name="candidate", flow_run_name="{name}", validate_parameters=False, persist_result=False)
def candidate(run: str, name: str) -> None:
    """Protect one candidate, measure it and judge it; what came of it is kept with the run."""
    made = protect(run, name)
    with measuring(run, made):
        risk, utility = assess_risk(run, made), assess_utility(run, made)
        assessed = [*risk, *utility]
    gate(run, made, assessed, compare_with_original(run, made))
