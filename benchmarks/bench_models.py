"""Times measures by models, clusters, joint distributions and figures beside the bare work they rest on.

python benchmarks/bench_models.py [distances] [linkage] [regressions] [learners] [growth]
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = ("age", "income", "spending", "wealth")
ROLES = Roles.of(
    [
        *(Variable(name, Role.QUASI_IDENTIFIER) for name in ("sex", "region", "education")),
        *(Variable(name, Role.SENSITIVE, VariableType.NUMERIC) for name in NUMBERS),
        Variable("health", Role.SENSITIVE),
        Variable("weight", Role.WEIGHT, VariableType.NUMERIC),
    ]
)
MODELS = [
    "log(spending) ~ age + sex + region + education + income",
    "health == bad ~ age + sex + region + education + log(income)",
]


def people(rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    age, income = rng.integers(18, 90, rows).astype(float), np.exp(rng.normal(10, 0.7, rows))
    return pd.DataFrame(
        {
            "sex": rng.choice(["female", "male"], rows),
            "region": rng.choice([f"region {place}" for place in range(9)], rows),
            "education": rng.choice(
                ["none", "primary", "secondary", "vocational", "bachelor", "master"], rows
            ),
            "age": age,
            "income": income,
            "spending": 0.6 * income * np.exp(rng.normal(0, 0.3, rows)),
            "wealth": np.where(rng.random(rows) < 0.25, 0, 5 * income * rng.gamma(2, 1, rows)),
            "health": np.where(age + rng.normal(0, 25, rows) > 70, "bad", "good"),
            "weight": rng.uniform(1, 9, rows),
        }
    )


def pair_of(rows: int, holdout: int = 0) -> ReleasePair:
    return ReleasePair.from_frames(
        people(rows, 1), people(rows, 2), ROLES, holdout=people(holdout, 3) if holdout else None
    )


def fresh(pair: ReleasePair) -> ReleasePair:
    """The same tables, with nothing computed yet."""
    return ReleasePair(pair.original, pair.candidate, ROLES, holdout=pair.holdout)


class Taken(NamedTuple):
    """Seconds by the clock and of the processor; on a busy machine the second says more."""

    clock: float
    processor: float

    def times(self, factor: float) -> Taken:
        return Taken(self.clock * factor, self.processor * factor)


def seconds(work: Callable[[], Any]) -> Taken:
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return Taken(time.perf_counter() - clock, time.process_time() - processor)


def measured(name: str, pair: ReleasePair, **options: Any) -> Taken:
    def work() -> None:
        found = assess(name, pair, options)
        assert found.value is not None, found.not_assessed

    return seconds(work)


def line(name: str, taken: Taken, floor: Taken, what: str, limit: str) -> None:
    beside = f"{taken.processor / floor.processor:.2f} times {what} ({floor.processor:.2f} s)"
    print(
        f"{name}: {taken.clock:.2f} s ({taken.processor:.2f} s of the processor), {beside}, limit {limit}",
        flush=True,
    )


def bench_distances() -> None:
    measured("ecdf_distance", pair_of(100), variables=["age", "income"])
    measured("ecdf_distance", pair_of(100))
    pair = pair_of(200_000)
    points = np.concatenate(
        [
            np.column_stack([frame[name] for name in ("income", "spending")])
            for frame in (people(200_000, 1), people(200_000, 2))
        ]
    )
    floor = seconds(lambda: np.lexsort(points.T))
    line(
        "ecdf_distance, 2-D, 200,000 + 200,000",
        measured("ecdf_distance", pair, variables=["income", "spending"]),
        floor,
        "numpy's sort",
        "5 s",
    )
    pooled = np.concatenate([people(20_000, seed)[list(NUMBERS)].to_numpy() for seed in (1, 2)])
    some = seconds(lambda: [(pooled <= point).all(axis=1).sum() for point in pooled[:200]]).times(200)
    line(
        "ecdf_distance, 4-D, 20,000 + 20,000",
        measured("ecdf_distance", pair_of(20_000)),
        some,
        "naive numpy, from 200 points",
        "20 s",
    )


def link(rows: int) -> None:
    """One linkage in its own process, to see its peak memory."""
    measured("cluster_utility", pair_of(50), variables=["income", "spending"])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = measured("cluster_utility", pair_of(rows // 2), variables=["income", "spending"])
    print(*taken, before / 2**20, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def bench_linkage(rows: int = 20_000) -> None:
    from scipy.cluster.hierarchy import linkage

    sample = people(rows // 4, 1)[["income", "spending"]].to_numpy()
    floor = seconds(lambda: linkage(sample, "average")).times(16)
    child = subprocess.run(
        [sys.executable, __file__, "link", str(rows)], capture_output=True, text=True, check=True
    )
    clock, processor, before, peak = map(float, child.stdout.split())
    line(
        f"cluster_utility, average linkage of {rows:,} x 2",
        Taken(clock, processor),
        floor,
        "scipy's linkage, 16 times that of a quarter",
        "15 s",
    )
    print(
        f"cluster_utility, peak memory: {peak:.2f} GiB ({before:.2f} GiB before), limit 1.86 GiB (2 GB)",
        flush=True,
    )


def matrix(frame: pd.DataFrame) -> np.ndarray[Any, Any]:
    dummies = pd.get_dummies(frame[["sex", "region", "education"]], drop_first=True, dtype=float)
    return np.column_stack([np.ones(len(frame)), frame["age"] / 50, np.log(frame["income"]) / 10, dummies])


def bench_regressions(rows: int = 50_000) -> None:
    from sklearn.linear_model import LogisticRegression

    for name in ("interval_overlap", "prediction_quality", "indicator_change"):
        measured(name, pair_of(500))
    frames = [people(rows, seed) for seed in (1, 2)]
    ready = [(matrix(frame), np.log(frame["spending"]), frame["health"] == "bad") for frame in frames]

    def bare() -> None:
        for x, y, event in ready:
            np.linalg.lstsq(x, y)
            LogisticRegression(C=np.inf, solver="newton-cholesky", fit_intercept=False).fit(x, event)

    floor = seconds(bare)
    what = "numpy's and scikit-learn's fits on ready matrices"
    for name in ("interval_overlap", "prediction_quality"):
        line(
            f"{name}, 2 models, {rows:,} + {rows:,}, weighted and not",
            measured(name, pair_of(rows), models=MODELS),
            floor,
            what,
            "none",
        )
    incomes = [np.sort(frame["income"].to_numpy()) for frame in frames]
    draws = np.random.default_rng(1)
    floor = seconds(
        lambda: [
            np.cumsum(np.bincount(draws.integers(0, rows, rows), minlength=rows) * x)
            for x in incomes
            for _ in range(100)
        ]
    )
    options = {
        "indicators": ["gini", "at_risk_of_poverty", "quintile_share"],
        "variables": ["income"],
        "by": "region",
    }
    taken = measured("indicator_change", pair_of(rows), **options)
    line(
        "indicator_change, 3 indicators in 9 regions, 100 bootstraps",
        taken,
        floor,
        "drawing and adding up as many samples",
        "none",
    )


def bench_learners(rows: int = 50_000) -> None:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import Ridge
    from sklearn.tree import DecisionTreeClassifier

    ready = [
        (matrix(frame), (frame["health"] == "bad").to_numpy(dtype=int))
        for frame in (people(rows, 1), people(rows, 2))
    ]
    bare = {
        "linear": lambda: Ridge(solver="cholesky"),
        "tree": lambda: DecisionTreeClassifier(min_samples_leaf=10, random_state=1),
        "forest": lambda: RandomForestClassifier(100, min_samples_leaf=5, random_state=1),
    }
    measured("train_on_candidate", pair_of(500, 200), target="health")
    for model, made in bare.items():
        floor = seconds(lambda made=made: [made().fit(x, y) for x, y in ready])
        taken = measured("train_on_candidate", pair_of(rows, 10_000), target="health", model=model)
        line(
            f"train_on_candidate, {model}, {rows:,} + {rows:,}",
            taken,
            floor,
            "scikit-learn's two fits on ready matrices",
            "none",
        )


GROWING: dict[str, tuple[str, dict[str, Any]]] = {
    "ecdf_distance, 2-D": ("ecdf_distance", {"variables": ["income", "spending"]}),
    "ecdf_distance, one way": ("ecdf_distance", {"one_way": True}),
    "cluster_utility, k-means": ("cluster_utility", {}),
    "indicator_change": ("indicator_change", {"bootstraps": 20, "by": "region"}),
    "published_figures": (
        "published_figures",
        {
            "figures": [
                {
                    "name": "gini",
                    "indicator": "gini",
                    "variable": "income",
                    "domain": {"region": "region 1"},
                    "low": 0,
                    "high": 1,
                }
            ]
        },
    ),
    "interval_overlap": ("interval_overlap", {"models": MODELS}),
    "prediction_quality": ("prediction_quality", {"models": MODELS}),
    "train_on_candidate (draws 100,000)": ("train_on_candidate", {"target": "health"}),
}


def best(name: str, pair: ReleasePair, **options: Any) -> Taken:
    """The least of three times, each on tables for which nothing is computed yet.

    Otherwise other work and fresh memory would look like growth.
    """
    return min((measured(name, fresh(pair), **options) for _ in range(3)), key=lambda each: each.processor)


def bench_growth() -> None:
    small, large = pair_of(100_000, 1000), pair_of(1_000_000, 1000)
    for title, (name, options) in GROWING.items():
        measured(name, pair_of(500, 200), **options)
        line(
            f"{title}, 1,000,000 rows",
            best(name, large, **options),
            best(name, small, **options),
            "itself at 100,000 rows",
            "12 times",
        )


def main() -> None:
    works = {
        "distances": bench_distances,
        "linkage": bench_linkage,
        "regressions": bench_regressions,
        "learners": bench_learners,
        "growth": bench_growth,
    }
    if sys.argv[1:2] == ["link"]:
        link(int(sys.argv[2]))
        return
    for name in sys.argv[1:] or works:
        works[name]()


if __name__ == "__main__":
    main()
