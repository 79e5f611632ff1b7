"""How long do the counting measures take, beside DuckDB's own group-by on the same keys, and how does that grow?"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
from survey import KEYS, ROLES, write_tables

from sdc.assess import assess
from sdc.database import Database
from sdc.release_pair import ReleasePair

SMALL, LARGE = 1_000_000, 10_000_000
TURNS = 5
MEASURES = {"k_anonymity": 3, "unique_entries": 3, "l_diversity": 8, "class_attribution": 8}
OPTIONS = {"class_attribution": {"target": "health"}}


def timed(calls: dict[str, Callable[[], object]], turns: int) -> dict[str, float]:
    """The least time of each, taken in turns so that a busy machine is busy for all."""
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(turns):
        for name, call in calls.items():
            started = time.perf_counter()
            call()
            least[name] = min(least[name], time.perf_counter() - started)
    return least


def calls(database: Database) -> dict[str, Callable[[], object]]:
    grouped = f"SELECT count(*) AS n FROM candidate GROUP BY {', '.join(KEYS)}"

    def pair() -> ReleasePair:
        return ReleasePair(database.table("original"), database.table("candidate"), ROLES)

    def measured(name: str) -> Callable[[], object]:
        def run() -> None:
            taken = assess(name, pair(), OPTIONS.get(name))
            assert taken.value is not None, taken.not_assessed

        return run

    return {
        "floor": lambda: database.cursor().execute(f"SELECT max(n) FROM ({grouped})").fetchall(),
        "class_sizes": lambda: pair().class_sizes(KEYS),
        "crosstab": lambda: pair().crosstab(KEYS, "health"),
        "cells": lambda: pair().cells([*KEYS, "health"]),
        "combinations": lambda: pair().combinations(KEYS),
        **{name: measured(name) for name in MEASURES},
    }


def speed(path: Path, turns: int) -> dict[str, float]:
    database = Database(duckdb.connect(str(path), read_only=True))
    try:
        asked = calls(database)
        for call in asked.values():
            call()
        return timed(asked, turns)
    finally:
        database.close()


def peak(path: Path) -> None:
    """The whole counting assessment on one pair, in a process of its own: its peak memory."""
    database = Database(duckdb.connect(str(path), read_only=True))
    pair = ReleasePair(database.table("original"), database.table("candidate"), ROLES)
    for name in MEASURES:
        assert assess(name, pair, OPTIONS.get(name)).value is not None
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--small", action="store_true", help="leave out the ten million rows")
    asked.add_argument("--peak", type=Path, help=argparse.SUPPRESS)
    options = asked.parse_args()
    if options.peak:
        peak(options.peak)
        return
    with tempfile.TemporaryDirectory() as place:
        small, large = Path(place) / "small.duckdb", Path(place) / "large.duckdb"
        write_tables(small, SMALL)
        taken = speed(small, TURNS)
        print(f"floor: {taken['floor']:.3f} s (DuckDB's own group-by count on {len(KEYS)} keys of {SMALL} rows)")
        limits = {"class_sizes": 2, **MEASURES}
        for name, seconds in taken.items():
            if name != "floor":
                print(f"{name}: {seconds:.3f} s, {seconds / taken['floor']:.2f} x the floor, limit {limits.get(name, 'none')}")
        if options.small:
            return
        write_tables(large, LARGE)
        grown = speed(large, 2)
        for name, seconds in grown.items():
            print(f"{name}, {LARGE} rows: {seconds:.2f} s, {seconds / taken[name]:.1f} x {SMALL} rows, limit 12")
        child = subprocess.run([sys.executable, __file__, "--peak", str(large)], capture_output=True, text=True, check=True)
        print(f"peak memory of a counting assessment of {LARGE} rows: {float(child.stdout):.2f} GiB, limit 3.73 GiB (4 GB)")


if __name__ == "__main__":
    main()
