"""Times each stage from check to release on a long file and on a wide one, with its peak memory.

The long file has 5,000,000 records and 30 columns, the wide one 2,000 of each. Each stage is a process of its
own, so its peak memory is its own. Names of shapes as arguments run only those.
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
KEYS = ("region", "age", "sex", "education", "occupation", "marital_status")
NUMBERS = ("age", "income", "score")
COLUMNS = (
    "region",
    "age",
    "sex",
    "education",
    "marital_status",
    "occupation",
    "health",
    "income",
    "score",
    "weight",
)
STAGES = ("check", "draft", "protect", "release")
WIDE_ROWS, WIDE_KEYS, WIDE_EACH = 2_000, 4, 998
CRITERIA = (
    "risk:\n  - {measure: k_anonymity, at_least: 3, because: rule}\nutility:\n  - {measure: added_missing,"
    " at_most: 50, because: rule}"
)


def long_file(directory: Path) -> Path:
    """A survey, and a profile that recodes its ages and suppresses rare combinations."""
    rows = ROWS
    joined = " POSITIONAL JOIN ".join(f"({survey(rows, copy)}) s{copy}" for copy in range(COPIES))
    named = ", ".join(f"s{copy}.{name} AS {name}{copy or ''}" for copy in range(COPIES) for name in COLUMNS)
    with duckdb.connect(":memory:") as connection:
        connection.execute(
            f"COPY (SELECT {named} FROM {joined}) TO '{directory / 'survey.csv'}' (HEADER true)"
        )
    lines = [f"  {name}{copy or ''}: {_declared(name, copy)}" for copy in range(COPIES) for name in COLUMNS]
    return _profile(
        directory,
        lines,
        "    - {method: global_recode, with: {age: {width: 10}}}\n    - {method: local_suppression, with:"
        " {k: 3}}",
    )


def wide_file(directory: Path) -> Path:
    """A file of as many columns as records, and a profile that suppresses rare combinations."""
    keys = [f"hash(i, {place}) % 3 AS k{place}" for place in range(WIDE_KEYS)]
    numbers = [f"hash(i, {place}, 'x') % 50 AS x{place}" for place in range(WIDE_EACH)]
    letters = [
        f"chr(97 + CAST(hash(i, {place}, 'c') % 4 AS INTEGER)) AS c{place}" for place in range(WIDE_EACH)
    ]
    with duckdb.connect(":memory:") as connection:
        made = f"SELECT {', '.join((*keys, *numbers, *letters))} FROM range({WIDE_ROWS}) t(i)"
        connection.execute(f"COPY ({made}) TO '{directory / 'survey.csv'}' (HEADER true)")
    lines = [f"  k{place}: quasi_identifier" for place in range(WIDE_KEYS)]
    lines += [f"  x{place}: {{role: sensitive, type: numeric}}" for place in range(WIDE_EACH)]
    lines += [f"  c{place}: other" for place in range(WIDE_EACH)]
    return _profile(directory, lines, "    - {method: local_suppression, with: {k: 3}}")


SHAPES = {"long": long_file, "wide": wide_file}


def _profile(directory: Path, variables: list[str], steps: str) -> Path:
    profile = directory / "profile.yaml"
    head = [
        "name: large",
        "source: {path: survey.csv}",
        "variables:",
        *variables,
        "candidates:",
        "  recoded:",
    ]
    profile.write_text("\n".join([*head, steps, CRITERIA, ""]))
    (directory / "outbox").mkdir()
    return profile


def _declared(name: str, copy: int) -> str:
    role = (
        "weight"
        if name == "weight" and not copy
        else "quasi_identifier"
        if name in KEYS and not copy
        else "other"
    )
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
    elif what == "protect":
        from sdc.cli.protect import protect_file

        protect_file(profile, "recoded", profile.parent / "made.parquet")
    else:
        from flows.orchestration.run_release import run_release

        print(f"  {run_release(profile, quiet=True).verdict.value}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{what}: {time.perf_counter() - started:.0f} s, {peak:.1f} GiB", flush=True)


def main(shapes: list[str]) -> None:
    for shape in shapes:
        with tempfile.TemporaryDirectory() as place:
            directory = Path(place)
            profile = SHAPES[shape](directory)
            print(f"{shape}: {(directory / 'survey.csv').stat().st_size / 2**20:,.0f} MiB", flush=True)
            for what in STAGES:
                subprocess.run(
                    [sys.executable, __file__, what, str(profile)],
                    check=True,
                    env={**os.environ, "SDC_HOME": str(directory / "home")},
                )


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] in STAGES:
        stage(sys.argv[1], Path(sys.argv[2]))
    else:
        main(sys.argv[1:] or list(SHAPES))
