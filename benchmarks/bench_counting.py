"""Times the counting measures beside DuckDB's own group-by on the same keys, and how they grow."""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
from survey import KEYS, ROLES, write_tables

from sdc.data.database import Database
from sdc.data.release_pair import ReleasePair
from sdc.measures.assess import assess

SMALL, LARGE = 1_000_000, 10_000_000
TURNS = 5
MEASURES = {"k_anonymity": 3, "unique_entries": 3, "l_diversity": 8, "class_attribution": 8}
OPTIONS = {"class_attribution": {"target": "health"}}


@dataclass
class Taken:
    """The least time of some turns, on the clock and on all processors together.

    Other programs disturb the latter less.
    """

    seconds: float = float("inf")
    processor: float = float("inf")

    def over(self, other: Taken) -> str:
        return (
            f"{self.seconds / other.seconds:.2f} x (processor time {self.processor / other.processor:.2f} x)"
        )


def timed(calls: dict[str, Callable[[], object]], turns: int) -> dict[str, Taken]:
    """Times each in turn, so that a busy machine is busy for all."""
    least = {name: Taken() for name in calls}
    for _ in range(turns):
        for name, call in calls.items():
            started, used = time.perf_counter(), time.process_time()
            call()
            least[name].seconds = min(least[name].seconds, time.perf_counter() - started)
            least[name].processor = min(least[name].processor, time.process_time() - used)
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


def speed(path: Path, turns: int) -> dict[str, Taken]:
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
        print(
            f"floor: {taken['floor'].seconds:.3f} s (DuckDB's own group-by count on {len(KEYS)} keys of"
            f" {SMALL} rows)"
        )
        limits = {"class_sizes": 2, **MEASURES}
        for name, one in taken.items():
            if name != "floor":
                print(
                    f"{name}: {one.seconds:.3f} s, {one.over(taken['floor'])} the floor, limit"
                    f" {limits.get(name, 'none')}"
                )
        if options.small:
            return
        write_tables(large, LARGE)
        grown = speed(large, 2)
        for name, one in grown.items():
            print(
                f"{name}, {LARGE} rows: {one.seconds:.2f} s, {one.over(taken[name])} {SMALL} rows, limit 12"
            )
        child = subprocess.run(
            [sys.executable, __file__, "--peak", str(large)], capture_output=True, text=True, check=True
        )
        print(
            f"peak memory of a counting assessment of {LARGE} rows: {float(child.stdout):.2f} GiB, limit 3.73"
            " GiB (4 GB)"
        )


if __name__ == "__main__":
    main()
