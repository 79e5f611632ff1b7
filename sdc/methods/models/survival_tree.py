"""A time and whether it ended in the event, drawn together from the leaf of a tree for survival."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Targets, model
from sdc.statistics.synthesis.feature import CompleteFeature, Draw, Predictors
from sdc.statistics.trees.conditional_inference import inference_tree, log_rank_scores


@model(targets=Targets.NUMBERS)
def survival_tree(
    times: Array,
    events: Array,
    observed: Predictors,
    *,
    event: str,
    occurred: str | None = None,
    alpha: Annotated[float, Field(gt=0, le=1)] = 0.05,
    minbucket: Annotated[int, Field(ge=1)] = 5,
) -> Draw:
    """Each record gets time and event of one donor from its leaf of a tree on log-rank scores.

    The tree is a conditional inference tree.

    `event` is the variable that says whether the time ended in the event (its category `occurred`, of two the
    last) or is censored. A node is split while some predictor's corrected p-value is at most `alpha`, and
    leaves have at least `minbucket` donors. The draw gives numbers of donors, so that time and event stay
    together.

    Reference: Hothorn, Hornik, Zeileis (2006), doi:10.1198/106186006X133933.
    """
    del event, occurred
    tree = inference_tree(
        CompleteFeature(log_rank_scores(times, events)), observed, alpha=alpha, minbucket=minbucket
    )
    return lambda synthetic, rows, stream: tree.donors.drawn(tree.leaves(synthetic, rows), stream)
