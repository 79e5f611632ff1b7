"""A value drawn from the leaf of one of many trees, each grown on a bootstrap sample."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import model
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors
from sdc.statistics.trees.donor_trees import MINBUCKET, drawn_from_any, many_trees


@model()
def bagging(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    trees: Annotated[int, Field(ge=1, le=1000)] = 10,
    minbucket: Annotated[int, Field(ge=1)] = MINBUCKET,
) -> Draw:
    """For each record one of the trees is drawn, then a donor from its leaf there.

    `trees` are grown, each on a bootstrap sample of the records, with leaves of at least `minbucket` donors.

    Reference: Breiman (1996), doi:10.1007/BF00058655; Drechsler, Reiter (2011),
    doi:10.1016/j.csda.2011.06.006.
    """
    grove = many_trees(target, observed, rng, trees, minbucket=minbucket)
    return lambda synthetic, rows, stream: drawn_from_any(grove, synthetic, rows, stream)
