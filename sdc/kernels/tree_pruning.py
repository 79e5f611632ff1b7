"""Which splits of a tree are worth their complexity, by the errors they save, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _strength(errors, below, splits, node, first, second):
    """Errors a branch saves for each of its splits."""
    return (errors[node] - below[first] - below[second]) / (splits[first] + splits[second] + 1)


@njit(cache=True, nogil=True)
def closed_nodes(nodes, errors, allowance):
    """Which nodes are not split in the pruned tree.

    Nodes are parent, first child, second child, and children follow parents.

    A branch stays if it saves more errors than the allowance for each of its splits. It counts without those
    of its children that are weaker links than itself, the weakest first, also in the branches above.
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
