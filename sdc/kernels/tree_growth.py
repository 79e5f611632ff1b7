"""A classification tree grown by Gini impurity on coded columns.

All that a node needs is kept together and moves with its records, so that memory is read in sequence. A
branch is finished before the next one is begun, so that small ones stay in the cache of the processor.
"""

from __future__ import annotations

import numpy as np

from sdc.kernels.compiled import kernel
from sdc.kernels.tree_cuts import best_cut, room_for_cuts

FIRST = 4096
"""Nodes that there is room for at first."""


@kernel
def _cost(counts, n, by_errors):
    """The records that a node labels wrongly, or its Gini impurity times its records."""
    squares, most = 0.0, 0
    for k in range(counts.size):
        squares += float(counts[k]) * float(counts[k])
        most = max(most, counts[k])
    return float(n - most) if by_errors else n - squares / n


@kernel
def _send(goes_left, record, left):
    """Note in one bit which way a record goes: a million of them fit into the cache of a processor."""
    bit = np.uint8(1 << (record & 7))
    goes_left[record >> 3] = goes_left[record >> 3] | bit if left else goes_left[record >> 3] & ~bit


@kernel
def _sent_left(goes_left, record):
    return np.int64(goes_left[record >> 3] >> (record & 7) & 1)


@kernel
def _mark(records, codes, cut, left_level, by_level, goes_left):
    """Note which records a cut sends left, by their code or by the side of their level."""
    for i in range(records.size):
        _send(goes_left, records[i], left_level[codes[i]] if by_level else codes[i] <= cut)


@kernel
def _mark_sorted(words, shape, cut, goes_left):
    mask = (1 << shape[1]) - 1
    for i in range(words.size):
        _send(goes_left, words[i] >> shape[0] & mask, words[i] >> shape[0] + shape[1] <= cut)


@kernel
def _divide_sorted(words, shape, goes_left, spare):
    """Put the records that go left first; each side keeps its order."""
    kept, mask = 0, (1 << shape[1]) - 1
    for i in range(words.size):
        word = words[i]
        words[kept] = word
        spare[i - kept] = word
        kept += _sent_left(goes_left, word >> shape[0] & mask)
    for i in range(words.size - kept):
        words[kept + i] = spare[i]


@kernel
def _misplaced(records, goes_left, out, back):
    """Find places to swap so that the records that go left come first; give their number and that of swaps.

    `out` has the places of records that must leave the left side, `back` those that must come to it.
    """
    kept, swaps, found = 0, 0, 0
    for i in range(records.size):
        kept += _sent_left(goes_left, records[i])
    for i in range(kept):
        out[swaps] = i
        swaps += 1 - _sent_left(goes_left, records[i])
    for i in range(kept, records.size):
        back[found] = i
        found += _sent_left(goes_left, records[i])
    return kept, swaps


@kernel
def _swap(values, out, back, swaps):
    for i in range(swaps):
        values[out[i]], values[back[i]] = values[back[i]], values[out[i]]


@kernel
def _move(records, own_labels, counted, words, shape, by, low, high, goes_left, out, back):
    """Divide the columns of a node, but for the sorted one it is cut by, which is in order already.

    Gives the number of records that go left. Columns that are only counted may come in any order, so values
    are swapped there, which moves few of them where few records go to one side.
    """
    kept, swaps = _misplaced(records[low:high], goes_left, out, back)
    _swap(records[low:high], out, back, swaps)
    _swap(own_labels[low:high], out, back, swaps)
    for f in range(counted.shape[0]):
        _swap(counted[f, low:high], out, back, swaps)
    for o in range(words.shape[0]):
        if o != by:
            _divide_sorted(words[o, low:high], shape, goes_left, out)
    return kept


@kernel
def _laid_out(codes, labels, sorted_words, order_of, shape):
    """Sorted columns as words (code, record, label), the others as they are, and the row of each column."""
    n = codes.shape[1]
    row_of, held, mask = order_of.copy(), 0, (1 << shape[1]) - 1
    words, counted = (
        np.empty_like(sorted_words),
        np.empty((codes.shape[0] - sorted_words.shape[0], n), dtype=np.int32),
    )
    for f in range(order_of.size):
        o = order_of[f]
        if o < 0:
            row_of[f], counted[held] = held, codes[f]
            held += 1
            continue
        for i in range(n):
            words[o, i] = sorted_words[o, i] << shape[0] | labels[sorted_words[o, i] & mask]
    return words, counted, row_of


