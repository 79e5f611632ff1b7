"""Write the report of a run, in the edition asked for."""

from __future__ import annotations

from prefect import task
from prefect.cache_policies import NO_CACHE

from sdc.errors import redacted
from sdc.report import Edition, RunFacts, build, render


@task(name="report", task_run_name="{edition.value} report", tags={"report"}, cache_policy=NO_CACHE, persist_result=False)
def report(facts: RunFacts, edition: Edition) -> str:
    with redacted(f"the {edition.value} report"):
        return render(build(facts, edition))
