"""How much of a target models trained on one table explain in another."""

from __future__ import annotations

from typing import Literal

import numpy as np

from sdc.arrays import Array
from sdc.statistics.regression.design import Feature

Learner = Literal["linear", "tree", "forest"]

LEAST_LEAF = 10
TREES = 100


def predictors(features: list[Feature], reference: list[Feature]) -> Array:
    """Columns for a learner: standardised numbers with an indicator for missing, and levels as 0 and 1.

    Mean and unit of a number are those of the reference; a missing number is 0.

    Missing is a level; a level the reference does not know has no column.
    """
    columns: list[Array] = []
    for feature, known in zip(features, reference, strict=True):
        if known.levels is not None:
            columns += [feature.values == level for level in range(-1, known.levels)]
            continue
        observed = known.values[~np.isnan(known.values)]
        size = float(np.abs(observed).max(initial=0)) or 1.0
        spread = float(np.std(observed / size)) if observed.size else 0.0
        centre = float(np.mean(observed / size)) if observed.size else 0.0
        with np.errstate(over="ignore"):
            moved = (feature.values / size - centre) / (spread or 1.0)
        columns += [np.clip(np.nan_to_num(moved, nan=0.0), -1e6, 1e6), np.isnan(feature.values)]
    return np.column_stack(columns).astype(np.float64)


def predicted(
    learner: Learner, train: Array, target: Array, test: Array, seed: int, categories: int | None = None
) -> Array:
    """The target of test records as a model of the training records sees it.

    It gives numbers, or a probability for each category. A category the training records lack has none.
    """
    from sklearn.linear_model import Ridge

    if learner != "linear":
        return _by_trees(learner, train, target, test, seed, categories)
    ridge = Ridge(alpha=1.0, solver="cholesky")
    if categories is None:
        return ridge.fit(train, target).predict(test)
    return np.clip(ridge.fit(train, np.eye(categories)[target]).predict(test).reshape(len(test), -1), 0, 1)


def _by_trees(
    learner: Learner, train: Array, target: Array, test: Array, seed: int, categories: int | None
) -> Array:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    tree, forest = (
        (DecisionTreeRegressor, RandomForestRegressor)
        if categories is None
        else (DecisionTreeClassifier, RandomForestClassifier)
    )
    if learner == "tree":
        model = tree(min_samples_leaf=LEAST_LEAF, random_state=seed).fit(train, target)
    else:
        model = forest(TREES, min_samples_leaf=LEAST_LEAF // 2, random_state=seed).fit(train, target)
    if categories is None:
        return model.predict(test)
    shares = np.zeros((len(test), categories))
    shares[:, model.classes_] = model.predict_proba(test)
    return shares


def explained_share(found: Array, truth: Array) -> float:
    """1 - the squared error of predictions over that of the mean.

    It is 0 where they are no better, and not defined where all values are the same.

    Rows are records; columns, where there are several, the probabilities and the indicators of categories.
    """
    around = float(((truth - truth.mean(axis=0)) ** 2).sum())
    error = float(((found - truth) ** 2).sum())
    return max(1 - error / around, 0.0) if around > 0 else float("nan")
