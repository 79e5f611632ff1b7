"""A tree of boxes over records of numbers and codes.

A box has, for each variable, the lowest and highest number, a set of codes (as 64 bits, codes beyond them
share one), and whether a value is missing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sdc.arrays import Array
from sdc.kernels.compiled import kernel

LEAF = 48
"""Nodes of at most so many records are not cut."""
BINS = 64
"""Bits of a set of codes."""
SLIGHT = 1e-300
"""The spread of values that differ by less than a number can show."""


@kernel
def bit(code: float) -> Any:
    """The place of a code among the bits of a box: missing has one of its own."""
    return 0 if code < 0.5 else 1 + (np.int64(code) - 1) % (BINS - 1)


@kernel("f8[:, ::1], i1[::1], f8[::1], i8[::1], i8[:, ::1]")
def plant(points: Array, kinds: Array, factors: Array, rows: Array, nodes: Array) -> Any:
    """Put rows into leaf order and write down the nodes; give their number and the depth of the tree.

    A node has its first place, its end, its left child (-1 for a leaf, -2 where all its records are equal)
    and its depth. The right child follows the left. A node is cut at the median of the variable that spreads
    its records most. `nodes` has room for two nodes a record.
    """
    taken, above = np.empty(len(rows)), np.empty_like(rows)
    nodes[0, 0], nodes[0, 1], nodes[0, 2], nodes[0, 3] = 0, len(rows), -1, 0
    count, node, deepest = 1, 0, 0
    while node < count:
        first, end, depth = nodes[node, 0], nodes[node, 1], nodes[node, 3]
        deepest = max(deepest, depth)
        cut = _widest(points, kinds, factors, rows, first, end)
        if cut < 0:
            nodes[node, 2] = -2
        elif end - first > LEAF:
            middle = _cut(points[cut], rows, first, end, taken, above)
            nodes[node, 2] = count
            for child in range(2):
                nodes[count, 0] = middle if child else first
                nodes[count, 1] = end if child else middle
                nodes[count, 2], nodes[count, 3] = -1, depth + 1
                count += 1
        node += 1
    return count, deepest


@kernel
def _widest(points: Array, kinds: Array, factors: Array, rows: Array, first: int, end: int) -> Any:
    """The variable that spreads the records most, -1 where they are all equal."""
    widest, most = -1, 0.0
    for j in range(len(kinds)):
        values = points[j]
        spread = (
            _code_spread(values, rows, first, end)
            if kinds[j] == 2
            else _number_spread(values, rows, first, end, factors[j])
        )
        if spread == 0.0 and _differ(values, rows, first, end):
            spread = SLIGHT
        if spread > most:
            widest, most = j, spread
    return widest


@kernel
def _differ(values: Array, rows: Array, first: int, end: int) -> bool:
    some = values[rows[first]]
    for place in range(first, end):
        value = values[rows[place]]
        same = value == some or (np.isnan(value) and np.isnan(some))
        if not same:
            return True
    return False


@kernel
def _code_spread(values: Array, rows: Array, first: int, end: int) -> float:
    """The probability that two records differ."""
    tally = np.zeros(BINS)
    for place in range(first, end):
        tally[bit(values[rows[place]])] += 1.0
    same = 0.0
    for count in tally:
        same += (count / (end - first)) ** 2
    return max(1.0 - same, 0.0)


@kernel
def _number_spread(values: Array, rows: Array, first: int, end: int, factor: float) -> float:
    """The mean absolute deviation, scaled, and the probability that only the first of two is missing."""
    total, observed, low, high = 0.0, 0, np.inf, -np.inf
    for place in range(first, end):
        value = values[rows[place]]
        if not np.isnan(value):
            total += value
            observed += 1
            low, high = min(low, value), max(high, value)
    share = observed / (end - first)
    if low >= high:
        return share * (1 - share)
    mean, deviation = total / observed, 0.0
    for place in range(first, end):
        if not np.isnan(values[rows[place]]):
            deviation += abs(values[rows[place]] - mean)
    return deviation / observed * factor + share * (1 - share)


@kernel
def _cut(values: Array, rows: Array, first: int, end: int, taken: Array, above: Array) -> Any:
    """Put the rows with values below the median first, and give the place where the others begin.

    Where the median is the lowest value, those at the median come first. Missing values come last.
    """
    lowest = np.inf
    for place in range(first, end):
        value = values[rows[place]]
        taken[place] = np.inf if np.isnan(value) else value
        lowest = min(lowest, taken[place])
    pivot = select(taken, first, end, (first + end) // 2)
    left, right = first, 0
    for place in range(first, end):
        row = rows[place]
        value = np.inf if np.isnan(values[row]) else values[row]
        if value < pivot or (lowest == pivot and value == pivot):
            rows[left] = row
            left += 1
        else:
            above[right] = row
            right += 1
    for place in range(right):
        rows[left + place] = above[place]
    return left


@kernel
def select(taken: Array, first: int, end: int, wanted: int) -> float:
    """The value that a sorted array would have at the place wanted (Hoare's selection).

    Only the part from `first` to `end` is looked at, and its order is lost.
    """
    low, high = first, end - 1
    while low < high:
        pivot = taken[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while taken[i] < pivot:
                i += 1
            while taken[j] > pivot:
                j -= 1
            if i <= j:
                taken[i], taken[j] = taken[j], taken[i]
                i += 1
                j -= 1
        if wanted <= j:
            high = j
        elif wanted >= i:
            low = i
        else:
            break
    return taken[wanted]


@kernel("f8[:, ::1], i1[::1], i8[::1], i8[:, ::1], f8[:, ::1], f8[:, ::1], u8[:, ::1], boolean[:, ::1]")
def enclose(
    points: Array,
    kinds: Array,
    rows: Array,
    nodes: Array,
    low: Array,
    high: Array,
    codes: Array,
    blank: Array,
) -> None:
    """Draw the boxes, which are given empty, from the leaves up."""
    for node in range(len(nodes) - 1, -1, -1):
        left = nodes[node, 2]
        for j in range(len(kinds)):
            if left >= 0:
                low[node, j], high[node, j] = (
                    min(low[left, j], low[left + 1, j]),
                    max(high[left, j], high[left + 1, j]),
                )
                codes[node, j], blank[node, j] = (
                    codes[left, j] | codes[left + 1, j],
                    blank[left, j] or blank[left + 1, j],
                )
                continue
            for place in range(nodes[node, 0], nodes[node, 1]):
                value = points[j, rows[place]]
                if kinds[j] == 2:
                    codes[node, j] |= np.uint64(1) << np.uint64(bit(value))
                elif np.isnan(value):
                    blank[node, j] = True
                else:
                    low[node, j], high[node, j] = min(low[node, j], value), max(high[node, j], value)
