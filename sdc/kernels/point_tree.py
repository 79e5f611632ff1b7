"""A k-d tree from which points can be taken out, with exact nearest and farthest points.

Distances are sums over coordinates in their order: squared differences (kind 0), absolute differences (kind
1) or 1 where two codes differ (kind 2). Bounds of boxes are summed in the same way and order, so rounding
never hides a point. Ties go to the lowest row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sdc.arrays import Array
from sdc.kernels.compiled import kernel

LEAF = 12
"""Most points of a leaf."""


@kernel
def between(q: Array, points: Array, row: int, kinds: Array) -> float:
    """The distance of a row from q."""
    total = 0.0
    for j in range(len(kinds)):
        difference = q[j] - points[row, j]
        if kinds[j] == 0:
            total += difference * difference
        elif kinds[j] == 1:
            total += abs(difference)
        elif difference != 0.0:
            total += 1.0
    return total


@kernel
def _least(q: Array, low: Array, high: Array, node: int, kinds: Array) -> float:
    """The smallest distance from q that a point in the box of a node can have."""
    total = 0.0
    for j in range(len(kinds)):
        gap = max(low[node, j] - q[j], q[j] - high[node, j], 0.0)
        if kinds[j] == 0:
            total += gap * gap
        elif kinds[j] == 1:
            total += gap
        elif gap > 0.0:
            total += 1.0
    return total


@kernel
def _most(q: Array, low: Array, high: Array, node: int, kinds: Array) -> float:
    """The largest distance from q that a point in the box of a node can have."""
    total = 0.0
    for j in range(len(kinds)):
        reach = max(abs(q[j] - low[node, j]), abs(q[j] - high[node, j]))
        if kinds[j] == 0:
            total += reach * reach
        elif kinds[j] == 1:
            total += reach
        elif reach > 0.0:
            total += 1.0
    return total


@kernel
def sort_rows(keys: Array, rows: Array, first: int, last: int) -> None:
    """Sort keys[first:last] ascending, and rows with them (heap sort: n log n steps on any data)."""
    size = last - first
    for start in range(size // 2 - 1, -1, -1):
        _sink(keys, rows, first, start, size)
    for end in range(size - 1, 0, -1):
        keys[first], keys[first + end] = keys[first + end], keys[first]
        rows[first], rows[first + end] = rows[first + end], rows[first]
        _sink(keys, rows, first, 0, end)


@kernel
def _sink(keys: Array, rows: Array, first: int, place: int, size: int) -> None:
    """Move an entry down the heap until none below it is larger."""
    key, row = keys[first + place], rows[first + place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and keys[first + child + 1] > keys[first + child]:
            child += 1
        if keys[first + child] <= key:
            break
        keys[first + place], rows[first + place] = keys[first + child], rows[first + child]
        place = child
    keys[first + place], rows[first + place] = key, row


@kernel
def _fit(node: int, tree: Any, points: Array) -> None:
    """Draw the box of a leaf, and its lowest row, from the points in it."""
    rows, nodes, lowest, low, high, _, _ = tree
    lowest[node] = len(points)
    for j in range(points.shape[1]):
        low[node, j], high[node, j] = np.inf, -np.inf
    for place in range(nodes[node, 0], nodes[node, 1]):
        row = rows[place]
        lowest[node] = min(lowest[node], row)
        for j in range(points.shape[1]):
            low[node, j] = min(low[node, j], points[row, j])
            high[node, j] = max(high[node, j], points[row, j])


@kernel
def plant(points: Array) -> tuple[Array, Array, Array, Array, Array, Array, Array]:
    """A tree over all points.

    Rows in leaf order; of each node the first and last place, the lowest row, and the corners of its box; of
    each row its leaf and its place. Children of node i are 2 i + 1 and 2 i + 2; the last level has the
    leaves.
    """
    n, d = points.shape
    size = 1
    while n > LEAF * ((size + 1) // 2):
        size = 2 * size + 1
    rows, leaf_of, place_of = (
        np.arange(n).astype(np.int32),
        np.empty(n, dtype=np.int32),
        np.empty(n, dtype=np.int32),
    )
    nodes, lowest = np.zeros((size, 2), dtype=np.int32), np.empty(size, dtype=np.int32)
    low, high = np.empty((size, d)), np.empty((size, d))
    tree = (rows, nodes, lowest, low, high, leaf_of, place_of)
    keys = np.empty(n)
    nodes[0, 1] = n
    for node in range(size):
        _fit(node, tree, points)
        first, last = np.int64(nodes[node, 0]), np.int64(nodes[node, 1])
        if 2 * node + 2 >= size:
            for place in range(first, last):
                leaf_of[rows[place]], place_of[rows[place]] = node, place
            continue
        widest = 0
        for j in range(1, d):
            if high[node, j] - low[node, j] > high[node, widest] - low[node, widest]:
                widest = j
        for place in range(first, last):
            keys[place] = points[rows[place], widest]
        sort_rows(keys, rows, first, last)
        nodes[2 * node + 1, 0], nodes[2 * node + 1, 1] = first, (first + last) // 2
        nodes[2 * node + 2, 0], nodes[2 * node + 2, 1] = (first + last) // 2, last
    return tree


@kernel
def take_out(row: int, tree: Any, points: Array) -> None:
    """Remove a point, and shrink the boxes around it to the points left."""
    rows, nodes, lowest, low, high, leaf_of, place_of = tree
    node = np.int64(leaf_of[row])
    last = nodes[node, 1] - 1
    other = rows[last]
    rows[place_of[row]], rows[last] = other, row
    place_of[other], place_of[row] = place_of[row], last
    nodes[node, 1] = last
    _fit(node, tree, points)
    while node > 0:
        node = (node - 1) // 2
        one, two = 2 * node + 1, 2 * node + 2
        lowest[node] = min(lowest[one], lowest[two])
        for j in range(points.shape[1]):
            low[node, j] = min(low[one, j], low[two, j])
            high[node, j] = max(high[one, j], high[two, j])


@kernel
def farthest(q: Array, tree: Any, points: Array, kinds: Array) -> int:
    """The row farthest from q among those in the tree, -1 when it is empty."""
    rows, nodes, lowest, low, high, _, _ = tree
    n, inner = len(points), len(nodes) // 2
    best, chosen = -1.0, -1
    waiting = np.empty(64, dtype=np.int32)
    bounds = np.empty(64)
    count = 1
    waiting[0], bounds[0] = 0, np.inf
    while count > 0:
        count -= 1
        node, bound = waiting[count], bounds[count]
        if lowest[node] == n or bound < best or (bound == best and lowest[node] > chosen):
            continue
        if node >= inner:
            for place in range(nodes[node, 0], nodes[node, 1]):
                row = rows[place]
                distance = between(q, points, row, kinds)
                if distance > best or (distance == best and row < chosen):
                    best, chosen = distance, row
            continue
        one, two = 2 * node + 1, 2 * node + 2
        reach_one = _most(q, low, high, one, kinds) if lowest[one] < n else -1.0
        reach_two = _most(q, low, high, two, kinds) if lowest[two] < n else -1.0
        if reach_one > reach_two:
            one, two, reach_one, reach_two = two, one, reach_two, reach_one
        waiting[count], bounds[count] = one, reach_one
        waiting[count + 1], bounds[count + 1] = two, reach_two
        count += 2
    return chosen


@kernel
def nearest(
    q: Array, number: int, tree: Any, points: Array, kinds: Array, found: Array, distances: Array
) -> int:
    """The rows nearest to q, nearest first, at most `number`, into `found`; gives how many there are."""
    rows, nodes, lowest, low, high, _, _ = tree
    n, inner = len(points), len(nodes) // 2
    held = 0
    waiting = np.empty(64, dtype=np.int32)
    bounds = np.empty(64)
    count = 1
    waiting[0], bounds[0] = 0, 0.0
    while count > 0:
        count -= 1
        node, bound = waiting[count], bounds[count]
        if lowest[node] == n:
            continue
        if held == number and (
            bound > distances[held - 1] or (bound == distances[held - 1] and lowest[node] > found[held - 1])
        ):
            continue
        if node >= inner:
            for place in range(nodes[node, 0], nodes[node, 1]):
                held = _keep(
                    rows[place], between(q, points, rows[place], kinds), number, held, found, distances
                )
            continue
        one, two = 2 * node + 1, 2 * node + 2
        gap_one = _least(q, low, high, one, kinds) if lowest[one] < n else np.inf
        gap_two = _least(q, low, high, two, kinds) if lowest[two] < n else np.inf
        if gap_one < gap_two:
            one, two, gap_one, gap_two = two, one, gap_two, gap_one
        waiting[count], bounds[count] = one, gap_one
        waiting[count + 1], bounds[count + 1] = two, gap_two
        count += 2
    return held


@kernel
def _keep(row: int, distance: float, number: int, held: int, found: Array, distances: Array) -> int:
    """Put a row where it belongs among the nearest so far."""
    if held == number:
        if distance > distances[held - 1] or (distance == distances[held - 1] and row > found[held - 1]):
            return held
        held -= 1
    place = held
    while place > 0 and (
        distances[place - 1] > distance or (distances[place - 1] == distance and found[place - 1] > row)
    ):
        found[place], distances[place] = found[place - 1], distances[place - 1]
        place -= 1
    found[place], distances[place] = row, distance
    return held + 1
