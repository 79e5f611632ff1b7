"""Times synthesis beside the bare fits of the same models."""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from sdc.catalogue.registry import find_method
from sdc.data.roles import Role, Roles, Variable, VariableType

NUMBERS = ("age", "income", "spending", "wealth", "hours", "score")


def survey(rows: int, columns: int = 12) -> tuple[pd.DataFrame, Roles]:
    """Mixed variables that depend on each other: six numbers, and categories of 2 to 20 levels."""
    rng = np.random.default_rng(0)
    age = rng.integers(16, 90, rows).astype(float)
    skill = rng.normal(size=rows) + age / 60
    income = np.exp(9 + 0.4 * skill + 0.3 * rng.normal(size=rows)).round(2)
    income[rng.random(rows) < 0.1] = np.nan
    made = {
        "age": age,
        "income": income,
        "spending": (np.nan_to_num(income, nan=9000) * rng.uniform(0.3, 0.9, rows)).round(2),
        "wealth": np.maximum(rng.normal(size=rows) * 1e5 + 2e3 * age, 0).round(),
        "hours": np.clip(rng.normal(35, 12, rows), 0, 80).round(),
        "score": rng.normal(size=rows).round(3),
    }
    for place, levels in zip(range(columns - len(made)), (2, 4, 5, 8, 12, 20, 3), strict=False):
        cut = np.quantile(
            skill + rng.normal(size=rows) * (1 + place / 3), np.linspace(0, 1, levels + 1)[1:-1]
        )
        codes = np.digitize(skill + rng.normal(size=rows) * (1 + place / 3), cut)
        made[f"category_{place}"] = pd.Categorical.from_codes(
            codes, [f"level {level}" for level in range(levels)]
        )
    table = pd.DataFrame(made)
    kinds = {name: VariableType.NUMERIC if name in NUMBERS else VariableType.CATEGORICAL for name in table}
    return table, Roles.of(Variable(name, Role.OTHER, kind) for name, kind in kinds.items())


def coded(table: pd.DataFrame) -> np.ndarray:
    return np.column_stack(
        [
            table[name].cat.codes if table[name].dtype == "category" else np.nan_to_num(table[name])
            for name in table
        ]
    ).astype(np.float32)


def bare_trees(table: pd.DataFrame, trees: int = 1) -> None:
    """scikit-learn's own trees of each variable on those before it, with leaves as small, in sequence."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    matrix = coded(table)
    for place, name in enumerate(table.columns[1:], start=1):
        kind = DecisionTreeClassifier if table[name].dtype == "category" else DecisionTreeRegressor
        for _ in range(trees):
            kind(min_samples_leaf=5, min_samples_split=10).fit(matrix[:, :place], matrix[:, place]).apply(
                matrix[:, :place]
            )


def bare_regressions(table: pd.DataFrame) -> None:
    """Bare regressions of each variable on those before it.

    numpy's least squares for a number, scikit-learn's logistic regression for a category.
    """
    import warnings

    from sklearn.linear_model import LogisticRegression

    matrix = coded(table)
    matrix = (matrix - matrix.mean(axis=0)) / np.maximum(matrix.std(axis=0), 1e-9)
    for place, name in enumerate(table.columns[1:], start=1):
        if table[name].dtype == "category":
            with warnings.catch_warnings(action="ignore"):
                LogisticRegression(C=100, max_iter=200).fit(matrix[:, :place], table[name].cat.codes)
        else:
            np.linalg.lstsq(matrix[:, :place], matrix[:, place], rcond=None)


def synthesis(table: pd.DataFrame, roles: Roles, **options: object) -> None:
    entry = find_method("sequential")
    made = entry.function(table, roles, np.random.default_rng(1), **entry.arguments(options))
    assert len(made.table) == len(table)


def timed(work: Callable[[], None]) -> tuple[float, float]:
    """Seconds by the clock and of the processors: on a busy machine they differ."""
    started, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - started, time.process_time() - used


def line(name: str, taken: tuple[float, float], floor: tuple[float, float], what: str, limit: float) -> None:
    times = f"{taken[0]:.2f} s ({taken[1]:.2f} s of processors)"
    print(
        f"{name}: {times}, {taken[0] / floor[0]:.2f} x the floor ({what}, {floor[0]:.2f} s), limit {limit} s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--million", action="store_true", help="also one million records")
    chosen = parser.parse_args()
    warm, roles = survey(500, 13)
    for model in ("cart", "parametric", "forest"):
        synthesis(warm, roles, model=model)
    bare_trees(warm)
    bare_regressions(warm)
    table, roles = survey(50_000)
    line(
        "cart, 50,000 x 12",
        timed(lambda: synthesis(table, roles)),
        timed(lambda: bare_trees(table)),
        "bare scikit-learn trees",
        6,
    )
    table, roles = survey(5_000, 13)
    taken = timed(lambda: synthesis(table, roles, model="parametric"))
    line(
        "parametric, 5,000 x 13",
        taken,
        timed(lambda: bare_regressions(table)),
        "bare least squares and logistic regressions on codes",
        5,
    )
    taken = timed(lambda: synthesis(table, roles, model="forest", settings={"forest": {"trees": 10}}))
    line(
        "forest of 10 trees, 5,000 x 13",
        taken,
        timed(lambda: bare_trees(table, 10)),
        "ten bare scikit-learn trees",
        10,
    )
    if chosen.million:
        table, roles = survey(1_000_000)
        line(
            "cart, 1,000,000 x 12",
            timed(lambda: synthesis(table, roles)),
            timed(lambda: bare_trees(table)),
            "bare scikit-learn trees",
            180,
        )
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB, limit 4 GB")


if __name__ == "__main__":
    main()
