"""Times measures of utility beside the bare fit or the bare group-by they rest on.

python benchmarks/bench_utility.py [models] [tables] [large] [growth]
"""

from __future__ import annotations

import sys
import time
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sdc.data.database import Database
from sdc.data.release_pair import ReleasePair
from sdc.data.roles import Role, Roles, Variable, VariableType
from sdc.measures.assess import assess

if TYPE_CHECKING:
    from collections.abc import Callable

LEVELS = {"sex": 2, "region": 9, "marital": 4, "education": 7, "activity": 6, "health": 6, "sector": 20}
NUMBERS = ["age", "income", "spending", "wealth", "hours"]
ROLES = Roles.of(
    [
        *(Variable(name) for name in LEVELS),
        *(Variable(name, Role.SENSITIVE, VariableType.NUMERIC) for name in NUMBERS),
    ],
)


def tables(rows: int) -> ReleasePair:
    """Two tables of seven categories and five numbers; the candidate's differ a little."""
    database = Database.in_memory()
    for name, seed, shift in (("original", 0, 0.0), ("candidate", 1, 0.03)):
        chance = [f"(hash(i, {seed}, {place}) % 1000003) / 1000003.0" for place in range(12)]
        categories = [
            f"'{column} ' || CAST(floor({count} * pow({chance[place]}, {1.3 - shift})) AS INT) AS"
            f' "{column}"'
            for place, (column, count) in enumerate(LEVELS.items())
        ]
        numbers = [
            f'CAST(floor(18 + 70 * pow({chance[7]}, {1 + shift})) AS DOUBLE) AS "age"',
            (
                f"CASE WHEN {chance[8]} < 0.05 THEN NULL ELSE round(exp(9 + {chance[8]} * 2 + {shift}), 2)"
                ' END AS "income"'
            ),
            f'round(exp(8 + {chance[9]} + {chance[8]}), 2) AS "spending"',
            f'CASE WHEN {chance[10]} < 0.3 THEN 0 ELSE round(exp(6 + 4 * {chance[10]}), 2) END AS "wealth"',
            f'CAST(floor(60 * {chance[11]}) AS DOUBLE) AS "hours"',
        ]
        database.cursor().execute(
            f"CREATE TABLE {name} AS SELECT {', '.join([*categories, *numbers])} FROM range({rows}) AS t(i)"
        )
    return ReleasePair(database.table("original"), database.table("candidate"), ROLES)


class Taken(NamedTuple):
    """Seconds on the clock and of all processors; on a busy machine only the second can be compared."""

    clock: float
    processor: float


def taken(work: Callable[[], Any]) -> Taken:
    started = time.perf_counter(), time.process_time()
    work()
    return Taken(time.perf_counter() - started[0], time.process_time() - started[1])


def measured(name: str, pair: ReleasePair, **options: Any) -> Taken:
    def work() -> None:
        found = assess(name, pair, options)
        assert found.value is not None, found.not_assessed

    return taken(work)


def line(name: str, own: Taken, floor: Taken, what: str, limit: str, times: int = 1) -> None:
    ratio = own.processor / (floor.processor * times)
    print(
        f"{name}: {own.clock:.2f} s ({own.processor:.2f} of processors), {ratio:.2f} times {what}"
        f" ({floor.processor * times:.2f}), limit {limit}",
        flush=True,
    )


def matrices(pair: ReleasePair) -> tuple[Any, Any, Any]:
    """Bare matrices for scikit-learn: one column for each level or number, and plain codes."""
    from sdc.measures.comparison import candidate_records, features

    held = features(pair, pair.roles.analysed)
    coded = np.column_stack([np.nan_to_num(feature.values) for feature in held])
    dense = []
    for feature in held:
        if feature.levels is None:
            numbers = np.nan_to_num(feature.values)
            dense.append(((numbers - numbers.mean()) / numbers.std())[:, None])
        else:
            dense.append(np.eye(feature.levels)[feature.values][:, 1:])
    return np.hstack(dense), coded, candidate_records(pair)


def bench_models(rows: int = 50_000) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.tree import DecisionTreeClassifier

    for options in ({}, {"model": "cart", "permutations": 2}, {"model": "clustered_logistic"}):
        measured("propensity_mse", tables(500), **options)
    dense, coded, labels = matrices(tables(rows))
    logistic = taken(
        lambda: LogisticRegression(C=np.inf, solver="newton-cholesky", max_iter=100).fit(dense, labels)
    )
    tree = taken(
        lambda: DecisionTreeClassifier(
            min_samples_leaf=5, min_samples_split=15, max_depth=30, random_state=0
        ).fit(coded, labels)
    )
    bare = "scikit-learn's unpenalised fit on a ready matrix"
    line("logistic, main effects", measured("propensity_mse", tables(rows)), logistic, bare, "1.5 s")
    line(
        "logistic, all interactions",
        measured("propensity_mse", tables(rows), terms="interactions"),
        logistic,
        f"{bare}, main effects",
        "none",
    )
    line("cart", one_tree(tables(rows)), tree, "scikit-learn's tree", "2 s")
    line(
        "cart, 50 permutations",
        measured("propensity_mse", tables(rows), model="cart"),
        tree,
        "51 of scikit-learn's trees",
        "60 s",
        51,
    )
    line(
        "clustered logistic",
        measured("propensity_mse", tables(rows), model="clustered_logistic"),
        logistic,
        bare,
        "none",
    )


