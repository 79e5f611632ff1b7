"""Works on another machine: what it needs comes from shared storage, and what it made goes back there."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import secrets
import shutil
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from sdc.audit.software import code_digest, versions
from sdc.catalogue.candidate import Candidate
from sdc.catalogue.measurement import Measurement
from sdc.data.warehouse import KEY_VARIABLE, Warehouse
from sdc.data.warehouse.records import records_table
from sdc.data.warehouse.shared import SharedFolder
from sdc.data.warehouse.shared_tables import SharedTables
from sdc.errors import BadData, BadOption, CannotProtect, SdcError, SharedUnusable, StepFailed, redacted
from sdc.measures.assess import assess
from sdc.publish.candidates import make_from
from sdc.run.pieces import done_by
from sdc.run.randomness import Randomness
from tasks.portions import FromPortions, MakingPortion, Portion, PortionMade
from tasks.shared import (
    RUN,
    criterion_from,
    made_text,
    measurement_text,
    plan_text,
    profile_from,
)
from tasks.worker_run import WorkerRun, limits_of

CODE = "the code of sdc-release"
CANNOT = (BadData, BadOption, CannotProtect, StepFailed)
"""What keeps a candidate from being made, on any machine."""


def software() -> dict[str, str]:
    """What the last bits of a result depend on.

    The packages, the code, the interpreter, the instructions of the processor that are used.
    """
    return {
        **versions(),
        "Python": platform.python_version(),
        "processor": platform.machine(),
        **_instructions(),
        CODE: code_digest()[:12],
    }


def _instructions() -> dict[str, str]:
    """Linear algebra and vector functions choose theirs at run time.

    OPENBLAS_CORETYPE and NPY_DISABLE_CPU_FEATURES make machines alike.
    """
    import numpy as np
    from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

    libraries = [each for each in threadpool_info() if each["user_api"] == "blas"]
    numpys = [each for each in libraries if "numpy" in each["filepath"]] or libraries
    kinds = sorted({f"{each['internal_api']} {each.get('architecture', '')}".strip() for each in numpys})
    found = np.show_config(mode="dicts").get("SIMD Extensions", {}).get("found", [])
    return {
        "linear algebra (OPENBLAS_CORETYPE)": ", ".join(kinds),
        "vector instructions (NPY_DISABLE_CPU_FEATURES)": (found or ["none"])[-1],
    }


def differences(here: Mapping[str, str], there: Mapping[str, str]) -> list[str]:
    """What a worker has in another version."""
    return [
        f"{name} is {there.get(name, 'missing')} there and {here[name]} here"
        for name in here
        if there.get(name) != here[name]
    ]


_opened: dict[str, WorkerRun] = {}
"""The runs this worker measures for, by their folder: the only names that reach another machine."""
_guard = threading.Lock()


def measure(url: str, candidate: str, alias: str, place: Path) -> None:
    """Take one measure of a run; all that is known of it afterwards lies in its folder."""
    with redacted(f"{alias} of {candidate} on a worker"):
        opened = opened_run(url, place)
        pair, told = opened.pair(candidate)
        criterion = criterion_from(told["measurements"][alias])
        randomness = Randomness(bytes.fromhex(told["randomness"]))
        assessed = assess(
            criterion.measure,
            pair,
            criterion.options,
            alias=alias,
            candidate=candidate,
            randomness=randomness,
        )
        opened.warehouse.store_assessment(assessed)
        told_of_records = isinstance(assessed.outcome, Measurement) and assessed.outcome.by_record
        by_record = told["by_record"] and told_of_records
        records = opened.tables.send(records_table(alias, candidate)).as_record() if by_record else None
        held = {"measurement": assessed.as_record(), "records": records}
        opened.tables.send_text(measurement_text(alias, candidate), json.dumps(held, allow_nan=False))


def make_candidate(url: str, name: str, place: Path, portions: int = 0) -> None:
    """Make one candidate of a run, from portions if there are any.

    Its file, and how it was made, then lie in the run's folder.
    """
    with redacted(f"candidate {name} on a worker"):
        opened, make = _making(url, name, place)
        try:
            with done_by(FromPortions(name, portions, opened.tables)):
                made = make()
        except CANNOT as error:
            held: dict[str, Any] = {"cannot": str(error)}
        else:
            held = opened.sent(made)
        opened.tables.send_text(made_text(name), json.dumps(held, allow_nan=False))


def make_portion(url: str, portion: Portion, place: Path) -> None:
    """Make some strata or syntheses of a candidate, which then lie in the run's folder."""
    with redacted(f"candidate {portion.candidate} on a worker"):
        opened, make = _making(url, portion.candidate, place)
        making = MakingPortion(portion, opened.tables)
        # Why something cannot be made is said where the candidate is made.
        with suppress(PortionMade, *CANNOT), done_by(making):
            make()
        making.tell()


