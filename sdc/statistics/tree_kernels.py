"""A classification tree grown by Gini impurity on coded columns, compiled; a cut without gain is told on whole numbers."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def _gain(left, totals, size, n):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Decrease of impurity by a cut with these label counts on its left; exactly 0 where both sides have equal shares."""
    gain = 0.0
    for k in range(totals.size):
        gap = float(left[k] * n - totals[k] * size)
        gain += gap * gap
    return gain / (float(size) * float(n - size) * float(n))


@njit(cache=True, nogil=True)
def _cut_sorted(codes, labels, totals, least, left):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Best gain of a cut between two values along records sorted by their code, and the last code of its left side."""
    n = codes.size
    for k in range(left.size):
        left[k] = 0
    best, cut = 0.0, -1
    for i in range(n - least):
        left[labels[i]] += 1
        if i + 1 < least or codes[i] == codes[i + 1]:
            continue
        gain = _gain(left, totals, i + 1, n)
        if gain > best:
            best, cut = gain, codes[i]
    return best, cut


@njit(cache=True, nogil=True)
def _cut_levels(sequence, levels, counts, totals, least, n, left):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """The same along levels in a sequence, from their label counts: the place in the sequence where the left side ends."""
    for k in range(left.size):
        left[k] = 0
    best, cut, size = 0.0, -1, 0
    for place in range(levels - 1):
        level = sequence[place]
        before = size
        for k in range(totals.size):
            left[k] += counts[level, k]
            size += counts[level, k]
        if size == before or size < least or n - size < least:
            continue
        gain = _gain(left, totals, size, n)
        if gain > best:
            best, cut = gain, place
    return best, cut


@njit(cache=True, nogil=True)
def _sequence(sequence, share, counts, levels, label, categorical):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Levels that occur, in their own order or, for categories, by the share of one label: for two labels the best cut is along it."""
    held = 0
    for level in range(levels):
        size = 0
        for k in range(counts.shape[1]):
            size += counts[level, k]
        if size == 0:
            continue
        share[level] = counts[level, label] / size
        back = held
        while categorical and back > 0 and share[sequence[back - 1]] > share[level]:
            sequence[back] = sequence[back - 1]
            back -= 1
        sequence[back] = level
        held += 1
    return held


@njit(cache=True, nogil=True)
def _divide(values, goes_left, spare):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Values that go left first, both sides in the order they had; how many go left."""
    kept, moved = 0, 0
    for i in range(values.size):
        if goes_left[i]:
            values[kept] = values[i]
            kept += 1
        else:
            spare[moved] = values[i]
            moved += 1
    for i in range(moved):
        values[kept + i] = spare[i]
    return kept


@njit(cache=True, nogil=True)
def _count(codes, labels, held, levels):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for level in range(levels):
        for k in range(held.shape[1]):
            held[level, k] = 0
    for i in range(codes.size):
        held[codes[i], labels[i]] += 1


@njit(cache=True, nogil=True)
def _commonest(counts):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    best = 0
    for k in range(1, counts.size):
        if counts[k] > counts[best]:
            best = k
    return best


@njit(cache=True, nogil=True)
def _impurity(counts, n):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    squares = 0.0
    for k in range(counts.size):
        squares += float(counts[k]) * float(counts[k])
    return n - squares / n


@njit(cache=True, nogil=True)
def _mark(records, codes, cut, left_level, by_level, goes_left):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Which records a cut sends left: by their code, or by the side of their level."""
    for i in range(records.size):
        goes_left[records[i]] = left_level[codes[i]] if by_level else codes[i] <= cut


