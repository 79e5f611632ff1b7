"""A value drawn from the observed ones in the leaf of a tree where the record falls."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from sdc.statistics.synthesis.feature import Feature, Predictors, design, matrix

Array = np.ndarray[Any, Any]


def cart(
    target: Feature,
    observed: Predictors,
    synthetic: Predictors,
    rng: np.random.Generator,
    *,
    minbucket: Annotated[int, Field(ge=1)] = 5,
    cp: Annotated[float, Field(ge=0)] = 1e-8,
) -> Array:
    """A regression or classification tree; every synthetic record gets the value of a donor from its leaf, drawn evenly.

    Leaves have at least `minbucket` donors; a split must lower the impurity of the whole by the share `cp`. Unordered
    predictors are split along the order of their levels in the target.

    Reference: Breiman, Friedman, Olshen, Stone (1984), doi:10.1201/9781315139470; Reiter (2005), Using CART to generate
    partially synthetic public use microdata, Journal of Official Statistics 21, 441-462.
    """
    scores = design(observed, target)
    tree = _fitted(matrix(observed, scores), target, minbucket, cp, int(rng.integers(2**31)))
    return donors(tree.apply(matrix(observed, scores)), tree.apply(matrix(synthetic, scores)), target.values, rng)


def _fitted(predictors: Array, target: Feature, minbucket: int, cp: float, seed: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    if target.numeric:
        impurity, kind = float(np.var(target.values)), DecisionTreeRegressor
    else:
        shares = np.bincount(target.values) / len(target.values)
        impurity, kind = 1.0 - float(np.sum(shares**2)), DecisionTreeClassifier
    tree = kind(min_samples_leaf=minbucket, min_samples_split=2 * minbucket, min_impurity_decrease=cp * impurity, random_state=seed)
    return tree.fit(predictors, target.values)


def donors(leaf_of_observed: Array, leaf_of_synthetic: Array, values: Array, rng: np.random.Generator) -> Array:
    """For each synthetic record the value of an observed one of the same leaf, drawn evenly."""
    order = np.argsort(leaf_of_observed, kind="stable")
    leaves, starts, sizes = np.unique(leaf_of_observed[order], return_index=True, return_counts=True)
    place = np.searchsorted(leaves, leaf_of_synthetic)
    chosen = starts[place] + np.floor(rng.random(len(place)) * sizes[place]).astype(np.int64)
    drawn: Array = values[order[chosen]]
    return drawn
