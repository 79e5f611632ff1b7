"""Make every registered measure a Prefect task of its own name: one body for all."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from prefect import Task, task
from prefect.cache_policies import NO_CACHE

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.measurement import Assessment
from sdc.catalogue.registry import find_measure
from sdc.data.release_pair import ReleasePair
from sdc.errors import SdcError, redacted
from sdc.measures.assess import assess
from sdc.profile import Criterion
from tasks.context import RunContext, run_context


def measured(context: RunContext, pair: ReleasePair, criterion: Criterion, candidate: str) -> Assessment:
    """What a criterion asks for, measured on a pair of this run."""
    return assess(
        criterion.measure,
        pair,
        criterion.options,
        alias=criterion.alias,
        candidate=candidate,
        randomness=context.measuring,
    )


@task(cache_policy=NO_CACHE, persist_result=False)
def take(run: str, candidate: Candidate, criterion: Criterion) -> Assessment:
    """Measure, store, and pass on what says nothing about single records."""
    context = run_context(run)
    context.progress.begin(f"{criterion.alias} of {candidate.name}")
    assessed = measured(context, context.pair(candidate), criterion, candidate.name)
    with redacted(f"storing {criterion.alias}"):
        context.warehouse.store_assessment(assessed)
    return assessed.without_records()


@task(cache_policy=NO_CACHE, persist_result=False)
def take_elsewhere(folder: str, candidate: str, alias: str) -> None:
    """Measure on a worker: names come in, nothing goes out; tables and measurement lie in the folder."""
    from distributed import get_worker

    from tasks.worker import measure

    try:
        measure(folder, candidate, alias, Path(get_worker().local_directory))
    except SdcError as error:
        # Errors with facts of their own do not survive the way back.
        raise SdcError(str(error)) from None


@cache
def measure_task(name: str) -> Task[Any, Assessment]:
    """The task that takes this measure."""
    entry = find_measure(name)
    return take.with_options(
        name=name, task_run_name=name + " of {candidate.name}", tags=[entry.family.value]
    )


@cache
def measure_elsewhere_task(name: str) -> Task[Any, None]:
    """The task that has this measure taken by a worker."""
    entry = find_measure(name)
    return take_elsewhere.with_options(
        name=name, task_run_name=name + " of {candidate}", tags=[entry.family.value]
    )
