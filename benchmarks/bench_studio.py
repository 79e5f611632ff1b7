"""Times the workbench from a click to new numbers: a role or a step is edited, counted or tried and measured.

    python benchmarks/bench_studio.py [records ...]

Each is put beside the bare method on the same table and beside DuckDB's bare group-by of the keys, timed in
the same run. Of a large file the first numbers come from a sample; the exact ones follow.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from sdc.catalogue.registry import find_method
from sdc.studio import candidate_edits, trials
from sdc.studio.open_profile import OpenProfile
from sdc.studio.opening import open_workbench
from sdc.studio.trial import Trial
from sdc.studio.workbench import Workbench

with warnings.catch_warnings():
    # It asks for another package than the one Prefect brings.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from sdc.web.access import Sessions
from sdc.web.app import make_app
from sdc.web.decide import Decisions
from sdc.web.guard import Guard

LEVELS = {
    "region": 9,
    "sex": 2,
    "education": 6,
    "marital_status": 4,
    "occupation": 10,
    "tenure": 3,
    "citizenship": 3,
    "household_size": 6,
    "urbanisation": 3,
}
KEYS = (*LEVELS, "age")
PORT = 8399
PROFILE = """\
name: bench
access: safeguarded
seed: 1
source: {{path: records.parquet}}
variables:
{variables}
candidates:
  tried:
    - {{method: global_recode, with: {{age: {{width: 10}}}}}}
{steps}
risk:
  - {{measure: k_anonymity, at_least: 3, because: benchmark}}
  - {{measure: unique_entries}}
utility:
  - {{measure: ks_distance}}
