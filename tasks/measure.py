"""Every registered measure as a Prefect task of its own name: one body for all."""

from __future__ import annotations

from functools import cache
from typing import Any

from prefect import Task, task
from prefect.cache_policies import NO_CACHE

from sdc.assess import Assessment, assess
from sdc.catalogue import find_measure
from sdc.errors import redacted
from sdc.profile import Criterion
from tasks.workspace import Candidate, workspace


@task(cache_policy=NO_CACHE, persist_result=False)
def take(run: str, candidate: Candidate, criterion: Criterion) -> Assessment:
    """Measure, store, and pass on what says nothing about single records."""
    space = workspace(run)
    assessed = assess(
        criterion.measure,
        space.pair(candidate),
        criterion.options,
        alias=criterion.alias,
        candidate=candidate.name,
        seed=space.profile.seed,
    )
    with redacted(f"storing {criterion.alias}"):
        space.warehouse.store_assessment(assessed)
    return assessed.without_records()


@cache
def measure_task(name: str) -> Task[Any, Assessment]:
    """The task that takes this measure."""
    entry = find_measure(name)
    return take.with_options(name=name, task_run_name=name + " of {candidate.name}", tags=[entry.family.value])
