"""Searches through a tree of boxes (`box_tree`): nearest records, ranks of distances, guesses, matches.

The records of a leaf are compared variable by variable, several at a time. The least distance of a box is
summed over the variables in the same order as distances are, so that rounding never hides a record.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sdc.arrays import Array
from sdc.kernels.box_tree import bit, select
from sdc.kernels.compiled import kernel

SPACE = "Tuple((i1[::1], f8[::1], boolean))"
"""Kinds of variables, their factors, and whether a missing value matches everything."""
TREE = "Tuple((f8[:, ::1], i8[:, ::1], f8[:, ::1], f8[:, ::1], u8[:, ::1], boolean[:, ::1]))"
"""Records in leaf order, nodes, and of each box the lowest and highest numbers, codes, and missing values."""

ROUNDING = 1e-9
"""Sums that differ by less than this share are equal."""


@kernel
def gap(
    query: float, kind: int, factor: float, wildcard: bool, low: float, high: float, codes: int, blank: bool
) -> float:
    """The least difference between a value and the values of a box, in one variable."""
    if kind == 2:
        if wildcard and (query < 0.5 or codes & np.uint64(1)):
            return 0.0
        return 0.0 if (codes >> np.uint64(bit(query))) & np.uint64(1) else 1.0
    if np.isnan(query):
        return 0.0 if wildcard or blank else 1.0
    if wildcard and blank:
        return 0.0
    away = (low - query if query < low else (query - high if query > high else 0.0)) * factor
    if kind == 0:
        away *= away
        return 1.0 if blank and away > 1.0 else away
    return min(away, 1.0)


@kernel
def least(query: Array, space: Any, tree: Any, node: int, first: int, end: int) -> float:
    """The least sum between a record and the records of a node, over the variables first..end."""
    kinds, factors, wildcard = space
    _, _, low, high, codes, blank = tree
    total = 0.0
    for j in range(first, end):
        total += gap(
            query[j],
            kinds[j],
            factors[j],
            wildcard,
            low[node, j],
            high[node, j],
            codes[node, j],
            blank[node, j],
        )
    return total


@kernel
def add(query: float, values: Array, kind: int, factor: float, wildcard: bool, sums: Array) -> None:
    """Add the differences of one variable to the sums of some records."""
    n = len(values)
    if kind == 2:
        if not wildcard:
            for i in range(n):
                sums[i] += 1.0 if values[i] != query else 0.0
        elif query > 0.5:
            for i in range(n):
                sums[i] += 1.0 if values[i] != query and values[i] > 0.5 else 0.0
    elif np.isnan(query):
        if not wildcard:
            for i in range(n):
                sums[i] += 1.0 if values[i] == values[i] else 0.0
    elif kind == 1:
        blank = 0.0 if wildcard else 1.0
        for i in range(n):
            away = min(abs(values[i] - query) * factor, 1.0)
            sums[i] += away if values[i] == values[i] else blank
    else:
        blank = 0.0 if wildcard else 1.0
        for i in range(n):
            away = (values[i] - query) * factor
            sums[i] += away * away if values[i] == values[i] else blank


@kernel
def compare(
    query: Array, space: Any, tree: Any, start: int, count: int, first: int, end: int, sums: Array
) -> None:
    """The sums, over the variables first..end, of `count` records in leaf order from `start` on."""
    kinds, factors, wildcard = space
    held = tree[0]
    for i in range(count):
        sums[i] = 0.0
    for j in range(first, end):
        add(query[j], held[j, start : start + count], kinds[j], factors[j], wildcard, sums[:count])


@kernel(f"f8[:, ::1], f8[:, ::1], {SPACE}, f8[::1]")
def sums_of_pairs(one: Array, other: Array, space: Any, sums: Array) -> None:
    """The sum for record i of one table and record i of another."""
    kinds, factors, wildcard = space
    for i in range(one.shape[1]):
        total = np.zeros(1)
        for j in range(len(kinds)):
            add(one[j, i], other[j, i : i + 1], kinds[j], factors[j], wildcard, total)
        sums[i] = total[0]


@kernel
def _push(
    query: Array, space: Any, tree: Any, node: int, limit: float, stack: Array, bounds: Array, count: int
) -> int:
    """Put the children of a node that come within the limit on the stack, the nearer one on top."""
    one = tree[1][node, 2]
    dimensions = len(query)
    near, far = (
        least(query, space, tree, one, 0, dimensions),
        least(query, space, tree, one + 1, 0, dimensions),
    )
    other = one + 1
    if far < near:
        one, other, near, far = other, one, far, near
    if far <= limit:
        stack[count], bounds[count] = other, far
        count += 1
    if near <= limit:
        stack[count], bounds[count] = one, near
        count += 1
    return count


@kernel(f"f8[:, ::1], i8, {SPACE}, {TREE}, i8, f8[:, ::1]")
def nearest(queries: Array, number: int, space: Any, tree: Any, depth: int, found: Array) -> None:
    """The `number` smallest sums of each query, ascending, into `found` (a row for each query)."""
    nodes = tree[1]
    dimensions = queries.shape[1]
    stack, bounds = np.empty(depth + 2, dtype=np.int64), np.empty(depth + 2)
    sums = np.empty(_largest_leaf(nodes))
    for i in range(queries.shape[0]):
        query, best = queries[i], found[i]
        for place in range(number):
            best[place] = np.inf
        stack[0], bounds[0], count = 0, 0.0, 1
        while count > 0:
            count -= 1
            node = stack[count]
            if bounds[count] >= best[number - 1]:
                continue
            if nodes[node, 2] >= 0:
                count = _push(query, space, tree, node, best[number - 1], stack, bounds, count)
                continue
            start, size = nodes[node, 0], nodes[node, 1] - nodes[node, 0]
            equal = nodes[node, 2] == -2
            rows = 1 if equal else size
            compare(query, space, tree, start, rows, 0, dimensions, sums)
            for row in range(rows):
                for _ in range(min(size, number) if equal else 1):
                    if sums[row] >= best[number - 1]:
                        break
                    place = number - 1
                    while place > 0 and best[place - 1] > sums[row]:
                        best[place] = best[place - 1]
                        place -= 1
                    best[place] = sums[row]


@kernel
def _largest_leaf(nodes: Array) -> int:
    largest = 1
    for node in range(len(nodes)):
        if nodes[node, 2] == -1:
            largest = max(largest, nodes[node, 1] - nodes[node, 0])
    return largest


@kernel(f"f8[:, ::1], f8[::1], i8, {SPACE}, {TREE}, i8, i8[::1], i8[::1]")
def ranks(
    queries: Array, own: Array, enough: int, space: Any, tree: Any, depth: int, nearer: Array, as_near: Array
) -> None:
    """Count the records nearer to each query than `own`, up to `enough`, and those as near."""
    nodes = tree[1]
    dimensions = queries.shape[1]
    stack, bounds = np.empty(depth + 2, dtype=np.int64), np.empty(depth + 2)
    sums = np.empty(_largest_leaf(nodes))
    for i in range(queries.shape[0]):
        query, below, limit = queries[i], own[i] * (1 - ROUNDING), own[i] * (1 + ROUNDING)
        nearer[i], as_near[i] = 0, 0
        stack[0], bounds[0], count = 0, 0.0, 1
        while count > 0 and nearer[i] < enough:
            count -= 1
            node = stack[count]
            if nodes[node, 2] >= 0:
                count = _push(query, space, tree, node, limit, stack, bounds, count)
                continue
            start, size = nodes[node, 0], nodes[node, 1] - nodes[node, 0]
            equal = nodes[node, 2] == -2
            rows = 1 if equal else size
            compare(query, space, tree, start, rows, 0, dimensions, sums)
            for row in range(rows):
                if sums[row] < below:
                    nearer[i] += size if equal else 1
                elif sums[row] <= limit:
                    as_near[i] += size if equal else 1


@kernel(f"f8[:, ::1], f8[::1], f8[::1], i8, {SPACE}, {TREE}, i8, f8[::1]")
def guesses(
    queries: Array,
    radius: Array,
    target: Array,
    levels: int,
    space: Any,
    tree: Any,
    depth: int,
    guessed: Array,
) -> None:
    """The target (given in leaf order) of the records within the radius of each query.

    Of codes the most frequent, the lowest of equals; of numbers (`levels` 0) the median, the lower of two.
    """
    nodes = tree[1]
    dimensions = queries.shape[1]
    stack, bounds = np.empty(depth + 2, dtype=np.int64), np.empty(depth + 2)
    sums = np.empty(_largest_leaf(nodes))
    tally, taken = np.zeros(max(levels, 1), dtype=np.int64), np.empty(len(target) if levels == 0 else 1)
    for i in range(queries.shape[0]):
        query, limit = queries[i], radius[i] * (1 + ROUNDING)
        for level in range(levels):
            tally[level] = 0
        held = 0
        stack[0], bounds[0], count = 0, 0.0, 1
        while count > 0:
            count -= 1
            node = stack[count]
            if nodes[node, 2] >= 0:
                count = _push(query, space, tree, node, limit, stack, bounds, count)
                continue
            start, size = nodes[node, 0], nodes[node, 1] - nodes[node, 0]
            equal = nodes[node, 2] == -2
            compare(query, space, tree, start, 1 if equal else size, 0, dimensions, sums)
            for row in range(size):
                if sums[0 if equal else row] > limit:
                    continue
                if levels:
                    tally[np.int64(target[start + row])] += 1
                else:
                    taken[held] = target[start + row]
                    held += 1
        guessed[i] = _most_frequent(tally) if levels else select(taken, 0, held, (held - 1) // 2)


@kernel
def _most_frequent(tally: Array) -> Any:
    most = 0
    for level in range(len(tally)):
        if tally[level] > tally[most]:
            most = level
    return most


@kernel(f"f8[:, ::1], i8, f8[:, ::1], {SPACE}, {TREE}, i8, boolean[::1]")
def meet(queries: Array, split: int, radius: Array, space: Any, tree: Any, depth: int, met: Array) -> None:
    """Is a record within the first radius on the variables before `split` and the second on the others?"""
    nodes = tree[1]
    dimensions = queries.shape[1]
    stack = np.empty(2 * depth + 2, dtype=np.int64)
    sums, others = np.empty(_largest_leaf(nodes)), np.empty(_largest_leaf(nodes))
    for i in range(queries.shape[0]):
        query, first, second = queries[i], radius[i, 0] * (1 + ROUNDING), radius[i, 1] * (1 + ROUNDING)
        met[i] = False
        stack[0], count = 0, 1
        while count > 0 and not met[i]:
            count -= 1
            node = stack[count]
            if (
                least(query, space, tree, node, 0, split) > first
                or least(query, space, tree, node, split, dimensions) > second
            ):
                continue
            if nodes[node, 2] >= 0:
                stack[count], stack[count + 1] = nodes[node, 2] + 1, nodes[node, 2]
                count += 2
                continue
            start = nodes[node, 0]
            rows = 1 if nodes[node, 2] == -2 else nodes[node, 1] - start
            compare(query, space, tree, start, rows, 0, split, sums)
            compare(query, space, tree, start, rows, split, dimensions, others)
            for row in range(rows):
                if sums[row] <= first and others[row] <= second:
                    met[i] = True
