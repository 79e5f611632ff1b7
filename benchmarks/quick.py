"""A few ratios of every kind of work to its floor, in minutes, beside those that were recorded.

    python benchmarks/quick.py             # fails where a ratio is over three times the recorded one
    python benchmarks/quick.py --record    # writes benchmarks/baseline.json anew

Work and floor are timed in turn, a few times each, and the least counts. Of the ratio on the clock and that
of processor time the smaller is taken: other programs on the machine make one of them larger, seldom both.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import bench_counting
import bench_ingest
import bench_kernels
import bench_methods
import bench_utility
import numpy as np
from survey import write_tables
from threadpoolctl import threadpool_limits

BASELINE = Path(__file__).parent / "baseline.json"
TIMES = 3
"""How many times its recorded ratio one may be."""
TURNS = 5

Ratios = Iterator[tuple[str, float]]
"""Works by name, and how many times its floor each takes."""


def beside(calls: dict[str, Callable[[], object]]) -> Ratios:
    """Works beside the one called floor."""
    bench_counting.timed(calls, 1)  # loads what is needed
    taken = bench_counting.timed(calls, TURNS)
    floor = taken.pop("floor")
    for name, one in taken.items():
        yield name, min(one.seconds / floor.seconds, one.processor / floor.processor)


def counting(folder: Path) -> Ratios:
    """Counting measures beside DuckDB's group-by."""
    import duckdb

    from sdc.data.database import Database

    write_tables(folder / "survey.duckdb", 200_000)
    database = Database(duckdb.connect(str(folder / "survey.duckdb"), read_only=True))
    asked = bench_counting.calls(database)
    yield from beside({name: asked[name] for name in ("floor", *bench_counting.MEASURES)})
    database.close()


def kernels(_folder: Path) -> Ratios:
    """Compiled loops beside the libraries that have them too."""
    import pandas as pd

    from sdc.kernels.hash_table import numbered
    from sdc.statistics.distances.quantiles import quantiles

    keys = bench_kernels.RNG.integers(0, 300_000, 300_000).astype(np.uint64)
    values, shares = bench_kernels.RNG.normal(size=300_000), np.linspace(0, 1, 101)
    yield from beside({"floor": lambda: pd.factorize(keys), "keys numbered": lambda: numbered(keys)})
    yield from beside(
        {"floor": lambda: np.quantile(values, shares), "quantiles": lambda: quantiles(values, shares)}
    )


def methods(_folder: Path) -> Ratios:
    """Masking methods beside what their benchmark compares them with."""
    from sdc.catalogue.registry import find_method

    sizes = {
        "local_suppression 100k x 7": 100_000,
        "pram 1M": 500_000,
        "rank_swap 1M x 3": 500_000,
        "mdav 50k x 5": 10_000,
    }
    for name, rows in sizes.items():
        case = replace(bench_methods.CASES[name], rows=rows)
        entry, table = find_method(case.method), case.make(rows)
        roles, arguments = bench_methods.roles_of(table), entry.arguments(case.options)

        def applied(
            entry: Any = entry, table: Any = table, roles: Any = roles, arguments: Any = arguments
        ) -> None:
            entry.function(table, roles, np.random.default_rng(1), **arguments)

        applied()  # loads what is needed
        turns = [(bench_methods.least(applied), case.floor(table)) for _ in range(TURNS)]
        own, floor = map(min, zip(*turns, strict=True))
        yield case.method, own / floor


def models(_folder: Path) -> Ratios:
    """Propensities beside the bare fits of scikit-learn."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    rows = 10_000
    dense, coded, labels = bench_utility.matrices(bench_utility.tables(rows))
    logistic = LogisticRegression(C=np.inf, solver="newton-cholesky", max_iter=100)
    tree = DecisionTreeClassifier(min_samples_leaf=5, min_samples_split=15, max_depth=30, random_state=0)
    yield from beside(
        {
            "floor": lambda: logistic.fit(dense, labels),
            "propensity, logistic": lambda: bench_utility.measured(
                "propensity_mse", bench_utility.tables(rows)
            ),
        }
    )
    yield from beside(
        {
            "floor": lambda: tree.fit(coded, labels),
            "propensity, tree": lambda: bench_utility.one_tree(bench_utility.tables(rows)),
        }
    )


def ingest(folder: Path) -> Ratios:
    """A file read into a warehouse beside its library's own read."""
    held = bench_ingest.frame(50_000)
    for form in ("csv", "parquet"):
        path = bench_ingest.write(form, held, folder)

        def alone(form: str = form, path: Path = path) -> None:
            Path(f"{path}.duckdb").unlink(missing_ok=True)
            bench_ingest.own_read(form, path)

        yield from beside({"floor": alone, f"ingest of {form}": lambda path=path: bench_ingest.ours(path)})


def ratios() -> Ratios:
    # On a busy machine the threads of linear algebra wait for each other.
    for section in (counting, kernels, methods, models, ingest):
        with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
            yield from section(Path(folder))


def verdict(name: str, ratio: float, recorded: Mapping[str, float]) -> str | None:
    """What is wrong with a ratio; None where nothing is."""
    if name not in recorded:
        return f"{name}: no ratio is recorded in {BASELINE.name}; record it with --record"
    if ratio > TIMES * recorded[name]:
        return f"{name}: {ratio:.2f} times its floor, over {TIMES} times the {recorded[name]:.2f} recorded"
    return None


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    asked.add_argument("--record", action="store_true", help="write what is found as the baseline")
    found = {}
    record = asked.parse_args().record
    recorded = {} if record else json.loads(BASELINE.read_text())
    for name, ratio in ratios():
        beside = "" if record or name not in recorded else f" (recorded: {recorded[name]:.2f})"
        print(f"{name}: {ratio:.2f} times its floor{beside}", flush=True)
        found[name] = ratio
    if record:
        BASELINE.write_text(
            json.dumps({name: round(ratio, 3) for name, ratio in found.items()}, indent=2) + "\n"
        )
        return
    wrong = [said for name, ratio in found.items() if (said := verdict(name, ratio, recorded))]
    wrong += [f"{name}: recorded, and not measured any more" for name in recorded if name not in found]
    sys.exit("\n".join(wrong) or None)


if __name__ == "__main__":
    main()
