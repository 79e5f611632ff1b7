"""A classification tree, pruned by what a split must gain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from sdc.arrays import Array
from sdc.statistics.distances.ordering import ranked
from sdc.statistics.regression.design import Feature

Criterion = Literal["gini", "misclassification"]

FEW = 256
"""Columns of no more distinct values than this are counted value by value, others are kept sorted."""


@dataclass(frozen=True)
class TreeColumns:
    """Columns coded for trees, made once for many trees.

    There is a row for each column, and the records sorted by it where it has many values.
    """

    codes: Array
    sizes: Array
    categorical: Array

    @classmethod
    def of(cls, features: list[Feature]) -> TreeColumns:
        """Columns: a number is its value (0 where missing) and, where any is missing, an indicator.

        A missing category is a level.
        """
        gaps = [feature.levels is None and bool(np.isnan(feature.values).any()) for feature in features]
        codes = np.empty((len(features) + sum(gaps), features[0].values.size), dtype=np.int32)
        categorical = np.zeros(len(codes), dtype=bool)
        rows = iter(range(len(codes)))
        for feature, has_gaps in zip(features, gaps, strict=True):
            row = next(rows)
            if feature.levels is not None:
                categorical[row] = True
                codes[row] = feature.values
                codes[row, feature.values < 0] = feature.levels
            else:
                codes[row] = (
                    ranked(np.nan_to_num(feature.values, nan=0.0, posinf=np.inf, neginf=-np.inf))
                    if has_gaps
                    else feature.codes
                )
            if has_gaps:
                codes[next(rows)] = np.isnan(feature.values)
        return cls(codes, codes.max(axis=1).astype(np.int64) + 1, categorical)

    @staticmethod
    def sources(features: list[Feature]) -> list[int]:
        """Which feature each column of `of` is made from."""
        found = []
        for place, feature in enumerate(features):
            has_gaps = feature.levels is None and bool(np.isnan(feature.values).any())
            found += [place] * (2 if has_gaps else 1)
        return found

    @cached_property
    def sorted_columns(self) -> Array:
        return np.flatnonzero((self.sizes > FEW) & ~self.categorical)

    @property
    def record_bits(self) -> int:
        return int(self.codes.shape[1]).bit_length()

    @cached_property
    def sorted_words(self) -> Array:
        """Of each column that has many values, code and record as one number, in order."""
        words: Array = self.codes[self.sorted_columns].astype(np.int64)
        words <<= self.record_bits
        words |= np.arange(words.shape[1])
        words.sort(axis=1)
        return words

    @property
    def order_of(self) -> Array:
        """Which row of the sorted words is a column's; -1 where none is."""
        order_of = np.full(self.sizes.size, -1)
        order_of[self.sorted_columns] = np.arange(self.sorted_columns.size)
        return order_of

    def part(self, records: Array) -> TreeColumns:
        """The same columns of some of the records."""
        return TreeColumns(np.compress(records, self.codes, axis=1), self.sizes, self.categorical)


@dataclass(frozen=True)
class Tree:
    """Each record's leaf, and the counts of labels in the leaves (a row for each leaf)."""

    leaf: Array
    counts: Array
    nodes: Array
    left_levels: Array
    ends: Array

    @property
    def leaves(self) -> int:
        return int(self.counts.shape[0])

    @property
    def shares(self) -> Array:
        """Shares of the labels in each leaf."""
        shares: Array = self.counts / self.counts.sum(axis=1, keepdims=True)
        return shares

    @property
    def gini(self) -> float:
        return overall_gini(self.counts)

    @property
    def inner_nodes(self) -> list[tuple[int, int, int, int]]:
        """Nodes that are split, the root first: node, column, first and second child.

        Leaves are those of `ends`, in their order.
        """
        leaves, found, open_ones = set(self.ends.tolist()), [], [0]
        while open_ones:
            node = open_ones.pop(0)
            if node not in leaves:
                _, first, second, column = (int(each) for each in self.nodes[node, :4])
                found.append((node, column, first, second))
                open_ones += [first, second]
        return found

    def route(self, columns: TreeColumns) -> Array:
        """The leaf that other records, coded alike, fall into."""
        from sdc.kernels.grown_tree import route

        open_nodes = ~np.isin(np.arange(self.nodes.shape[0]), self.ends)
        places: Array = np.searchsorted(
            self.ends, route(self.nodes, self.left_levels, open_nodes, columns.codes, columns.categorical)
        )
        return places


