"""How much time and memory does a file of 5,000,000 records and 30 columns take, from check to the files that leave?

Each stage is a process of its own: its peak memory is its own.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
from survey import survey

ROWS, COPIES = 5_000_000, 3
KEYS = ("region", "age", "sex")
NUMBERS = ("age", "income", "score")
COLUMNS = ("region", "age", "sex", "education", "marital_status", "occupation", "health", "income", "score", "weight")
STAGES = ("check", "draft", "protect")


def write_files(directory: Path, rows: int) -> Path:
    """The file, and a profile that recodes its ages and suppresses what is rare."""
    joined = " POSITIONAL JOIN ".join(f"({survey(rows, copy)}) s{copy}" for copy in range(COPIES))
    named = ", ".join(f"s{copy}.{name} AS {name}{copy or ''}" for copy in range(COPIES) for name in COLUMNS)
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"COPY (SELECT {named} FROM {joined}) TO '{directory / 'survey.csv'}' (HEADER true)")
    lines = [f"  {name}{copy or ''}: {_declared(name, copy)}" for copy in range(COPIES) for name in COLUMNS]
    profile = directory / "profile.yaml"
    steps = "    - {method: global_recode, with: {age: {width: 10}}}\n    - {method: local_suppression, with: {k: 3}}"
    risk = "risk:\n  - {measure: k_anonymity, at_least: 3, because: rule}"
    profile.write_text(
        "\n".join(["name: large", "seed: 1", "source: {path: survey.csv}", "variables:", *lines, "candidates:", "  recoded:", steps, risk, ""])
    )
    (directory / "outbox").mkdir()
    return profile


def _declared(name: str, copy: int) -> str:
    role = "weight" if name == "weight" and not copy else "quasi_identifier" if name in KEYS and not copy else "other"
    return f"{{role: {role}, type: numeric}}" if name in (*NUMBERS, "weight") else role


def stage(what: str, profile: Path) -> None:
    """One stage in this process; its seconds and its peak memory."""
    started = time.perf_counter()
    if what == "check":
        from sdc.check import check

        check(profile)
    elif what == "draft":
        from sdc.draft import draft

        draft(profile.parent / "survey.csv")
    else:
        from flows.protect import protect_file

        protect_file(profile, "recoded", profile.parent / "made.parquet")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{what}: {time.perf_counter() - started:.0f} s, {peak:.1f} GiB", flush=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        profile = write_files(directory, ROWS)
        print(f"rows: {ROWS}, columns: {COPIES * len(COLUMNS)}, bytes: {(directory / 'survey.csv').stat().st_size}", flush=True)
        for what in STAGES:
            subprocess.run([sys.executable, __file__, what, str(profile)], check=True, env={**os.environ, "SDC_HOME": str(directory / "home")})


if __name__ == "__main__":
    if len(sys.argv) > 1:
        stage(sys.argv[1], Path(sys.argv[2]))
    else:
        main()
