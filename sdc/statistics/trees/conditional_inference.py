"""A tree that splits only where a permutation test finds dependence, by the most dependent variable."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sdc.arrays import Array
from sdc.statistics.synthesis.donors import Donors
from sdc.statistics.synthesis.feature import CompleteFeature, Predictors, scored


@dataclass
class InferenceTree:
    """Nodes in the order they were made: the predictor split, which of its values go left, both children.

    The predictor of a leaf is -1.
    """

    split: list[int] = field(default_factory=list)
    cut: list[float] = field(default_factory=list)
    left_levels: list[Array] = field(default_factory=list)
    children: list[tuple[int, int]] = field(default_factory=list)
    donors: Donors = field(default_factory=lambda: Donors.of(np.zeros(1, dtype=np.int64)))

    def leaves(self, predictors: Predictors, rows: int) -> Array:
        """The leaf each record falls into."""
        leaf = np.zeros(rows, dtype=np.int64)
        open_nodes = [(0, np.arange(rows))]
        while open_nodes:
            node, members = open_nodes.pop()
            leaf[members] = node
            if self.split[node] >= 0 and members.size:
                left = self.goes_left(node, predictors[self.split[node]].values[members])
                open_nodes += [
                    (self.children[node][0], members[left]),
                    (self.children[node][1], members[~left]),
                ]
        return leaf

    def goes_left(self, node: int, values: Array) -> Array:
        levels = self.left_levels[node]
        made: Array = levels[values] if len(levels) else values <= self.cut[node]
        return made

    def add(self) -> int:
        self.split.append(-1)
        self.cut.append(0.0)
        self.left_levels.append(np.zeros(0, dtype=bool))
        self.children.append((-1, -1))
        return len(self.split) - 1


def inference_tree(
    target: CompleteFeature,
    observed: Predictors,
    *,
    alpha: float,
    minbucket: int,
    minsplit: int = 0,
    deepest: int = 30,
) -> InferenceTree:
    """Each node is split by the predictor of the smallest p-value, if that is at most alpha.

    The p-value is corrected for k predictors: 1 - (1 - p)^k.

    The test is the quadratic form of the conditional (permutation) distribution of the linear statistic, with
    its limit, chi-square. The cut is the one whose two sides have the most different targets. The levels of
    an unordered predictor are cut along their mean target.

    Reference: Hothorn, Hornik, Zeileis (2006), doi:10.1198/106186006X133933; Strasser, Weber (1999), On the
    asymptotic theory of permutation statistics, Mathematical Methods of Statistics 8, 220-250.
    """
    tree = InferenceTree()
    open_nodes = [(tree.add(), np.arange(len(target.values)), 0)]
    while open_nodes:
        node, members, depth = open_nodes.pop()
        if members.size < max(minsplit, 2 * minbucket) or depth >= deepest:
            continue
        part, held = target.at(members), [feature.at(members) for feature in observed]
        for place in _by_evidence(part, held, alpha):
            found = _cut(part, held[place], minbucket)
            if found is None:
                continue
            tree.split[node], tree.cut[node], tree.left_levels[node] = place, *found
            left = tree.goes_left(node, held[place].values)
            tree.children[node] = (tree.add(), tree.add())
            open_nodes += [
                (tree.children[node][0], members[left], depth + 1),
                (tree.children[node][1], members[~left], depth + 1),
            ]
            break
    tree.donors = Donors.of(tree.leaves(observed, len(target.values)))
    return tree


def _by_evidence(target: CompleteFeature, predictors: Predictors, alpha: float) -> list[int]:
    """Predictors whose association is significant, the strongest first.

    Among p-values of 0 the statistic per degree of freedom decides.
    """
    from scipy.special import chdtrc

    tests = [statistic(target, feature) for feature in predictors]
    chances = np.array([chdtrc(degrees, value) if degrees else 1.0 for value, degrees in tests])
    size = np.array([value / degrees if degrees else 0.0 for value, degrees in tests])
    order = np.lexsort([-size, chances])
    corrected = 1 - (1 - chances) ** len(predictors)
    return [int(place) for place in order if corrected[place] <= alpha]


def statistic(target: CompleteFeature, predictor: CompleteFeature) -> tuple[float, int]:
    """The quadratic statistic of independence given the margins, and its degrees of freedom (0: constant)."""
    records = len(target.values)
    as_number = predictor.numeric or predictor.ordered
    if target.numeric and as_number:
        return _squared_correlation(target.values, predictor.values) * (records - 1), int(
            np.ptp(target.values) > 0 and np.ptp(predictor.values) > 0
        )
    if target.numeric:
        return _between(target.values, predictor.values, predictor.levels)
    if as_number:
        return _between(predictor.values.astype(np.float64), target.values, target.levels)
    counts = np.bincount(
        predictor.values * target.levels + target.values, minlength=predictor.levels * target.levels
    )
    table = counts.reshape(predictor.levels, target.levels).astype(np.float64)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / records
    value = float(((table - expected) ** 2 / expected).sum()) * (records - 1) / records
    return value, (table.shape[0] - 1) * (table.shape[1] - 1)


def _squared_correlation(one: Array, other: Array) -> float:
    a, b = one - one.mean(), other - other.mean()
    total = float((a @ a) * (b @ b))
    return float(a @ b) ** 2 / total if total > 0 else 0.0


def _between(numbers: Array, codes: Array, levels: int) -> tuple[float, int]:
    """(n - 1) times the share of the variance that lies between groups."""
    centred = numbers - numbers.mean()
    total = float(centred @ centred)
    count = np.bincount(codes, minlength=levels)
    sums = np.bincount(codes, centred, minlength=levels)[count > 0]
    if total <= 0 or sums.size < 2:
        return 0.0, 0
    return float((sums**2 / count[count > 0]).sum()) / total * (len(numbers) - 1), sums.size - 1


def _cut(target: CompleteFeature, predictor: CompleteFeature, minbucket: int) -> tuple[float, Array] | None:
    """The best cut of a predictor: its last value to the left, or the levels that go left.

    It is None where no side would be large enough.
    """
    unordered = not (predictor.numeric or predictor.ordered)
    along = scored(predictor, target)[:, 0] if unordered else np.zeros(0)
    position = along[predictor.values] if unordered else predictor.values
    order = np.argsort(position, kind="stable")
    sorted_position = position[order]
    places = np.flatnonzero(np.diff(sorted_position) > 0) + 1
    places = places[(places >= minbucket) & (places <= len(order) - minbucket)]
    if not places.size:
        return None
    best = int(places[np.argmax(_difference(target, order, places))])
    border = float(sorted_position[best - 1])
    return border, (along <= border) if unordered else np.zeros(0, dtype=bool)


def _difference(target: CompleteFeature, order: Array, places: Array) -> Array:
    """How far the targets of both sides are apart for each cut, standardised.

    It is the two-sample statistic, or chi-square of 2 x K.
    """
    records = len(order)
    if target.numeric:
        sums = np.cumsum(target.values[order] - target.values.mean())[places - 1]
        apart: Array = sums**2 / (places * (records - places))
        return apart
    marks = (target.values[order][:, None] == np.arange(target.levels)).astype(np.float64)
    total = marks.sum(axis=0)
    seen = total > 0
    left = np.cumsum(marks[:, seen], axis=0)[places - 1]
    gap = left - places[:, None] * total[seen] / records
    return np.asarray((gap**2 / total[seen]).sum(axis=1) / (places * (records - places)))


def log_rank_scores(times: Array, events: Array) -> Array:
    """For each record its event less the cumulative hazard at its time, a score for tests of survival.

    Reference: Hothorn, Lausen (2003), doi:10.1016/S0167-9473(02)00225-6.
    """
    order = np.argsort(times, kind="stable")
    moments, first = np.unique(times[order], return_index=True)
    at_risk = len(times) - first
    hazard = np.cumsum(np.add.reduceat(events[order].astype(np.float64), first) / at_risk)
    scores: Array = events - hazard[np.searchsorted(moments, times)]
    return scores