def node_gini(counts: Array) -> float:
    """One less the sum of squared shares of a node's labels."""
    total = math.fsum(counts)
    return 1 - math.fsum((np.asarray(counts) / total) ** 2) if total else 0.0


def overall_gini(leaves: Array) -> float:
    """The impurity of the leaves, weighted by their records."""
    total = math.fsum(np.asarray(leaves).ravel())
    return math.fsum(math.fsum(counts) / total * node_gini(counts) for counts in leaves) if total else 0.0


def grow_tree(
    columns: TreeColumns,
    labels: Array,
    label_count: int = 2,
    *,
    criterion: Criterion = "gini",
    complexity: float = 0.001,
    least_split: int = 15,
    least_leaf: int = 5,
    deepest: int = 30,
) -> Tree:
    """The tree grown by the largest decrease of Gini impurity and pruned by cost and complexity.

    Only cuts that decrease the impurity are made. A branch stays only if it lowers the cost of all records by
    more than `complexity` times that of the root for each of its splits. By `gini` the cost is the impurity.
    By `misclassification` it is the number of records that do not have the most frequent label of their leaf,
    and branches are pruned as rpart does: that can be a smaller tree than the one of least cost.

    Reference: Breiman, Friedman, Olshen and Stone (1984), doi:10.1201/9781315139470; Therneau and Atkinson
    (1997), An introduction to recursive partitioning using the RPART routines, Mayo Foundation technical
    report 61.
    """
    from sdc.kernels.tree_growth import grow

    labels = np.asarray(labels, dtype=np.int32)
    cost = _errors if criterion == "misclassification" else _impurities
    allowance = complexity * float(cost(np.bincount(labels, minlength=label_count)[None, :])[0])
    shape = (label_count.bit_length(), columns.record_bits)
    limits = (least_split, least_leaf, allowance, criterion == "misclassification", deepest)
    nodes, counts, left_levels, leaf = grow(
        columns.codes,
        columns.sizes,
        columns.categorical,
        columns.sorted_words,
        columns.order_of,
        labels,
        label_count,
        shape,
        *limits,
    )
    closed = (
        _closed_by_errors(nodes, counts, allowance)
        if criterion == "misclassification"
        else _closed_by_impurity(nodes, counts, allowance)
    )
    final = _final(nodes, closed)
    ends = np.unique(final[nodes[:, 1] < 0])
    return Tree(np.searchsorted(ends, final)[leaf], counts[ends], nodes, left_levels, ends)


def _impurities(counts: Array) -> Array:
    """Gini impurity of nodes times their records."""
    size = counts.sum(axis=1)
    impurities: Array = size - (counts.astype(np.float64) ** 2).sum(axis=1) / size
    return impurities


def _errors(counts: Array) -> Array:
    """Records of nodes that do not have their node's most frequent label."""
    errors: Array = (counts.sum(axis=1) - counts.max(axis=1)).astype(np.float64)
    return errors


def _closed_by_errors(nodes: Array, counts: Array, allowance: float) -> Array:
    """Which nodes are leaves, or within one, when branches must save errors."""
    from sdc.kernels.grown_tree import closed_nodes

    closed: Array = closed_nodes(nodes, _errors(counts), allowance)
    return closed


def _closed_by_impurity(nodes: Array, counts: Array, allowance: float) -> Array:
    """The same when branches must lower the impurity: the smallest tree of least cost."""
    cost = _impurities(counts)
    leaves = np.ones(cost.size, dtype=np.int64)
    closed: Array = nodes[:, 1] < 0
    below = cost.copy()
    for node in np.flatnonzero(~closed)[::-1]:
        first, second = nodes[node, 1], nodes[node, 2]
        branch, count = below[first] + below[second], leaves[first] + leaves[second]
        if cost[node] - branch <= allowance * (count - 1):
            closed[node] = True
        else:
            below[node], leaves[node] = branch, count
    return closed


def _final(nodes: Array, closed: Array) -> Array:
    """For each node the leaf of the pruned tree it belongs to."""
    final = np.arange(closed.size)
    for node in range(1, closed.size):
        above = final[nodes[node, 0]]
        if closed[above]:
            final[node] = above
    return final