def one_tree(pair: ReleasePair) -> Taken:
    """The tree itself, without a null."""
    from sdc.measures.comparison import candidate_records, features
    from sdc.statistics.regression.propensity import summarise_scores
    from sdc.statistics.regression.propensity_models import TreeRules, tree_scorer

    def work() -> None:
        labels = candidate_records(pair)
        summarise_scores(tree_scorer(features(pair, pair.roles.analysed), TreeRules())(labels).scores, labels)

    return taken(work)


def group_by(pair: ReleasePair, columns: tuple[str, ...]) -> None:
    for table in (pair.original, pair.candidate):
        names = ", ".join(f'"{column}"' for column in columns)
        table.database.cursor().execute(
            f"SELECT {names}, count(*) FROM {table.name} GROUP BY {names}"
        ).fetchall()


def bench_tables(rows: int = 50_000) -> None:
    measured("table_fit", tables(500))
    pair = tables(rows)
    floor = taken(lambda: [group_by(pair, chosen) for chosen in combinations([*LEVELS, "age", "hours"], 2)])
    line(
        "all two-way tables, all statistics",
        measured("table_fit", tables(rows)),
        floor,
        "DuckDB's group-by of the 36 tables of few cells",
        "2 s",
    )
    line("k-marginals, 2-way", measured("k_marginals", tables(rows)), floor, "the same", "none")


def bench_large(rows: int = 10_000_000) -> None:
    pair = tables(rows)
    keys = ("region", "education", "activity")
    floor = taken(lambda: group_by(pair, keys))
    for name in ("jensen_shannon", "voas_williamson", "freeman_tukey", "cell_ks", "table_difference"):
        fresh = ReleasePair(pair.original, pair.candidate, ROLES)
        line(
            f"{name}, 3 categories of {rows:,} rows",
            measured(name, fresh, variables=list(keys)),
            floor,
            "DuckDB's group-by",
            "10 times",
        )
    floor = taken(lambda: [group_by(pair, (column,)) for column in LEVELS])
    for name in ("kl_divergence", "entropy_change", "added_missing"):
        fresh = ReleasePair(pair.original, pair.candidate, ROLES)
        line(
            f"{name}, 7 categories one by one",
            measured(name, fresh, variables=list(LEVELS)),
            floor,
            "DuckDB's group-bys",
            "10 times",
        )
    floor = taken(lambda: group_by(pair, ("region", "hours")))
    fresh = ReleasePair(pair.original, pair.candidate, ROLES)
    own = measured("jensen_shannon", fresh, variables=["region", "hours"])
    line("jensen_shannon, a category and a number in groups", own, floor, "DuckDB's group-by", "10 times")


ELSEWHERE = {
    "ecdf_distance",
    "cluster_utility",
    "indicator_change",
    "published_figures",
    "interval_overlap",
    "prediction_quality",
    "train_on_candidate",
}
"""Their growth is in bench_models.py."""

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("dependence_change", {"kind": "spearman"}),
    ("dependence_change", {"kind": "kendall"}),
    ("propensity_mse", {"model": "cart", "permutations": 2}),
    ("propensity_mse", {"model": "clustered_logistic"}),
    ("table_fit", {"ways": 3}),
]


def best(name: str, pair: ReleasePair, **options: Any) -> Taken:
    """The least of three times, each on tables for which nothing is computed yet.

    Otherwise other work and fresh memory would look like growth.
    """
    return min(
        (
            measured(name, ReleasePair(pair.original, pair.candidate, ROLES, aligned=True), **options)
            for _ in range(3)
        ),
        key=lambda each: each.processor,
    )


def bench_growth() -> None:
    from sdc.catalogue.registry import Family, measures

    def aligned(rows: int) -> ReleasePair:
        made = tables(rows)
        return ReleasePair(made.original, made.candidate, ROLES, aligned=True)

    warm, small, large = aligned(500), aligned(100_000), aligned(1_000_000)
    names = sorted(name for name, entry in measures().items() if entry.family is Family.UTILITY)
    for name, options in [*((name, {}) for name in names if name not in ELSEWHERE), *VARIANTS]:
        measured(name, warm, **options)
        told = ", ".join([name, *map(str, options.values())])
        line(
            f"{told}, 1,000,000 rows",
            best(name, large, **options),
            best(name, small, **options),
            "itself at 100,000 rows",
            "12 times",
        )


def main() -> None:
    wanted = sys.argv[1:] or ["models", "tables", "large", "growth"]
    for name in wanted:
        {"models": bench_models, "tables": bench_tables, "large": bench_large, "growth": bench_growth}[name]()


if __name__ == "__main__":
    main()