"""
SUPPRESSION = "    - {method: local_suppression, with: {k: 3}}"
MICROAGGREGATION = "    - {method: microaggregation, with: {variables: [income, wealth], k: 3}}"
CLICKS: dict[str, tuple[list[str], int, str, list[dict[str, Any]]]] = {
    "recode": ([], 0, "global_recode", [{"age": {"width": width}} for width in (5, 20, 15)]),
    "suppression": ([SUPPRESSION], 1, "local_suppression", [{"k": k} for k in (2, 4, 5)]),
    "microaggregation": (
        [SUPPRESSION, MICROAGGREGATION],
        2,
        "microaggregation",
        [{"variables": ["income", "wealth"], "k": k} for k in (4, 5, 6)],
    ),
}


@dataclass(frozen=True)
class Timed:
    """Seconds to the first numbers, to the exact ones, of the bare method and of the bare group-by."""

    first: float
    exact: float
    method: float
    grouping: float


def write_records(path: Path, records: int) -> None:
    """People in a few common kinds and many rare ones, as in a survey."""
    rng = np.random.default_rng(1)
    common = rng.integers(0, 40, records)
    columns = []
    for place, (name, levels) in enumerate(LEVELS.items()):
        shares = 1.0 / np.arange(1, levels + 1) ** 1.6
        own = rng.choice(levels, records, p=shares / shares.sum())
        usual = np.random.default_rng(place).integers(0, levels, 40)[common]
        columns.append((name, np.where(rng.random(records) < 0.93, usual, own)))
    age = np.clip(rng.normal(45, 18, records).round(), 0, 99)
    values: dict[str, Any] = {name: [f"{name} {code}" for code in codes] for name, codes in columns}
    values |= {"age": age, "income": rng.lognormal(10, 0.8, records).round()}
    values |= {"wealth": rng.lognormal(10, 1.5, records).round()}
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(values), path)


def opened(folder: Path, steps: list[str]) -> Workbench:
    variables = [f"  {name}: quasi_identifier" for name in LEVELS]
    variables.append("  age: {role: quasi_identifier, type: numeric}")
    variables += [f"  {name}: {{role: sensitive, type: numeric}}" for name in ("income", "wealth")]
    profile = folder / "bench.yaml"
    profile.write_text(PROFILE.format(variables="\n".join(variables), steps="\n".join(steps)))
    return open_workbench(profile)


def trial_of(workbench: Workbench) -> Trial:
    trial = OpenProfile.of(workbench).trial("tried")
    assert trial is not None
    return trial


def click(
    workbench: Workbench, client: TestClient, step: int, options: dict[str, Any]
) -> tuple[float, float]:
    """Change a step; the seconds until a page with the judged numbers, and until all is exact."""
    text = workbench.profile_text
    started = time.perf_counter()
    candidate_edits.change_step(text, "tried", step, options, expected=text.revision)
    trial = trial_of(workbench)
    job = trials.begin(workbench, trial)
    judged = [each for each in trial.asked if each.alias == "k_anonymity" or each in trial.further]
    first = None
    while first is None:
        seen = trial.on_sample() if trial.is_large else trial
        if all(seen.known(each) is not None for each in judged):
            assert client.get("/studio/protection?candidate=tried").status_code == 200
            first = time.perf_counter() - started
        time.sleep(0.005)
    assert job is not None
    job.done.wait()
    assert not job.error, job.error
    return first, time.perf_counter() - started


def bare_method(workbench: Workbench, method: str, step: int, options: dict[str, Any]) -> float:
    """The method alone, on the table the steps before it leave."""
    trial = trial_of(workbench)
    roles, rng = trial.profile.roles, np.random.default_rng(1)
    table = trial.place.warehouse.database.table("original").frame(roles.released, roles)
    for plan in trial.profile.candidates["tried"][:step]:
        entry = find_method(plan.method)
        table = entry.function(table, roles, rng, **entry.arguments(plan.options)).table
    entry = find_method(method)
    return least(lambda: entry.function(table, roles, rng, **entry.arguments(options)))


def bare_grouping(folder: Path) -> float:
    keys = ", ".join(KEYS)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t AS SELECT * FROM '{folder / 'records.parquet'}'")
        return least(lambda: connection.execute(f"SELECT {keys}, count(*) FROM t GROUP BY ALL").fetchall())


def least(work: Callable[[], object], times: int = 2) -> float:
    found = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return min(found)


def timed(folder: Path, name: str) -> Timed:
    steps, step, method, clicks = CLICKS[name]
    workbench = opened(folder, steps)
    access = Sessions("127.0.0.1", PORT)
    app = make_app(workbench.home, access, Decisions(workbench.home), workbench)
    guarded = Guard(app, access, lambda _line: None)
    with TestClient(guarded, base_url=f"http://127.0.0.1:{PORT}") as client:
        client.get(f"/?token={access.token}")
        click(workbench, client, step, clicks[0])
        found = [click(workbench, client, step, options) for options in clicks[1:]]
        bare = bare_method(workbench, method, step, clicks[-1])
    workbench.close()
    return Timed(min(each[0] for each in found), min(each[1] for each in found), bare, bare_grouping(folder))


def role_clicks(folder: Path) -> tuple[float, float]:
    """Another role for a key; the seconds until numbers beside the variables, and until they are exact."""
    workbench, found = opened(folder, []), []
    workbench.workplace()
    workbench.live.risk().done.wait()
    text = workbench.profile_text
    for role in ("other", "quasi_identifier"):
        text.set(("variables", "tenure"), role, expected=text.revision)
        started, first = time.perf_counter(), None
        job = workbench.live.risk()
        while not job.done.wait(0.005):
            if first is None and workbench.live.first(job) is not None:
                first = time.perf_counter() - started
        assert not job.error, job.error
        exact = time.perf_counter() - started
        found.append((first or exact, exact))
    workbench.close()
    return min(each[0] for each in found), min(each[1] for each in found)


def main(sizes: list[int]) -> None:
    head = f"{'records':>10} {'click':<17} {'first':>7} {'exact':>7} {'method':>7} {'group-by':>8}"
    print(f"{head} {'first/(method + group-by)':>26}")
    for records in sizes:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            os.environ["SDC_HOME"] = str(folder / "home")
            write_records(folder / "records.parquet", records)
            first, exact = role_clicks(folder)
            grouping = bare_grouping(folder)
            print(
                f"{records:>10,} {'role':<17} {first:7.2f} {exact:7.2f} {'':>7} {grouping:8.3f}"
                f" {first / grouping:26.2f}",
                flush=True,
            )
            for name in CLICKS:
                found = timed(folder, name)
                ratio = found.first / (found.method + found.grouping)
                print(
                    f"{records:>10,} {name:<17} {found.first:7.2f} {found.exact:7.2f} {found.method:7.2f}"
                    f" {found.grouping:8.3f} {ratio:26.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [50_000, 1_000_000])
