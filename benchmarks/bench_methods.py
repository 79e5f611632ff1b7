"""Times the masking methods beside a floor of the same run, and measures their memory beyond the table."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType

MEMORY_LIMIT = 6.0


def numbers(rows: int, columns: int) -> pd.DataFrame:
    """Correlated numbers with heavy tails."""
    rng = np.random.default_rng(rows)
    held = rng.standard_t(4, (rows, columns)) @ (np.eye(columns) + 0.4)
    return pd.DataFrame(held, columns=[f"x{place}" for place in range(columns)])


def keys(rows: int) -> pd.DataFrame:
    """Seven keys of two to sixteen uneven categories, and five numbers beside them."""
    rng = np.random.default_rng(rows)
    held: dict[str, Any] = {}
    for place, levels in enumerate((16, 9, 8, 6, 5, 4, 2)):
        codes = rng.choice(levels, rows, p=rng.dirichlet(np.full(levels, 2.0))).astype(np.int8)
        held[f"k{place}"] = pd.Categorical.from_codes(codes, [f"v{code}" for code in range(levels)])
    return pd.concat([pd.DataFrame(held), numbers(rows, 5)], axis=1)


def people(rows: int) -> pd.DataFrame:
    """Eight keys with hierarchies, among them ages, places, occupations and days of birth."""
    rng = np.random.default_rng(rows)
    days = pd.Timestamp("1925-01-01") + pd.to_timedelta(rng.integers(0, 36_000, rows), "D")
    codes = {"place": (40, 2), "occupation": (300, 3)}
    held: dict[str, Any] = {"age": np.clip(rng.normal(45, 20, rows), 0, 99).round(), "born": days}
    for name, (levels, digits) in codes.items():
        drawn = rng.choice(levels, rows, p=rng.dirichlet(np.ones(levels)))
        held[name] = pd.Categorical.from_codes(drawn, [f"{code:0{digits}d}" for code in range(levels)])
    held["household_size"] = np.minimum(1.0 + rng.poisson(1.5, rows), 9)
    for name, levels in (("sex", 2), ("marital_status", 5), ("activity", 7)):
        held[name] = pd.Categorical.from_codes(
            rng.choice(levels, rows, p=rng.dirichlet(np.full(levels, 2.0))),
            [f"v{code}" for code in range(levels)],
        )
    return pd.DataFrame(held)


HIERARCHIES = {
    "age": {"widths": [5, 10, 20, 40]},
    "born": {"periods": ["month", "quarter", "year"]},
    "place": {"digits": [1]},
    "occupation": {"digits": [2, 1]},
    "household_size": {"widths": [2, 4]},
}


def roles_of(table: pd.DataFrame) -> Roles:
    kinds = {"f": VariableType.NUMERIC, "M": VariableType.DATE}
    key = set() if table.columns[0] == "x0" else {name for name in table if not name.startswith("x")}
    return Roles.of(
        Variable(
            name,
            Role.QUASI_IDENTIFIER if name in key else Role.SENSITIVE,
            kinds.get(table[name].dtype.kind, VariableType.CATEGORICAL),
        )
        for name in table
    )


def grouping(table: pd.DataFrame) -> float:
    """DuckDB's own count on all keys."""
    names = [name for name in table if not name.startswith("x")]
    with duckdb.connect() as connection:
        connection.register("held", table)
        connection.execute("CREATE TABLE held_keys AS SELECT * FROM held")
        return least(
            lambda: connection.execute(
                f"SELECT max(n) FROM (SELECT count(*) AS n FROM held_keys GROUP BY {', '.join(names)})"
            ).fetchall()
        )


def plain_mdav(table: pd.DataFrame, at: int = 10_000) -> float:
    """MDAV in plain numpy with every distance computed, timed on 10,000 rows and scaled by their square."""
    points = table.to_numpy()[:at] / table.to_numpy()[:at].std(axis=0)
    started = time.perf_counter()
    left, k = np.arange(len(points)), 3
    while len(left) >= 2 * k:
        start = points[left[np.argmax(((points[left] - points[left].mean(axis=0)) ** 2).sum(axis=1))]]
        for _ in range(2):
            distance = ((points[left] - start) ** 2).sum(axis=1)
            near = np.argpartition(distance, k)[:k]
            far = points[left[np.argmax(distance)]]
            left = np.delete(left, near)
            if len(left) < 2 * k:
                break
            start = far
    return (time.perf_counter() - started) * (len(table) / at) ** 2


