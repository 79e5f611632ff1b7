"""Times risk measures on a million records with seven keys.

Times are ratios to DuckDB's own group-by of the same keys in the same run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdc.data import sql
from sdc.data.database import Database
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import MissingRule, Role, Roles, Variable, VariableType
from sdc.data.table import Table
from sdc.measures.assess import assess

DEMO = Path(__file__).parent.parent / "profiles" / "demo"
KEYS = ["region", "urbanisation", "household_size", "sex", "age", "marital_status", "education"]
RECORDS = 1_000_000
LIMITS = {
    "k_anonymity": 3,
    "unique_entries": 3,
    "individual_risk": 4,
    "household_risk": 8,
    "l_diversity": 8,
    "t_closeness": 8,
    "class_attribution": 8,
    "correct_attribution": 8,
    "attribute_disclosure": 8,
    "replicated_uniques": 8,
}
REPORTED = ["reidentification_risk", "population_uniqueness", "risky_cells", "log_linear_risk"]


def records(seed: int, number: int, *, blank: float = 0.0) -> pa.Table:
    """People of the demonstration's population drawn with replacement, a tenth of each key exchanged."""
    rng = np.random.default_rng(seed)
    people = pd.read_csv(DEMO / "population.csv", usecols=KEYS)
    made = people.iloc[rng.integers(0, len(people), number)].reset_index(drop=True)
    for key in KEYS:
        values = made[key].to_numpy().copy()
        moved = rng.random(number) < 0.1
        values[moved] = rng.permutation(values)[moved]
        made[key] = values
        if blank:
            made[key] = made[key].where(rng.random(number) >= blank)
    made["household_id"] = np.arange(number) // 3
    made["health"] = rng.choice(
        ["very good", "good", "fair", "bad", "very bad"], number, p=[0.3, 0.4, 0.15, 0.1, 0.05]
    )
    made["weight"] = rng.uniform(1, 20, number).round(3)
    return pa.Table.from_pandas(made, preserve_index=False)


def roles() -> Roles:
    numeric = {"age", "household_size"}
    keys = [
        Variable(
            key, Role.QUASI_IDENTIFIER, VariableType.NUMERIC if key in numeric else VariableType.CATEGORICAL
        )
        for key in KEYS
    ]
    others = [
        Variable("household_id", Role.HOUSEHOLD),
        Variable("health", Role.SENSITIVE),
        Variable("weight", Role.WEIGHT, VariableType.NUMERIC),
    ]
    return Roles.of([*keys, *others])


def seconds(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def group_by(table: Table) -> Callable[[], Any]:
    """DuckDB's own group-by of the keys."""
    query = (
        f"SELECT count(*) FROM (SELECT {sql.names(KEYS)}, count(*) FROM {sql.name(table.name)} GROUP BY ALL)"
    )
    return lambda: table.fetch(query)


def assessment(
    name: str, original: Table, candidate: Table, missing: MissingRule = MissingRule.OWN_CATEGORY
) -> Callable[[], Any]:
    """A measure on a pair for which nothing is computed yet."""

    def work() -> None:
        outcome = assess(name, ReleasePair(original, candidate, roles(), missing=missing))
        assert outcome.value is not None, outcome.not_assessed

    return work


def compare(
    name: str, work: Callable[[], Any], floor: Callable[[], Any], limit: float | None, rounds: int = 3
) -> None:
    """The fastest of some rounds of both, taken in turn: other work on the machine slows both."""
    taken = [(seconds(floor), seconds(work), seconds(floor)) for _ in range(rounds)]
    bare, whole = min(min(first, last) for first, _, last in taken), min(middle for _, middle, _ in taken)
    judged = "" if limit is None else f", limit {limit:g}{'' if whole <= limit * bare else '  EXCEEDED'}"
    print(
        f"{name}: {whole:.2f} s, {whole / bare:.1f} x the group-by of the keys ({bare:.2f} s){judged}",
        flush=True,
    )


def main() -> None:
    database = Database.in_memory()
    original, candidate = (
        database.write(name, records(seed, RECORDS)) for seed, name in enumerate(("original", "candidate"))
    )
    small = database.write("small", records(4, 1000))
    for name in (*LIMITS, *REPORTED, "special_uniques"):
        assessment(name, small, small)()
    for name, limit in LIMITS.items():
        compare(name, assessment(name, original, candidate), group_by(candidate), limit)
    for name in REPORTED:
        compare(name, assessment(name, original, candidate), group_by(candidate), None, rounds=1)
    blanks = database.write("blanks", records(2, RECORDS, blank=0.02))
    for name, limit in (("k_anonymity", 25), ("individual_risk", None)):
        compare(
            f"{name}, missing as wildcard",
            assessment(name, original, blanks, MissingRule.WILDCARD),
            group_by(blanks),
            limit,
            rounds=2,
        )
    for number in (25_000, 100_000):
        some = database.write("some", records(3, number))
        taken = min(seconds(assessment("special_uniques", some, some)) for _ in range(2))
        print(
            f"special_uniques of {number} x {len(KEYS)}: {taken:.2f}"
            f" s{', limit 30 s' if number == 100_000 else ''}",
            flush=True,
        )


if __name__ == "__main__":
    main()
