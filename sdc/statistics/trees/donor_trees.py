"""Trees whose leaves hold donors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sdc.arrays import Array
from sdc.statistics.synthesis.donors import Donors
from sdc.statistics.synthesis.feature import CompleteFeature, Predictors, design, matrix

MINBUCKET = 10
"""Donors of a leaf unless an option gives another number.

Fewer hand on more original records at no better fit (docs/synthesis.md).
"""
SPLIT_FROM = 3
"""A node is split if it has this many times the donors of a leaf.

Nearly every leaf of twice as many would be split to the least.
"""


@dataclass(frozen=True)
class GrownTree:
    """A tree, the scores of levels along which it splits, and the observed records by leaf."""

    tree: Any
    scores: list[Array]
    donors: Donors
    values: Array

    def drawn(self, predictors: Predictors, rng: np.random.Generator) -> Array:
        made: Array = self.values[self.donors.drawn(self.tree.apply(matrix(predictors, self.scores)), rng)]
        return made


def grown(
    target: CompleteFeature,
    observed: Predictors,
    seed: int,
    *,
    minbucket: int,
    cp: float = 0.0,
    share_of_columns: float | None = None,
) -> GrownTree:
    """A regression tree by variance or a classification tree by Gini impurity.

    Leaves have at least `minbucket` donors, and nodes of fewer than three times as many are not split; a
    split must lower the impurity of the whole by the share `cp`. At each split only a share of the columns is
    tried where one is given.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    scores = design(observed, target)
    columns = matrix(observed, scores)
    if target.numeric:
        impurity, kind = float(np.var(target.values)), DecisionTreeRegressor
    else:
        shares = np.bincount(target.values) / len(target.values)
        impurity, kind = 1.0 - float(np.sum(shares**2)), DecisionTreeClassifier
    tried = None if share_of_columns is None else max(1, round(share_of_columns * columns.shape[1]))
    tree = kind(
        min_samples_leaf=minbucket,
        min_samples_split=SPLIT_FROM * minbucket,
        min_impurity_decrease=cp * impurity,
        max_features=tried,
        random_state=seed,
    ).fit(columns, target.values)
    return GrownTree(tree, scores, Donors.of(tree.apply(columns)), target.values)


def drawn_from_any(
    trees: list[GrownTree], predictors: Predictors, rows: int, rng: np.random.Generator
) -> Array:
    """For each record a tree drawn evenly, then a donor from its leaf there."""
    which = rng.integers(len(trees), size=rows)
    drawn = np.empty(rows, dtype=trees[0].values.dtype)
    for place, tree in enumerate(trees):
        mine = np.flatnonzero(which == place)
        if mine.size:
            drawn[mine] = tree.drawn([feature.at(mine) for feature in predictors], rng)
    return drawn


def many_trees(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    trees: int,
    *,
    minbucket: int,
    share_of_columns: float | None = None,
) -> list[GrownTree]:
    """Trees grown on bootstrap samples of the records."""
    grove = []
    for _ in range(trees):
        rows = np.sort(rng.integers(len(target.values), size=len(target.values)))
        part = [feature.at(rows) for feature in observed]
        grove.append(
            grown(
                target.at(rows),
                part,
                int(rng.integers(2**31)),
                minbucket=minbucket,
                share_of_columns=share_of_columns,
            )
        )
    return grove
