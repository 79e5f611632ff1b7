"""Models that give each record its probability of being the candidate's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sdc.arrays import Array
from sdc.statistics.neighbours.clusters import Clustering, Scale
from sdc.statistics.regression.design import Block, Feature, TermKind, design, term_blocks
from sdc.statistics.regression.logistic import fit_logistic
from sdc.statistics.synthesis.feature import CompleteFeature
from sdc.statistics.trees.classification import Criterion, TreeColumns, grow_tree, overall_gini
from sdc.statistics.trees.conditional_inference import inference_tree

RECORDS_FOR_EACH_COEFFICIENT = 5


@dataclass(frozen=True)
class Scored:
    """Scores record by record, the parameters beyond a constant that made them, and facts about the model."""

    scores: Array
    degrees: int
    facts: dict[str, float]


Scorer = Callable[[Array], Scored]
"""From who is the candidate's, record by record, to scores.

What depends on the records alone was made before.
"""


def logistic_scorer(blocks: list[Block], records: int) -> Scorer:
    """One logistic regression on all records."""
    matrix = design(blocks, records)

    def scored(is_candidate: Array) -> Scored:
        fit = fit_logistic(matrix, is_candidate)
        return Scored(fit.scores, fit.rank - 1, {"separated": fit.separated})

    return scored


@dataclass(frozen=True)
class TreeRules:
    """How a tree grows: the fewest records of a node that is split and of a leaf.

    For a classification tree also how it is pruned.
    """

    least_split: int = 15
    least_leaf: int = 5
    criterion: Criterion = "misclassification"
    complexity: float = 0.001


def tree_scorer(features: list[Feature], rules: TreeRules) -> Scorer:
    """A classification tree: a record's score is the candidate's share of its leaf."""
    columns = TreeColumns.of(features)

    def scored(is_candidate: Array) -> Scored:
        tree = grow_tree(
            columns,
            is_candidate,
            criterion=rules.criterion,
            complexity=rules.complexity,
            least_split=rules.least_split,
            least_leaf=rules.least_leaf,
        )
        return _scored_by_leaf(tree.leaf, tree.counts)

    return scored


def inference_scorer(features: list[Feature], rules: TreeRules, alpha: float) -> Scorer:
    """Scores by a conditional inference tree, which splits where a test finds dependence at level alpha."""
    predictors = [predictor for feature in features for predictor in _predictors(feature)]

    def scored(is_candidate: Array) -> Scored:
        labels = is_candidate.astype(np.int64)
        tree = inference_tree(
            CompleteFeature(labels, 2),
            predictors,
            alpha=alpha,
            minbucket=rules.least_leaf,
            minsplit=rules.least_split,
        )
        _, leaf = np.unique(tree.leaves(predictors, labels.size), return_inverse=True)
        return _scored_by_leaf(
            leaf, np.bincount(2 * leaf + labels, minlength=2 * (int(leaf.max()) + 1)).reshape(-1, 2)
        )

    return scored


def _scored_by_leaf(leaf: Array, counts: Array) -> Scored:
    shares = counts[:, 1] / counts.sum(axis=1)
    return Scored(shares[leaf], len(counts) - 1, {"tree_gini": overall_gini(counts), "leaves": len(counts)})


def _predictors(feature: Feature) -> list[CompleteFeature]:
    """Columns of a tree: a number is its value (0 where missing) and, where any is missing, an indicator.

    A missing category is a level.
    """
    if feature.levels is not None:
        return [
            CompleteFeature(np.where(feature.values < 0, feature.levels, feature.values), feature.levels + 1)
        ]
    missing = np.isnan(feature.values)
    value = CompleteFeature(np.where(missing, 0.0, feature.values))
    return [value, CompleteFeature(missing.astype(np.int64), 2)] if missing.any() else [value]


def clustered_scorer(
    features: list[Feature], terms: TermKind, clustering: Clustering, rng: np.random.Generator
) -> Scorer:
    """A logistic regression in each cluster of like records.

    A cluster of one table, or one too small for a regression, has its share as score.
    """
    cluster = clustering.of(_points(features, clustering.scale), rng)
    members = [np.flatnonzero(cluster == place) for place in range(int(cluster.max()) + 1)]
    within = [(records, _within(features, records, terms)) for records in members if records.size]

    def scored(is_candidate: Array) -> Scored:
        scores, parameters, separated = np.zeros(is_candidate.size), 0, False
        for records, scorer in within:
            labels = is_candidate[records]
            if scorer is None or labels.all() or not labels.any():
                scores[records], parameters = np.count_nonzero(labels) / labels.size, parameters + 1
                continue
            fit = scorer(labels)
            scores[records], parameters = fit.scores, parameters + fit.degrees + 1
            separated = separated or bool(fit.facts["separated"])
        return Scored(
            scores,
            parameters - 1,
            {
                "separated": separated,
                "clusters": len(within),
                "average_linkage": clustering.links(cluster.size),
            },
        )

    return scored


def _points(features: list[Feature], scale: Scale) -> Array:
    """The columns of the main effects: centred numbers, and indicators of categories.

    Numbers are in units of their standard deviation or in their own.
    """
    blocks = term_blocks(features)
    if scale == "none":
        blocks = [
            (
                block
                if block.value is None
                else replace(block, value=block.value * np.nanstd(features[block.source].values))
            )
            for block in blocks
        ]
    main = design(blocks, features[0].values.size)
    points = np.zeros((main.columns.shape[0], main.width + 1))
    np.put_along_axis(
        points,
        np.where(main.columns < 0, main.width, main.columns).astype(np.int64),
        main.all_values(),
        axis=1,
    )
    return points[:, 1:-1]


def _within(features: list[Feature], records: Array, terms: TermKind) -> Scorer | None:
    """The regression of one cluster, None where it has too few records for its coefficients."""
    blocks = term_blocks(
        [Feature(feature.name, feature.values[records], feature.levels) for feature in features],
        terms,
    )
    needed = 1 + sum(block.width for block in blocks)
    return (
        logistic_scorer(blocks, records.size)
        if records.size >= RECORDS_FOR_EACH_COEFFICIENT * needed
        else None
    )
