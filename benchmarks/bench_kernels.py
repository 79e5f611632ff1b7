"""Times hand-written algorithms beside the libraries that have them, and compares their results.

python benchmarks/bench_kernels.py [clusters] [quantiles] [logistic] [neighbours] [tables] [ranks] [wait]

Every line has the time of ours, that of the library in the same run, and their ratio: the numbers of
docs/dependencies.md.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

if TYPE_CHECKING:
    from collections.abc import Callable

RNG = np.random.default_rng(1)


def seconds(work: Callable[[], Any], times: int = 5) -> float:
    """The shortest of a few runs, after one that loads what is needed."""
    work()
    found = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return min(found)


def line(what: str, own: float, library: float, whose: str, remark: str = "") -> None:
    print(f"{what:58s} {own:9.4f} s  {own / library:8.2g} of {whose} ({library:.4f} s) {remark}", flush=True)


def bench_clusters() -> None:
    from scipy.cluster.hierarchy import linkage
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_rand_score

    from sdc.statistics.neighbours.k_means import k_means
    from sdc.statistics.neighbours.linkage import linked_clusters

    cluster(10_000, 5, 20)
    cluster(100_000, 12, 100)
    points, order = RNG.normal(size=(10_000, 5)), RNG.permutation(10_000)
    for whose, found in (
        ("ours", lambda held: k_means(held, 20, np.random.default_rng(1))),
        ("scikit-learn's", lambda held: KMeans(20, n_init=1, random_state=1).fit_predict(held)),
    ):
        same = adjusted_rand_score(found(points)[order], found(points[order])) == 1
        print(f"the same clusters for records in another order: {whose} {same}")
    plane = RNG.normal(size=(5_000, 2))
    own, library = seconds(lambda: linked_clusters(plane, 20)), seconds(lambda: linkage(plane, "average"))
    line("average linkage, 5,000 x 2", own, library, "scipy's linkage", "whose memory grows with the square")


def cluster(rows: int, width: int, clusters: int) -> None:
    """K-means beside scikit-learn's on as many sampled points, to the end (tolerance 0) and by default."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import pairwise_distances_argmin

    from sdc.kernels.k_means import nearest
    from sdc.statistics.neighbours.k_means import k_means

    points = RNG.normal(size=(rows, width))
    centres = points[:clusters].copy()
    own = seconds(lambda: nearest(points, centres))
    library = seconds(lambda: pairwise_distances_argmin(points, centres))
    line(f"nearest of {clusters} centres, {rows:,} x {width}", own, library, "scikit-learn's argmin")
    own = seconds(lambda: k_means(points, clusters, np.random.default_rng(1)))
    for tolerance in (0, 1e-4):
        model = KMeans(clusters, n_init=1, max_iter=25, tol=tolerance, random_state=1)
        library = seconds(lambda model=model: model.fit(points[:10_000]).predict(points))
        whose = f"scikit-learn's KMeans, tolerance {tolerance}"
        line(f"k-means, {clusters} clusters, {rows:,} x {width}", own, library, whose)


def bench_quantiles() -> None:
    quantile("100 distinct", RNG.integers(0, 100, 1_000_000).astype(float))
    quantile("all distinct", RNG.normal(size=1_000_000))


def quantile(what: str, values: Any) -> None:
    from sdc.statistics.distances.quantiles import quantiles

    shares = np.linspace(0, 1, 101)
    own, library = seconds(lambda: quantiles(values, shares)), seconds(lambda: np.quantile(values, shares))
    same = np.array_equal(quantiles(values, shares), np.quantile(values, shares))
    line(f"101 quantiles of 1,000,000, {what}", own, library, "numpy's", f"equal bits: {same}")