def sorting(table: pd.DataFrame) -> float:
    """Sorting each number by numpy."""
    return least(lambda: [np.argsort(table[name].to_numpy(), kind="stable") for name in table])


def drawing(table: pd.DataFrame) -> float:
    """A number drawn for each record, and the records sorted by category, by numpy."""
    codes = table["k0"].cat.codes.to_numpy()
    return least(lambda: (np.random.default_rng(0).random(len(codes)), np.argsort(codes, kind="stable")))


@dataclass(frozen=True)
class Case:
    """A method on a table: the limit in seconds, and the floor it is compared with."""

    method: str
    make: Callable[[int], pd.DataFrame]
    rows: int
    limit: float
    floor: Callable[[pd.DataFrame], float]
    options: dict[str, Any] = field(default_factory=dict)


CASES = {
    "mdav 50k x 5": Case("microaggregation", lambda rows: numbers(rows, 5), 50_000, 6, plain_mdav),
    "mdav 200k x 5": Case("microaggregation", lambda rows: numbers(rows, 5), 200_000, 90, plain_mdav),
    "local_suppression 100k x 7": Case("local_suppression", keys, 100_000, 2, grouping),
    "local_suppression 1M x 7": Case("local_suppression", keys, 1_000_000, 20, grouping),
    "local_suppression wildcard 100k x 7": Case(
        "local_suppression", keys, 100_000, 2, grouping, {"missing": "wildcard"}
    ),
    "local_suppression wildcard 1M x 7": Case(
        "local_suppression", keys, 1_000_000, 20, grouping, {"missing": "wildcard"}
    ),
    "pram 1M": Case("pram", keys, 1_000_000, 2, drawing, {"variables": ["k0"]}),
    "rank_swap 1M x 3": Case("rank_swap", lambda rows: numbers(rows, 3), 1_000_000, 5, sorting),
    "k_anonymise 100k x 8": Case("k_anonymise", people, 100_000, 60, grouping, {"hierarchies": HIERARCHIES}),
}


def least(call: Callable[[], object], turns: int = 3) -> float:
    """The least time of a few turns."""
    taken = []
    for _ in range(turns):
        started = time.perf_counter()
        call()
        taken.append(time.perf_counter() - started)
    return min(taken)


def resident(what: str) -> int:
    """Bytes held now (VmRSS) or at most (VmHWM)."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith(what)).split()[1]) * 1024


def run(name: str) -> None:
    """One case, in a process of its own so that its memory can be seen."""
    case = CASES[name]
    entry = find_method(case.method)
    arguments = entry.arguments(case.options)

    def applied(table: pd.DataFrame) -> None:
        entry.function(table, roles_of(table), np.random.default_rng(1), **arguments)

    table = case.make(case.rows)
    applied(case.make(3000))
    size = int(table.memory_usage(deep=True).sum())
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmRSS")
    started, worked = time.perf_counter(), time.process_time()
    applied(table)
    first, worked = time.perf_counter() - started, time.process_time() - worked
    memory = (resident("VmHWM") - before) / size
    seconds = min(first, least(lambda: applied(table), 2)) if first < 5 else first
    floor = case.floor(table)
    words = " ".join((case.floor.__doc__ or "").split()).rstrip(".")
    print(
        f"{name}: {seconds:.2f} s ({worked:.2f} s of processor), {seconds / floor:.2f} x floor ({words}:"
        f" {floor:.2f} s), limit {case.limit} s",
        end="; ",
    )
    print(f"memory {memory:.1f} x the table of {size / 2**20:.0f} MB, limit {MEMORY_LIMIT:.0f} x", flush=True)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("case", nargs="?", choices=list(CASES))
    options = asked.parse_args()
    if options.case:
        run(options.case)
        return
    for name in CASES:
        subprocess.run([sys.executable, __file__, name], check=True)


if __name__ == "__main__":
    main()
