"""The pruning of a grown tree, and the node that a record ends at."""

from __future__ import annotations

import numpy as np

from sdc.kernels.compiled import kernel


@kernel
def _strength(errors, below, splits, node, first, second):
    """The errors that a branch saves for each of its splits."""
    return (errors[node] - below[first] - below[second]) / (splits[first] + splits[second] + 1)


@kernel("i8[:, ::1], f8[::1], f8")
def closed_nodes(nodes, errors, allowance):
    """The nodes that are not split in the pruned tree, which follows rpart.

    A node has its parent, first child and second child; children follow parents. A branch stays if it saves
    more errors than the allowance for each of its splits. Children that are weaker links than their parent
    are closed first, the weakest before the other, when the strength of the branch and of those above it is
    computed.
    """
    closed, below, splits = nodes[:, 1] < 0, errors.copy(), np.zeros(errors.size, dtype=np.int64)
    strength = np.full(errors.size, allowance)
    for node in range(errors.size - 1, -1, -1):
        if closed[node] or errors[node] <= allowance:
            closed[node] = True
            continue
        first, second = nodes[node, 1], nodes[node, 2]
        weak, strong = (first, second) if strength[second] > strength[first] else (second, first)
        for child in (weak, strong):
            if _strength(errors, below, splits, node, first, second) <= strength[child]:
                break
            below[child], splits[child] = errors[child], 0
        strength[node] = _strength(errors, below, splits, node, first, second)
        closed[node] = strength[node] <= allowance
        if not closed[node]:
            below[node], splits[node] = below[first] + below[second], splits[first] + splits[second] + 1
    return closed


@kernel("i8[:, ::1], boolean[::1], boolean[::1], i4[:, ::1], boolean[::1]")
def route(tree, left_levels, open_nodes, codes, categorical):
    """The node that each record of `codes` ends at when only open nodes are split."""
    ends = np.zeros(codes.shape[1], dtype=np.int64)
    for i in range(codes.shape[1]):
        node = 0
        while open_nodes[node]:
            column, cut = tree[node, 3], tree[node, 4]
            code = codes[column, i]
            goes_left = left_levels[cut + code] if categorical[column] else code <= cut
            node = tree[node, 1] if goes_left else tree[node, 2]
        ends[i] = node
    return ends