def bench_logistic() -> None:
    from scipy import sparse
    from sklearn.linear_model import LogisticRegression

    from sdc.statistics.regression.design import Feature, design, term_blocks
    from sdc.statistics.regression.logistic import fit_logistic

    rows = 100_000
    levels = (2, 9, 4, 7, 6, 6, 20)
    categories = [
        Feature(f"c{count}{place}", RNG.integers(0, count, rows), count) for place, count in enumerate(levels)
    ]
    numbers = [Feature(f"n{place}", RNG.normal(size=rows)) for place in range(5)]
    matrix = design(term_blocks([*categories, *numbers]), rows)
    response = (RNG.random(rows) < 0.5).astype(float)
    filled = matrix.columns >= 0
    place = np.nonzero(filled)[0]
    built = sparse.csr_array(
        (matrix.all_values()[filled], (place, matrix.columns[filled])), shape=(rows, matrix.width)
    )
    scores = fit_logistic(matrix, response).scores
    own = seconds(lambda: fit_logistic(matrix, response))
    for solver, held in (("lbfgs", built), ("newton-cholesky", built.toarray())):
        model = LogisticRegression(C=np.inf, solver=solver, max_iter=1000, fit_intercept=False)
        library = seconds(lambda held=held, model=model: model.fit(held, response))
        gap = np.abs(model.predict_proba(held)[:, 1] - scores).max()
        gradient = [
            np.abs(built.T @ (response - found)).max() for found in (scores, model.predict_proba(held)[:, 1])
        ]
        remark = f"scores differ by {gap:.1e}; largest gradient {gradient[0]:.1e} beside {gradient[1]:.1e}"
        line(
            f"logistic regression, {rows:,} x {matrix.width}, {solver}",
            own,
            library,
            "scikit-learn's",
            remark,
        )


def bench_neighbours() -> None:
    from scipy.spatial import cKDTree
    from sklearn.neighbors import NearestNeighbors

    from sdc.kernels.mdav import mdav
    from sdc.statistics.neighbours.search import Neighbours
    from sdc.statistics.neighbours.space import ABSOLUTE, CODE, SQUARED, Axis, Space

    points = RNG.normal(size=(20_000, 4))
    kinds = np.zeros(4, dtype=np.int8)
    own, library = (
        seconds(lambda: mdav(points, kinds, 3)),
        seconds(lambda: scanned_mdav(points[:5_000], 3), 1),
    )
    assert np.array_equal(mdav(points[:5_000], kinds, 3), scanned_mdav(points[:5_000], 3))
    line(
        "MDAV, 20,000 x 4, k = 3 (point tree)",
        own,
        16 * library,
        "numpy's scans, 16 times those of a quarter",
    )
    rebuilt = 20_000 // 3 / 2 * seconds(lambda: cKDTree(points))
    line("the same", own, rebuilt, "the time to plant scipy's tree once for each two groups")
    euclid = Neighbours(Space.of([Axis(SQUARED)] * 4), np.ascontiguousarray(points.T))
    queries = RNG.normal(size=(20_000, 4))
    own = seconds(lambda: euclid.nearest(np.ascontiguousarray(queries.T), 2))
    library = seconds(lambda: cKDTree(points).query(queries, 2, workers=-1))
    line(
        "2 nearest of 20,000 numbers x 4 (box tree, planted)",
        own,
        library,
        "scipy's k-d tree, planting included",
    )
    mixed = [RNG.integers(0, 9, 20_000) + 1.0 if place < 4 else RNG.random(20_000) for place in range(8)]
    gower = Space.of([Axis(CODE)] * 4 + [Axis(ABSOLUTE)] * 4)
    tree = Neighbours(gower, np.array(mixed))
    asked = np.array(mixed)[:, :2_000]
    own = seconds(lambda: tree.nearest(asked, 2))
    codes = np.array(mixed).T
    brute = NearestNeighbors(n_neighbors=2, algorithm="brute", metric=gower_of_pair).fit(codes[:2_000])
    library = 10 * seconds(lambda: brute.kneighbors(codes[:20]), 1) * 100
    line(
        "2 nearest by Gower, 2,000 of 20,000 mixed x 8",
        own,
        library,
        "scikit-learn with a function as metric",
    )
    numpy_s = 100 * seconds(lambda: [gower_scan(codes, query) for query in codes[:20]], 1)
    line("the same", own, numpy_s, "numpy's scans")


