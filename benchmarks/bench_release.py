"""Times a whole release of any size, beside the sum of its methods and measures called by themselves.

    bench_release.py --rows 1000000                     three candidates, 32 measures each, report and bundle
    bench_release.py --rows 10000000 --shape large      two candidates, counting and model measures
    bench_release.py --rows 50000000 --shape counting   10 columns, recode and suppress, counting measures

The file is the fictitious survey of the demonstration, as long as asked. The release and the bare operations
run in processes of their own, so that each peak of memory is its own.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

DEMO = Path(__file__).parent.parent / "profiles" / "demo"
AT_ONCE = 1_000_000
MONEY = ["income", "equivalised_income", "spending", "wealth"]
KEYS = ["region", "urbanisation", "household_size", "age", "sex"]
FEWER = [*KEYS, "education", "activity", "income", "health", "weight"]
"""The columns of the longest file."""

RECODE = {
    "method": "global_recode",
    "with": {"age": {"width": 10}, "household_size": {"bands": [1, 2, 3, 5]}},
}
SUPPRESS = {"method": "local_suppression", "with": {"k": 3}}
MICROAGGREGATE = {"method": "microaggregation", "with": {"variables": MONEY, "k": 3}}
PRAM = {"method": "pram", "with": {"variables": ["region", "urbanisation", "sex"]}}
SWAP = {"method": "rank_swap", "with": {"variables": MONEY, "p": 0.05}}
TENS = {"method": "rounding", "with": {name: {"to": 10} for name in MONEY}}
"""No amount leaves that is one person's own."""
CART = {"method": "sequential", "with": {"model": "cart"}}
STEPS: dict[str, dict[str, list[dict[str, Any]]]] = {
    "whole": {
        "recoded": [RECODE, SUPPRESS, MICROAGGREGATE],
        "swapped": [RECODE, PRAM, SWAP],
        "synthetic": [CART],
    },
    "large": {"recoded": [RECODE, SUPPRESS, TENS], "swapped": [RECODE, PRAM, SWAP, TENS]},
    "counting": {"recoded": [RECODE, SUPPRESS]},
}
COUNTING = [
    "attribute_disclosure",
    "correct_attribution",
    "replicated_uniques",
    "added_missing",
    "cell_ks",
    "entropy_change",
    "freeman_tukey",
    "jensen_shannon",
    "kl_divergence",
    "table_difference",
    "table_fit",
    "voas_williamson",
]
MODEL = [
    "propensity_mse",
    "ks_distance",
    "ecdf_distance",
    "quantile_distance",
    "summary_change",
    "interval_overlap",
]
FURTHER = [
    "class_attribution",
    "density_overlap",
    "dependence_change",
    "distribution_agreement",
    "eigenvalue_change",
    "estimator_error",
    "k_marginals",
    "prediction_quality",
]
OWN = {
    "recoded": [
        "k_anonymity",
        "l_diversity",
        "t_closeness",
        "individual_risk",
        "special_uniques",
        "risky_cells",
    ],
    "swapped": [
        "il1s",
        "squared_error",
        "records_changed",
        "interval_disclosure",
        "record_linkage",
        "reconstruction",
    ],
    "synthetic": [
        "singling_out",
        "attribute_inference",
        "linkability",
        "membership_inference",
        "distance_to_closest_record",
        "tree_impurity",
    ],
}
MEASURES = {"whole": [*COUNTING, *MODEL, *FURTHER], "large": [*COUNTING, *MODEL], "counting": COUNTING}
EACH = {"whole": 32, "large": 24, "counting": 18}
"""How many measures a candidate has, with its own."""
MEMORY = {"large": "3GB", "counting": "1500MB"}
"""What the database may take; shared columns may take as much again."""
OPTIONS: dict[str, dict[str, Any]] = {
    "interval_overlap": {"models": ["log1p(income) ~ sex + education"]},
    "ecdf_distance": {"variables": ["income", "wealth"]},
    "class_attribution": {"target": "health"},
    "correct_attribution": {"target": "health"},
}
LIMITS = {"k_anonymity": {"at_least": 3}, "correct_attribution": {"at_most": 0.9}}


