"""Times nearest-record searches and attacks beside comparing every pair, and how they grow."""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess
from sdc.run.randomness import Randomness

NUMBERS, CATEGORIES = 6, 6
SAMPLE, TURNS = 500, 3
ROLES = Roles.of(
    [
        *(
            Variable(
                f"n{place}", Role.QUASI_IDENTIFIER if place < 3 else Role.SENSITIVE, VariableType.NUMERIC
            )
            for place in range(NUMBERS)
        ),
        *(
            Variable(f"c{place}", Role.QUASI_IDENTIFIER if place < 3 else Role.OTHER)
            for place in range(CATEGORIES)
        ),
    ]
)


def table(rows: int, seed: int) -> pd.DataFrame:
    """Six numbers (half of them skewed) and six dependent categories of 3 to 8 levels, 3 % missing."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=rows)
    made: dict[str, Any] = {}
    for place in range(NUMBERS):
        number = (
            np.exp(0.6 * common + 0.8 * rng.normal(size=rows))
            if place % 2
            else np.round(40 + 8 * common + 15 * rng.normal(size=rows))
        )
        made[f"n{place}"] = np.where(rng.random(rows) < 0.03, np.nan, number)
    for place in range(CATEGORIES):
        shares = 1 / np.arange(1, 4 + place)
        level = rng.choice(3 + place, rows, p=shares / shares.sum())
        made[f"c{place}"] = pd.Categorical.from_codes(
            np.where(rng.random(rows) < 0.03, -1, level), categories=list("abcdefgh")[: 3 + place]
        )
    return pd.DataFrame(made)


def masked(original: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The same with noise of a tenth of a standard deviation and one category in twenty swapped."""
    rng = np.random.default_rng(seed)
    made = original.copy()
    for place in range(NUMBERS):
        made[f"n{place}"] += rng.normal(0, 0.1 * original[f"n{place}"].std(), len(original))
    for place in range(CATEGORIES):
        swapped = rng.permutation(np.flatnonzero(rng.random(len(original)) < 0.05))
        made.loc[swapped, f"c{place}"] = original.loc[np.roll(swapped, 1), f"c{place}"].to_numpy()
    return made


def every_pair(rows: int, variables: int) -> float:
    """Processor seconds to compare every pair of two tables of numbers with scipy, from some of the rows.

    It is the least of three times.
    """
    from scipy.spatial.distance import cdist

    rng = np.random.default_rng(0)
    one, other = rng.random((SAMPLE, variables)), rng.random((rows, variables))
    least = float("inf")
    for _ in range(TURNS):
        started = time.process_time()
        cdist(one, other, "cityblock").min(axis=1)
        least = min(least, time.process_time() - started)
    return least * rows / SAMPLE


def timed(name: str, make: Callable[[], ReleasePair], options: Mapping[str, Any]) -> tuple[float, float]:
    """Seconds on the clock, and on all processors together; other programs disturb the latter less."""
    pair = make()
    started, used = time.perf_counter(), time.process_time()
    outcome = assess(name, pair, options, randomness=Randomness.from_seed(1))
    assert outcome.value is not None, outcome.not_assessed
    return time.perf_counter() - started, time.process_time() - used


def report(label: str, taken: tuple[float, float], floor: float, limit: str) -> None:
    seconds, processor = taken
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    ratio = (
        f"processor time {processor:.1f} s, {processor / floor:.2f} x comparing every pair ({floor:.1f} s)"
    )
    print(
        f"{label}: {seconds:.1f} s, {ratio}, limit {limit}; peak memory so far {memory:.2f} GiB", flush=True
    )


def linkage(rows: int, limit: str) -> None:
    original = table(rows, 1)
    protected = masked(original, 2)
    names = {"keys": None, "all variables": list(ROLES.analysed)}
    for label, variables in names.items():
        taken = timed(
            "record_linkage",
            lambda: ReleasePair.from_frames(original, protected, ROLES, aligned=True),
            {"variables": variables},
        )
        report(
            f"record_linkage {rows} x {rows}, {label}, both rules for missing",
            taken,
            2 * every_pair(rows, len(variables or range(6))),
            limit,
        )


def closest(rows: int, limit: str) -> None:
    tables = table(rows, 1), table(rows, 2), table(rows // 10, 3)
    taken = timed(
        "distance_to_closest_record",
        lambda: ReleasePair.from_frames(*tables[:2], ROLES, holdout=tables[2]),
        {},
    )
    report(f"distance_to_closest_record {rows} x 12", taken, 1.2 * every_pair(rows, 12), limit)


def attacks(rows: int) -> None:
    tables = table(rows, 1), table(rows, 2), table(rows // 10, 3)
    for name in ("membership_inference", "singling_out", "linkability", "attribute_inference"):
        taken = timed(name, lambda: ReleasePair.from_frames(*tables[:2], ROLES, holdout=tables[2]), {})
        report(f"{name} {rows} rows, 2000 attacks", taken, every_pair(rows, 12) * 2000 / rows, "none")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--small", action="store_true", help="leave out the hundred thousand rows")
    options = asked.parse_args()
    linkage(1_000, "none (loads the compiled loops)")
    linkage(10_000, "none")
    linkage(20_000, "60 s and 2 GB")
    if options.small:
        return
    linkage(40_000, "none")
    closest(50_000, "none")
    closest(100_000, "60 s")
    attacks(100_000)


if __name__ == "__main__":
    main()