def gower_of_pair(one: Any, other: Any) -> float:
    return float((one[:4] != other[:4]).sum() + np.abs(one[4:] - other[4:]).sum())


def gower_scan(codes: Any, query: Any) -> Any:
    sums = (codes[:, :4] != query[:4]).sum(axis=1) + np.abs(codes[:, 4:] - query[4:]).sum(axis=1)
    return np.partition(sums, 1)[:2]


def scanned_mdav(points: Any, k: int) -> Any:
    """MDAV as its definition reads, with a scan of all rows left for each distance."""
    group, left, made = np.full(len(points), -1), np.arange(len(points)), 0

    def distances(q: Any) -> Any:
        total = np.zeros(len(left))
        for j in range(points.shape[1]):
            total += (q[j] - points[left, j]) ** 2
        return total

    total, start = np.zeros(points.shape[1]), None
    for row in points:
        total += row
    while len(left) >= 2 * k:
        opposite = start is not None
        q = points[start] if opposite else total / len(left)
        row = int(left[np.argmax(distances(q))])
        start = None if opposite or len(left) < 3 * k else row
        # The row itself comes first, also where others have no distance from it.
        near = distances(points[row])
        near[left == row] = -1
        chosen = left[np.argsort(near, kind="stable")[:k]]
        for member in chosen:
            total -= points[member]
        group[chosen] = made
        left = left[group[left] < 0]
        made += 1
    group[left] = made
    return group


def bench_tables() -> None:
    number("1,000 distinct", RNG.integers(0, 1_000, 1_000_000).astype(np.uint64))
    number("630,000 distinct", RNG.integers(0, 1_000_000, 1_000_000).astype(np.uint64))


def number(what: str, values: Any) -> None:
    import pandas as pd

    from sdc.kernels.hash_table import numbered

    own = seconds(lambda: numbered(values))
    assert np.array_equal(numbered(values)[0], pd.factorize(values)[0])
    line(f"1,000,000 keys numbered, {what}", own, seconds(lambda: pd.factorize(values)), "pandas' factorize")
    line("the same", own, seconds(lambda: np.unique(values, return_inverse=True)), "numpy's unique")


def bench_ranks() -> None:
    from scipy.stats import kendalltau, ks_2samp, rankdata

    from sdc.statistics.distances.dependence import kendall
    from sdc.statistics.distances.distribution_distance import kolmogorov_smirnov
    from sdc.statistics.distances.ordering import places, ranked

    x, y = RNG.normal(size=200_000), RNG.normal(size=200_000)
    line(
        "ranks of 200,000 numbers",
        seconds(lambda: ranked(x)),
        seconds(lambda: rankdata(x, "dense")),
        "scipy's",
    )
    line(
        "Kendall's tau-b, 200,000",
        seconds(lambda: kendall(places(x), places(y))),
        seconds(lambda: kendalltau(x, y)),
        "scipy's",
    )
    first, second = np.sort(x), np.sort(y)
    library = seconds(lambda: ks_2samp(first, second, method="asymp"))
    line("Kolmogorov-Smirnov, sorted", seconds(lambda: kolmogorov_smirnov(first, second)), library, "scipy's")


def bench_wait() -> None:
    """How long a process waits for kernels: the import of numba, and a kernel loaded from disk."""
    import subprocess

    one = "import numpy as np; from sdc.kernels.ordering import packed; packed(np.ones(9), 1.0, 4)"
    floor = seconds(lambda: subprocess.run([sys.executable, "-c", "import numpy"], check=True))
    for what, script in (("import numba", "import numba"), ("import and run one kernel", one)):
        own = seconds(lambda script=script: subprocess.run([sys.executable, "-c", script], check=True))
        line(what, own, floor, "the import of numpy")


if __name__ == "__main__":
    parts = {
        name.removeprefix("bench_"): work for name, work in globals().items() if name.startswith("bench_")
    }
    for name in sys.argv[1:] or parts:
        with threadpool_limits(limits=1):  # on a shared machine, threads of a library wait for each other
            parts[name]()