@kernel
def _doubled(table, value):
    """A table with twice the rows, the new ones filled with a value."""
    return np.concatenate((table, np.full_like(table, value)))


@kernel(
    "i4[:, ::1], i8[::1], boolean[::1], i8[:, ::1], i8[::1], i4[::1], i8, UniTuple(i8, 2), "
    "i8, i8, f8, boolean, i8",
)
def grow(
    codes,
    sizes,
    categorical,
    sorted_words,
    order_of,
    labels,
    label_count,
    shape,
    least_split,
    least_leaf,
    enough,
    by_errors,
    deepest,
):
    """Grow a tree: its nodes, their label counts, the left levels of category cuts, and each record's leaf.

    A node has its parent, first child, second child, column and cut; children follow their parents. `codes`
    has a row for each column; `sorted_words[order_of[f]]` has code and record, in order, of column f where
    order_of[f] >= 0; other columns are counted level by level. `shape` has the binary digits of a label and
    of a record. For a category the cut is the place in `left_levels` where its levels begin. A node whose
    cost (errors or impurity) is at most `enough` is not split.
    """
    columns, n = codes.shape
    tree, counts, span = (
        np.full((FIRST, 5), -1),
        np.zeros((FIRST, label_count), dtype=np.int64),
        np.zeros((FIRST, 3), dtype=np.int64),
    )
    widest = 1
    for f in range(columns):
        widest = max(widest, sizes[f] if order_of[f] < 0 else 1)
    left_levels, used = np.zeros(4 * widest, dtype=np.bool_), 0
    records, own_labels, leaf = np.arange(n).astype(np.int32), labels.copy(), np.zeros(n, dtype=np.int64)
    words, counted, row_of = _laid_out(codes, labels, sorted_words, order_of, shape)
    goes_left, out, back = (
        np.zeros(n // 8 + 1, dtype=np.uint8),
        np.zeros(n, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
    )
    room, chosen = room_for_cuts(widest, label_count), np.zeros(widest, dtype=np.int64)
    kinds = (sizes, categorical, order_of, row_of)
    for i in range(n):
        counts[0, labels[i]] += 1
    span[0, 1] = n
    nodes, waiting, last = 1, np.zeros(2 * deepest + 2, dtype=np.int64), 0
    while last >= 0:
        node, last = waiting[last], last - 1
        low, high, depth = span[node]
        size, totals = high - low, counts[node]
        column, cut = -1, -1
        if (
            size >= max(least_split, 2 * least_leaf)
            and depth < deepest
            and _cost(totals, size, by_errors) > enough
        ):
            column, cut = best_cut(
                low, high, totals, (words, counted, own_labels), kinds, shape, least_leaf, room, chosen
            )
        if column < 0:
            for i in range(low, high):
                leaf[records[i]] = node
            continue
        if categorical[column]:
            while used + sizes[column] > left_levels.size:
                left_levels = np.concatenate((left_levels, np.zeros_like(left_levels)))
            for place in range(cut + 1):
                left_levels[used + chosen[place]] = True
            cut, used = used, used + sizes[column]
        by_level, at = categorical[column], row_of[column]
        if order_of[column] >= 0:
            _mark_sorted(words[at, low:high], shape, cut, goes_left)
        else:
            _mark(
                records[low:high],
                counted[at, low:high],
                cut,
                left_levels[cut:] if by_level else left_levels,
                by_level,
                goes_left,
            )
        border = low + _move(
            records, own_labels, counted, words, shape, order_of[column], low, high, goes_left, out, back
        )
        if nodes + 2 > tree.shape[0]:
            tree, counts, span = _doubled(tree, -1), _doubled(counts, 0), _doubled(span, 0)
        tree[node, 1], tree[node, 2], tree[node, 3], tree[node, 4] = nodes, nodes + 1, column, cut
        for child in range(nodes, nodes + 2):
            tree[child, 0] = node
            first = child == nodes
            span[child, 0], span[child, 1], span[child, 2] = (
                (low if first else border),
                (border if first else high),
                depth + 1,
            )
            for i in range(span[child, 0], span[child, 1]):
                counts[child, own_labels[i]] += 1
        waiting[last + 1], waiting[last + 2], last = nodes + 1, nodes, last + 2
        nodes += 2
    return tree[:nodes].copy(), counts[:nodes].copy(), left_levels[:used].copy(), leaf