def _making(url: str, name: str, place: Path) -> tuple[WorkerRun, Callable[[], Candidate]]:
    """The run with all that a candidate is made from, and what makes it."""
    opened = opened_run(url, place)
    told = json.loads(opened.tables.fetch_text(plan_text(name)))
    opened.fetch(told["sent"])
    profile, randomness = profile_from(told["profile"]), Randomness(bytes.fromhex(told["randomness"]))
    return opened, partial(make_from, profile, place, opened.warehouse, name, randomness)


def opened_run(url: str, place: Path) -> WorkerRun:
    with _guard:
        if url not in _opened:
            for gone in [known for known in _opened if not SharedFolder(known).exists()]:
                _opened.pop(gone).close()
            _opened[url] = _new(url, place)
        return _opened[url]


def _new(url: str, place: Path) -> WorkerRun:
    key = os.environ.get(KEY_VARIABLE)
    directory = place / f"sdc-{secrets.token_hex(8)}"
    warehouse = Warehouse.create(directory, key=key)
    try:
        facts = _facts(SharedTables(SharedFolder(url), warehouse, key), url)
    finally:
        warehouse.close()
        shutil.rmtree(directory, ignore_errors=True)
    unlike = differences(facts["software"], software())
    if unlike:
        raise SdcError(f"a worker has other versions, and its results could differ: {', '.join(unlike)}")
    warehouse = Warehouse.create(directory, limits=limits_of(facts), key=key)
    return WorkerRun(warehouse, SharedTables(SharedFolder(url), warehouse, key), facts)


def _facts(tables: SharedTables, url: str) -> dict[str, Any]:
    import duckdb

    try:
        facts: dict[str, Any] = json.loads(tables.fetch_text(RUN))
    except duckdb.Error:
        raise SharedUnusable(
            url,
            f"what lies there cannot be read with the key of this worker; {KEY_VARIABLE} must be the same"
            " everywhere",
        ) from None
    return facts


async def examined(url: str, api: str, safe: Mapping[str, str], dask_worker: Any = None) -> str | None:
    """What keeps this worker from working for a run, in a sentence; others can reach it meanwhile."""
    return await asyncio.to_thread(_unfit, url, api, safe, Path(dask_worker.local_directory))


def _unfit(url: str, api: str, safe: Mapping[str, str], place: Path) -> str | None:
    """It must see the shared storage, have the key, and reach the Prefect server."""
    os.environ.update(safe)
    try:
        with redacted("opening the run"):
            opened_run(url, place)
    except SdcError as error:
        return str(error)
    return (
        None
        if _answers(f"{api}/health")
        else f"it does not reach the Prefect server at {api}; name one that it does with PREFECT_API_URL"
    )


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=10):  # noqa: S310
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


async def forget_beside_tasks(url: str, candidate: str | None = None) -> None:
    """It waits for a table that is being fetched; others can reach this worker meanwhile."""
    await asyncio.to_thread(forget, url, candidate)


def forget(url: str, candidate: str | None = None) -> None:
    """A candidate is measured, or the run is over: nothing of it stays on this worker."""
    with _guard:
        opened = _opened.get(url) if candidate else _opened.pop(url, None)
    if opened is not None:
        with redacted("forgetting a run"):
            opened.drop(candidate) if candidate else opened.close()
