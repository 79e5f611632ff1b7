"""Measures on another machine: opens a pair from shared storage once, and puts measurements back there."""

from __future__ import annotations

import json
import os
import platform
import secrets
import shutil
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sdc.audit.software import code_digest, versions
from sdc.catalogue.measurement import Measurement
from sdc.catalogue.protection import Step
from sdc.data import sql
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import MissingRule, Role, Roles, Variable, VariableType
from sdc.data.warehouse import KEY_VARIABLE, Warehouse
from sdc.data.warehouse.records import records_table
from sdc.data.warehouse.shared import SharedFolder, SharedTables
from sdc.errors import SdcError, SharedUnusable, redacted
from sdc.measures.assess import assess
from sdc.profile.plan import Limits
from sdc.run.randomness import Randomness
from tasks.shared import RUN, criterion_from, earlier_from, measurement_text, own_tables, pair_text

CODE = "the code of sdc-release"


def software() -> dict[str, str]:
    """What the last bits of a result hang on.

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


@dataclass
class WorkerRun:
    """One run as a worker has it.

    A database of its own, filled from shared storage as far as it was needed.
    """

    warehouse: Warehouse
    tables: SharedTables
    facts: dict[str, Any]
    pairs: dict[str, tuple[ReleasePair, dict[str, Any]]] = field(default_factory=dict)
    fetched: set[str] = field(default_factory=set)
    guard: threading.Lock = field(default_factory=threading.Lock)

    def pair(self, candidate: str) -> tuple[ReleasePair, dict[str, Any]]:
        """Original and candidate side by side, the same object for all measures, and what is said of them."""
        with self.guard:
            if candidate not in self.pairs:
                told = json.loads(self.tables.fetch_text(pair_text(candidate)))
                for name, types in told["types"].items():
                    if name not in self.fetched:
                        self.tables.fetch(name, types)
                        self.fetched.add(name)
                self.pairs[candidate] = self._new_pair(told), told
            return self.pairs[candidate]

    def _new_pair(self, told: dict[str, Any]) -> ReleasePair:
        database, tables = self.warehouse.database, told["tables"]
        return ReleasePair(
            database.table(tables["original"]),
            database.table(tables["candidate"]),
            Roles.of(map(_variable, self.facts["variables"])),
            holdout=database.table(tables["holdout"]) if tables["holdout"] else None,
            population=database.table(tables["population"]) if tables["population"] else None,
            aligned=told["aligned"],
            missing=MissingRule(self.facts["missing"]),
            steps=tuple(map(Step.from_record, told["steps"])),
            syntheses=list(map(database.table, tables["syntheses"])),
            leaving=list(map(database.table, tables["leaving"])),
            **(
                {}
                if told["earlier"] is None
                else {"earlier": lambda: earlier_from(told["earlier"], database)}
            ),
        )

    def drop(self, candidate: str) -> None:
        """Let go of a candidate that is measured; what belongs to others stays."""
        with self.guard:
            _, told = self.pairs.pop(candidate, (None, None))
            for name in own_tables(told["tables"]) if told else ():
                self.warehouse.database.cursor().execute(f"DROP TABLE IF EXISTS {sql.name(name)}")
                self.fetched.discard(name)

    def close(self) -> None:
        self.warehouse.close()
        shutil.rmtree(self.warehouse.directory.path, ignore_errors=True)


def _variable(told: dict[str, Any]) -> Variable:
    return Variable(
        **{
            **told,
            "role": Role(told["role"]),
            "type": VariableType(told["type"]),
            "order": tuple(told["order"]),
            "allowed": tuple(told["allowed"]),
        }
    )


_opened: dict[str, WorkerRun] = {}
"""The runs this worker measures for, by their folder: the only names that reach another machine."""
_guard = threading.Lock()


def measure(url: str, candidate: str, alias: str, place: Path) -> None:
    """Take one measure of a run; all that is known of it afterwards lies in its folder."""
    with redacted(f"{alias} of {candidate} on a worker"):
        opened = _open(url, place)
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
        by_record = isinstance(assessed.outcome, Measurement) and assessed.outcome.by_record
        records = opened.tables.send(records_table(alias, candidate)) if by_record else None
        held = {"measurement": assessed.as_record(), "records": records}
        opened.tables.send_text(measurement_text(alias, candidate), json.dumps(held, allow_nan=False))


def _open(url: str, place: Path) -> WorkerRun:
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
    # A worker spills where its own --local-directory is.
    limits = Limits.model_validate({**facts["limits"], "spill": None})
    warehouse = Warehouse.create(directory, limits=limits, key=key)
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


def examined(url: str, api: str, safe: Mapping[str, str], dask_worker: Any = None) -> str | None:
    """What keeps this worker from working for a run, in a sentence.

    It must see the shared storage, have the key, and reach the Prefect server.
    """
    os.environ.update(safe)
    try:
        with redacted("opening the run"):
            _open(url, Path(dask_worker.local_directory))
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


def forget(url: str, candidate: str | None = None) -> None:
    """A candidate is measured, or the run is over: nothing of it stays on this worker."""
    with _guard:
        opened = _opened.get(url) if candidate else _opened.pop(url, None)
    if opened is not None:
        with redacted("forgetting a run"):
            opened.drop(candidate) if candidate else opened.close()
