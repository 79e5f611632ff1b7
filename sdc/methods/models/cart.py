"""A value drawn from the observed ones in the leaf of a tree where the record falls."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import model
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors
from sdc.statistics.trees.donor_trees import MINBUCKET, grown


@model()
def cart(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    minbucket: Annotated[int, Field(ge=1)] = MINBUCKET,
    cp: Annotated[float, Field(ge=0)] = 1e-8,
) -> Draw:
    """A value drawn evenly from the donors in the record's leaf of a regression or classification tree.

    Leaves have at least `minbucket` donors, and nodes of fewer than three times as many are not split; a
    split must lower the impurity of the whole (variance, or Gini's) by the share `cp`. Unordered predictors
    are split along the order of their levels in the target. Trees of categories are not pruned by errors of
    classification: a rare level, which is nowhere the most frequent, would lose all dependence.

    Reference: Breiman, Friedman, Olshen, Stone (1984), doi:10.1201/9781315139470; Reiter (2005), Using CART
    to generate partially synthetic public use microdata, Journal of Official Statistics 21, 441-462.
    """
    tree = grown(target, observed, int(rng.integers(2**31)), minbucket=minbucket, cp=cp)
    return lambda synthetic, _, stream: tree.drawn(synthetic, stream)
