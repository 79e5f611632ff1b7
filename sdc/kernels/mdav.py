"""Groups of at least k records by maximum distance to average vector (MDAV)."""

from __future__ import annotations

from typing import Any

import numpy as np

from sdc.arrays import Array
from sdc.kernels.compiled import kernel
from sdc.kernels.point_tree import between, farthest, nearest, plant, sort_rows, take_out

SAFETY = 1e-9
"""Bounds are widened by this share, so that rounding never hides a record."""
PATIENCE = 8
"""The list of distances from the centre is computed again after walks of this many times its length."""


@kernel("f8[:, ::1], i1[::1], i8")
def mdav(points: Array, kinds: Array, k: int) -> Array:
    """The group of each row.

    While 3 k rows are left: the row farthest from the centre of those left with its k - 1 nearest is a group,
    and the row farthest from that row with its k - 1 nearest is another. With 2 k left, one more such group;
    the rest is the last. The centre has the mean of each coordinate, the mode of codes (the lowest of
    equals).
    """
    n, d = points.shape
    group = np.full(n, -1, dtype=np.int32)
    tree = plant(points)
    total, tally = _totals(points, kinds)
    centre, start = np.empty(d), np.empty(d)
    shells = (np.empty(n, dtype=np.int32), np.empty(n), np.empty((1, d)), np.zeros(3, dtype=np.int64))
    found, distances = np.empty(k, dtype=np.int32), np.empty(k)
    left, made, opposite = n, 0, False
    while left >= 2 * k:
        if opposite:
            row = farthest(start, tree, points, kinds)
        else:
            _centre(total, tally, left, kinds, centre)
            row = _outermost(centre, points, kinds, group, left, shells)
        opposite = not opposite and left >= 3 * k
        for j in range(d):
            start[j] = points[row, j]
        for place in range(k):
            if place == 1:
                nearest(start, k - 1, tree, points, kinds, found, distances)
            member = row if place == 0 else found[place - 1]
            group[member] = made
            _leave(member, tree, points, kinds, total, tally)
        left -= k
        made += 1
    for row in range(n):
        if group[row] < 0:
            group[row] = made
    return group


@kernel
def _totals(points: Array, kinds: Array) -> tuple[Array, Array]:
    """Sums of coordinates, and how often each code occurs."""
    n, d = points.shape
    levels = 1
    for j in range(d):
        if kinds[j] == 2:
            for row in range(n):
                levels = max(levels, int(points[row, j]) + 1)
    total = np.zeros(d)
    tally = np.zeros((d, levels), dtype=np.int64)
    for row in range(n):
        for j in range(d):
            if kinds[j] == 2:
                tally[j, np.int64(points[row, j])] += 1
            else:
                total[j] += points[row, j]
    return total, tally


@kernel
def _leave(row: int, tree: Any, points: Array, kinds: Array, total: Array, tally: Array) -> None:
    """Take a row out of the tree and out of the totals."""
    take_out(row, tree, points)
    for j in range(len(kinds)):
        if kinds[j] == 2:
            tally[j, np.int64(points[row, j])] -= 1
        else:
            total[j] -= points[row, j]


@kernel
def _centre(total: Array, tally: Array, left: int, kinds: Array, centre: Array) -> None:
    """The mean of each coordinate, the mode of codes, over the rows left."""
    for j in range(len(kinds)):
        if kinds[j] == 2:
            most = 0
            for level in range(1, tally.shape[1]):
                if tally[j, level] > tally[j, most]:
                    most = level
            centre[j] = most
        else:
            centre[j] = total[j] / left


@kernel
def _length(distance: float, kinds: Array) -> float:
    """A distance for which the triangle inequality holds."""
    return np.sqrt(distance) if kinds[0] == 0 else distance


@kernel
def _outermost(centre: Array, points: Array, kinds: Array, group: Array, left: int, shells: Any) -> int:
    """The row farthest from the centre of those left; of equals the lowest.

    The centre moves little. Rows are held in order of their distance from an earlier centre. No row is
    farther now than that distance plus the way the centre has moved, so the walk can end early.
    """
    order, radius, old, state = shells
    if state[1] == 0 or state[2] > PATIENCE * left:
        _list(centre, points, kinds, group, shells)
    while group[order[state[0]]] >= 0:
        state[0] += 1
    gone = _length(between(centre, old, 0, kinds), kinds)
    best, chosen, reach = -1.0, -1, -1.0
    for place in range(state[0], state[1]):
        state[2] += 1
        if (radius[place] + gone) * (1 + SAFETY) < reach:
            break
        row = order[place]
        if group[row] >= 0:
            continue
        distance = between(centre, points, row, kinds)
        if distance > best or (distance == best and row < chosen):
            best, chosen = distance, row
            reach = _length(best, kinds)
    return chosen


@kernel
def _list(centre: Array, points: Array, kinds: Array, group: Array, shells: Any) -> None:
    """List the rows left from the farthest to the nearest."""
    order, radius, old, state = shells
    count = 0
    for row in range(len(points)):
        if group[row] < 0:
            order[count] = row
            radius[count] = -_length(between(centre, points, row, kinds), kinds)
            count += 1
    sort_rows(radius, order, 0, count)
    for place in range(count):
        radius[place] = -radius[place]
    for j in range(len(centre)):
        old[0, j] = centre[j]
    state[0], state[1], state[2] = 0, count, 0
