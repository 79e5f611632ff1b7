"""A value drawn from the leaf of one of many trees, each with few variables to split by."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import model
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors
from sdc.statistics.trees.donor_trees import MINBUCKET, drawn_from_any, many_trees


@model()
def forest(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    trees: Annotated[int, Field(ge=1, le=1000)] = 10,
    minbucket: Annotated[int, Field(ge=1)] = MINBUCKET,
    share_of_columns: Annotated[float, Field(gt=0, le=1)] | None = None,
) -> Draw:
    """As bagging, but each split is the best by a share of the columns drawn anew.

    `share_of_columns` is a third for numbers and one over the root of their number for categories unless it
    is given. `trees` are grown, with leaves of at least `minbucket` donors.

    Reference: Breiman (2001), doi:10.1023/A:1010933404324; Caiola, Reiter (2010), Random forests for
    generating partially synthetic, categorical data, Transactions on Data Privacy 3, 27-42.
    """
    share = share_of_columns or (1 / 3 if target.numeric else 1 / np.sqrt(max(len(observed), 1)))
    grove = many_trees(target, observed, rng, trees, minbucket=minbucket, share_of_columns=share)
    return lambda synthetic, rows, stream: drawn_from_any(grove, synthetic, rows, stream)
