"""A value drawn from the leaf of a tree that splits where a test finds dependence."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import model
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors
from sdc.statistics.trees.conditional_inference import inference_tree


@model()
def ctree(
    target: CompleteFeature,
    observed: Predictors,
    rng: np.random.Generator,
    *,
    alpha: Annotated[float, Field(gt=0, le=1)] = 0.05,
    minbucket: Annotated[int, Field(ge=1)] = 5,
) -> Draw:
    """A conditional inference tree: a node is split while a predictor's corrected p-value is at most `alpha`.

    Leaves have at least `minbucket` donors.

    Reference: Hothorn, Hornik, Zeileis (2006), doi:10.1198/106186006X133933.
    """
    del rng
    tree = inference_tree(target, observed, alpha=alpha, minbucket=minbucket)

    def draw(synthetic: Predictors, rows: int, stream: np.random.Generator) -> Array:
        drawn: Array = target.values[tree.donors.drawn(tree.leaves(synthetic, rows), stream)]
        return drawn

    return draw