def write_survey(path: Path, rows: int, columns: list[str] | None = None) -> None:
    """The survey of the demonstration with exactly as many records, a million at a time."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv as pc

    found = importlib.util.spec_from_file_location("make_households", DEMO / "make_households.py")
    assert found is not None
    assert found.loader is not None
    made = importlib.util.module_from_spec(found)
    found.loader.exec_module(made)
    writer = None
    for part, start in enumerate(range(0, rows, AT_ONCE)):
        rng = np.random.default_rng(part + 1)
        wanted = min(AT_ONCE, rows - start)
        people = made.population(wanted // 2 + 1000, rng).head(wanted)
        people["person_id"] += start
        # A number of its own for everybody: the income of a household would stand for its number.
        people["household_id"] = people["person_id"] + rows
        people["weight"] = np.round(rng.uniform(5, 15, wanted), 3)
        people.loc[rng.random(wanted) < 0.03, "education"] = None
        table = pa.Table.from_pandas(people[columns or list(people.columns)], preserve_index=False)
        writer = writer or pc.CSVWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def write_profile(directory: Path, shape: str) -> Path:
    """The variables of the demonstration, with the candidates and measures of this benchmark."""
    from sdc.catalogue.registry import find_measure

    variables = yaml.safe_load((DEMO / "candidates.yaml").read_text())["variables"]
    kept = list(variables) if shape != "counting" else FEWER
    steps, common = STEPS[shape], MEASURES[shape]
    asked = [{"measure": name} for name in common]
    for candidate in steps:
        asked += [
            {"measure": name, "for": [candidate]} for name in OWN[candidate][: EACH[shape] - len(common)]
        ]
    told: dict[str, Any] = {
        "name": "large_release",
        "title": "A large file",
        "access": "safeguarded",
        "source": {"path": "survey.csv"},
        "variables": {name: variables[name] for name in kept},
        "candidates": steps,
        "risk": [],
        "utility": [],
        "prefer": {"measure": "table_fit"},
        "publish": {"formats": ["csv", "parquet"], "outbox": "outbox"},
    }
    if shape in MEMORY:
        told["limits"] = {"memory": MEMORY[shape]}
    if shape != "counting":
        told["source"] |= {"holdout_share": 0.1}
    for criterion in asked:
        name = str(criterion["measure"])
        held = {**criterion, "with": OPTIONS.get(name, {}), **LIMITS.get(name, {})}
        told[find_measure(name).family.value].append(held)
    path = directory / "profile.yaml"
    path.write_text(yaml.safe_dump(told, sort_keys=False))
    (directory / "outbox").mkdir(exist_ok=True)
    return path


# The whole release


def release(path: Path) -> None:
    """The release in this process, with the seconds of its stages."""
    import tasks.protect
    import tasks.report
    from flows.orchestration.run_release import run_release
    from sdc.run.home import Home

    stages: dict[str, float] = {}
    tasks.protect.make = _timed(tasks.protect.make, stages, "protect: ")
    tasks.report.page = _timed(tasks.report.page, stages, "report: ")
    with _measured("release") as whole:
        outcome = run_release(path, quiet=True)
    print(f"  {outcome.verdict.value}: {outcome.sentence}")
    home = Home.find()
    run = max(home.runs.iterdir(), key=lambda each: each.stat().st_mtime)
    stages |= json.loads((run / "timings.json").read_text())
    held = json.loads((home.pace / "large_release.json").read_text())["seconds"]
    stages |= {part: seconds for part, seconds in held.items() if part.startswith("gate ")}
    rest = whole["seconds"] - sum(stages.get(part, 0.0) for part in ("ingest", "candidates", "publish"))
    rest -= sum(seconds for part, seconds in stages.items() if part.startswith("report: "))
    stages["start and record"] = rest
    for part, seconds in stages.items():
        print(f"  {part:<40}{seconds:8.1f} s {seconds / whole['seconds']:6.0%}")
    measured = {part: took for part, took in held.items() if " of " in part}
    print(f"  {len(measured)} measures, {sum(measured.values()):.0f} s of their own; the longest:")
    for part, seconds in sorted(measured.items(), key=lambda each: -each[1])[:12]:
        print(f"    {part:<50}{seconds:8.1f} s")
    for candidate in json.loads((run / "record.json").read_text())["candidates"]:
        for each in candidate["measurements"]:
            if each.get("not_assessed"):
                print(f"    {each['as']} of {candidate['name']}: {each['not_assessed']}")


def _timed(function: Callable[..., Any], stages: dict[str, float], head: str) -> Callable[..., Any]:
    def called(*given: Any, **named: Any) -> Any:
        started = time.perf_counter()
        try:
            return function(*given, **named)
        finally:
            label = head + next(str(each) for each in given if isinstance(each, str))
            stages[label] = time.perf_counter() - started

    return called


# The bare operations


def bare(path: Path) -> None:
    """Each method on a ready frame and each measure on a ready pair, one after the other."""
    from sdc.data.warehouse import Warehouse
    from sdc.ingest import ingest
    from sdc.profile.load import load_profile
    from sdc.run.secret import NO_SECRET

    plan = load_profile(path)
    readable = [path.parent / each for each in plan.files]
    took: dict[str, float] = {}
    with (
        tempfile.TemporaryDirectory() as place,
        Warehouse.create(Path(place) / "run", limits=plan.limits, readable=readable) as house,
    ):
        ingest(plan, path.parent, house, NO_SECRET)
        with _measured("bare"):
            for name in plan.candidates:
                took |= _bare_candidate(plan, house, name)
    print(f"  sum of {len(took)} bare operations: {sum(took.values()):.0f} s; the longest:")
    for part, seconds in sorted(took.items(), key=lambda each: -each[1])[:25]:
        print(f"    {part:<50}{seconds:8.1f} s")


def _bare_candidate(plan: Any, house: Any, name: str) -> dict[str, float]:
    from sdc.data.release_pair import ReleasePair
    from sdc.measures.assess import assess
    from sdc.methods.protect import protect
    from sdc.run.randomness import Randomness

    took: dict[str, float] = {}
    original = house.database.table("original")
    frame = original.frame(plan.roles.released, plan.roles)
    chance, steps, begun = Randomness.from_seed(1), [], None
    for step in plan.candidates[name]:
        begun = time.perf_counter()
        made = protect(frame, plan.roles, [step], name=name, randomness=chance, missing=plan.missing_keys)
        took[f"{step.method} for {name}"] = time.perf_counter() - begun
        frame, steps = made.table, [*steps, *made.steps]
    stored = house.store_candidate(name, frame, plan.roles, made.order)
    holdout = house.database.table("holdout") if house.database.has("holdout") else None
    aligned = all(step.aligned for step in steps)
    del frame, made
    pair = ReleasePair(original, stored.table, plan.roles, holdout=holdout, aligned=aligned, steps=steps)
    for criterion in plan.measurements(name):
        found = assess(criterion.measure, pair, criterion.options, alias=criterion.alias, candidate=name)
        took[f"{criterion.alias} of {name}"] = found.seconds
        if found.not_assessed:
            print(f"    {criterion.alias} of {name}: {found.not_assessed}")
    return took


@contextmanager
def _measured(what: str) -> Iterator[dict[str, float]]:
    """Seconds, seconds of the processors, and the peak of memory of what is done within."""
    told: dict[str, float] = {}
    before, started, load = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter(), os.getloadavg()[0]
    yield told
    after = resource.getrusage(resource.RUSAGE_SELF)
    told["seconds"] = time.perf_counter() - started
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(
        f"{what}: {told['seconds']:.0f} s, {cpu:.0f} s of the processors,"
        f" peak {after.ru_maxrss / 2**20:.2f} GiB (load before {load:.1f}, after {os.getloadavg()[0]:.1f})",
        flush=True,
    )


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--rows", type=int, default=1_000_000)
    asked.add_argument("--shape", choices=list(STEPS), default="whole")
    asked.add_argument("--only", choices=["release", "bare"])
    asked.add_argument(
        "--within", type=Path, help="a folder that is kept, with the survey if it is there already"
    )
    asked.add_argument("--part", type=Path, help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.part:
        (release if given.only == "release" else bare)(given.part)
        return
    with tempfile.TemporaryDirectory() as place:
        directory = given.within or Path(place)
        directory.mkdir(exist_ok=True, parents=True)
        survey = directory / "survey.csv"
        if not survey.exists():
            write_survey(survey, given.rows, FEWER if given.shape == "counting" else None)
        path = write_profile(directory, given.shape)
        print(f"{given.rows:,} records, {survey.stat().st_size / 2**20:,.0f} MiB", flush=True)
        for what in [given.only] if given.only else ["release", "bare"]:
            subprocess.run(
                [sys.executable, __file__, "--only", what, "--part", str(path)],
                check=True,
                env={**os.environ, "PREFECT_LOGGING_LEVEL": "ERROR", "SDC_HOME": str(directory / "home")},
            )


if __name__ == "__main__":
    main()