@njit(cache=True, nogil=True)
def _move(records, base_labels, row, own_codes, own_labels, order_of, low, high, goes_left, side, spare):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Divide everything a node holds; how many records go left."""
    kept = 0
    for o in range(-1, row.shape[0]):
        moving = records[low:high] if o < 0 else row[o, low:high]
        for i in range(moving.size):
            side[i] = goes_left[moving[i]]
        kept = _divide(moving, side, spare)
        if o < 0:
            _divide(base_labels[low:high], side, spare)
        for f in range(order_of.size):
            if order_of[f] == o:
                _divide(own_codes[f, low:high], side, spare)
                if o >= 0:
                    _divide(own_labels[f, low:high], side, spare)
    return kept


@njit(cache=True, nogil=True)
def _take(values, places):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    taken = np.empty(places.size, dtype=np.int32)
    for i in range(places.size):
        taken[i] = values[places[i]]
    return taken


@njit(cache=True, nogil=True)
def grow(codes, sizes, categorical, orders, order_of, labels, label_count, least_split, least_leaf, enough, deepest):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201, PLR0915
    """Nodes (parent, first child, second child, column, cut), their label counts, the left levels of category cuts, each record's leaf.

    `codes` has a row for each column; `orders[order_of[f]]` are the records sorted by column f where order_of[f] >= 0,
    other columns are counted level by level. For a category the cut is the place in `left_levels` where its levels
    begin. A node whose impurity is at most `enough` is not split. Children follow their parents. All that a node needs
    is kept together and moves with its records, so that memory is read in sequence.
    """
    columns, n = codes.shape
    most = 2 * (n // least_leaf) + 3
    tree, counts, span = np.full((most, 5), -1), np.zeros((most, label_count), dtype=np.int64), np.zeros((most, 3), dtype=np.int64)
    widest = 1
    for f in range(columns):
        widest = max(widest, sizes[f] if order_of[f] < 0 else 1)
    left_levels, used = np.zeros(4 * widest, dtype=np.bool_), 0
    records = np.arange(n).astype(np.int32)
    row, own_labels, leaf = orders.copy(), np.empty((columns, n), dtype=np.int32), np.zeros(n, dtype=np.int64)
    own_codes = np.empty((columns, n), dtype=np.int32)
    for f in range(columns):
        places = orders[order_of[f]] if order_of[f] >= 0 else records
        own_codes[f], own_labels[f] = _take(codes[f], places), _take(labels, places)
    base_labels = _take(labels, records)
    goes_left, side, spare = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.int32)
    held, left = np.zeros((widest, label_count), dtype=np.int64), np.zeros(label_count, dtype=np.int64)
    sequence, chosen, share = np.zeros(widest, dtype=np.int64), np.zeros(widest, dtype=np.int64), np.zeros(widest)
    for i in range(n):
        counts[0, labels[i]] += 1
    span[0, 1] = n
    node, nodes = 0, 1
    while node < nodes:
        low, high, depth = span[node]
        size, totals = high - low, counts[node]
        for i in range(low, high):
            leaf[records[i]] = node
        best, column, cut = 0.0, -1, -1
        if size >= max(least_split, 2 * least_leaf) and depth < deepest and _impurity(totals, size) > enough:
            for f in range(columns):
                if order_of[f] >= 0:
                    gain, where = _cut_sorted(own_codes[f, low:high], own_labels[f, low:high], totals, least_leaf, left)
                else:
                    _count(own_codes[f, low:high], base_labels[low:high], held, sizes[f])
                    present = _sequence(sequence, share, held, sizes[f], _commonest(totals), categorical[f])
                    gain, place = _cut_levels(sequence, present, held, totals, least_leaf, size, left)
                    where = place if categorical[f] or place < 0 else sequence[place]
                if gain > best:
                    best, column, cut = gain, f, where
                    for place in range(where + 1 if categorical[f] else 0):
                        chosen[place] = sequence[place]
        if column >= 0:
            if categorical[column]:
                while used + sizes[column] > left_levels.size:
                    left_levels = np.concatenate((left_levels, np.zeros_like(left_levels)))
                for place in range(cut + 1):
                    left_levels[used + chosen[place]] = True
                cut, used = used, used + sizes[column]
            by = row[order_of[column], low:high] if order_of[column] >= 0 else records[low:high]
            _mark(by, own_codes[column, low:high], cut, left_levels[cut:] if categorical[column] else left_levels, categorical[column], goes_left)
            border = low + _move(records, base_labels, row, own_codes, own_labels, order_of, low, high, goes_left, side, spare)
            tree[node, 1], tree[node, 2], tree[node, 3], tree[node, 4] = nodes, nodes + 1, column, cut
            for child in range(nodes, nodes + 2):
                tree[child, 0] = node
                first = child == nodes
                span[child, 0], span[child, 1], span[child, 2] = (low if first else border), (border if first else high), depth + 1
                for i in range(span[child, 0], span[child, 1]):
                    counts[child, base_labels[i]] += 1
            nodes += 2
        node += 1
    return tree[:nodes].copy(), counts[:nodes].copy(), left_levels[:used].copy(), leaf


@njit(cache=True, nogil=True)
def route(tree, left_levels, open_nodes, codes, categorical):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """The node at which each record of `codes` ends when only open nodes are split."""
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
