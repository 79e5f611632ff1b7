"""Trees whose leaves hold donors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sdc.arrays import Array
from sdc.statistics.synthesis.donors import Donors
from sdc.statistics.synthesis.feature import CompleteFeature, Predictors, scored, spread_of

MINBUCKET = 10
"""Donors of a leaf unless an option gives another number.

Fewer hand on more original records at no better fit (docs/synthesis.md).
"""
SPLIT_FROM = 3
"""A node is split if it has this many times the donors of a leaf.

Nearly every leaf of twice as many would be split to the least.
"""


@dataclass(frozen=True)
class TreeDesign:
    """Predictors as columns of numbers, as trees read them: by their distance from `centres`, in `units`.

    Trees compare numbers of single precision and take near ones for equal, whatever their unit is. `scores`
    are for each predictor the numbers of its levels; none where its values are numbers or ordered codes.
    """

    scores: tuple[Array, ...]
    centres: tuple[Array, ...]
    units: tuple[Array, ...]

    @classmethod
    def of(cls, predictors: Predictors, target: CompleteFeature) -> TreeDesign:
        scores, centres, units = [], [], []
        for feature in predictors:
            plain = feature.numeric or feature.ordered
            scores.append(np.zeros((0, 1)) if plain else scored(feature, target))
            columns = _columns(feature, scores[-1])
            centres.append(columns.mean(axis=0))
            units.append(np.array([spread_of(column) for column in columns.T]))
        return cls(tuple(scores), tuple(centres), tuple(units))

    def matrix(self, predictors: Predictors) -> Array:
        parts = [
            (_columns(feature, scores) - centre) / unit
            for feature, scores, centre, unit in zip(
                predictors, self.scores, self.centres, self.units, strict=True
            )
        ]
        return np.concatenate(parts, axis=1, dtype=np.float32, casting="same_kind")


def _columns(feature: CompleteFeature, scores: Array) -> Array:
    return scores[feature.values] if len(scores) else feature.values[:, None]


@dataclass(frozen=True)
class GrownTree:
    """A tree, how it reads predictors, and the observed records by leaf."""

    tree: Any
    design: TreeDesign
    donors: Donors
    values: Array

    def drawn(self, predictors: Predictors, rng: np.random.Generator) -> Array:
        leaves = self.tree.apply(self.design.matrix(predictors))
        made: Array = self.values[self.donors.drawn(leaves, rng)]
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

    design, wanted = TreeDesign.of(observed, target), target.values
    columns = design.matrix(observed)
    if target.numeric:
        wanted = (wanted - wanted.mean()) / spread_of(wanted)
        impurity, kind = float(np.var(wanted)), DecisionTreeRegressor
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
    ).fit(columns, wanted)
    return GrownTree(tree, design, Donors.of(tree.apply(columns)), target.values)


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
