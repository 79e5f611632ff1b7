"""Which splits of a tree are worth their complexity, by the errors they save, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

ENTERED, FIRST_DONE, BOTH_DONE = 0, 1, 2


@njit(cache=True, nogil=True)
def _strength(errors, below, splits, node, first, second):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Errors a branch saves for each of its splits."""
    return (errors[node] - below[first] - below[second]) / (splits[first] + splits[second] + 1)


@njit(cache=True, nogil=True)
def _without_weaker(errors, below, splits, strength, node, first, second):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """A branch counts without those of its children that are weaker links than itself, the weakest first."""
    weak, strong = (first, second) if strength[second] > strength[first] else (second, first)
    for child in (weak, strong):
        if _strength(errors, below, splits, node, first, second) <= strength[child]:
            break
        below[child], splits[child] = errors[child], 0


@njit(cache=True, nogil=True)
def closed_nodes(nodes, mean_label, errors, allowance):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """Which nodes are not split in the pruned tree; nodes are parent, first child, second child.

    A branch is followed, the child of the lower mean label first, only while its records could still save more than the
    allowance for each split on the way to them, and stays only if it does save more for each split that it has.
    """
    closed, most = nodes[:, 1] < 0, errors.copy()
    below, splits, strength = errors.copy(), np.zeros(errors.size, dtype=np.int64), np.full(errors.size, allowance)
    state, waiting, last = np.zeros(errors.size, dtype=np.int8), [0], 0
    while last >= 0:
        node = waiting[last]
        if closed[node] or min(errors[node], most[node]) <= allowance:
            closed[node] = True
            waiting.pop()
            last -= 1
            continue
        first, second = nodes[node, 1], nodes[node, 2]
        if mean_label[second] < mean_label[first]:
            first, second = second, first
        if state[node] == ENTERED:
            most[first] = min(errors[node], most[node]) - allowance
            waiting.append(first)
        elif state[node] == FIRST_DONE:
            saved = max((errors[node] - below[first]) / (splits[first] + 1), errors[node] - errors[first])
            most[second] = min(saved, most[node]) - allowance
            waiting.append(second)
        else:
            _without_weaker(errors, below, splits, strength, node, first, second)
            strength[node] = _strength(errors, below, splits, node, first, second)
            closed[node] = strength[node] <= allowance
            if not closed[node]:
                below[node], splits[node] = below[first] + below[second], splits[first] + splits[second] + 1
            waiting.pop()
            last -= 1
            continue
        state[node] += 1
        last += 1
    return closed
