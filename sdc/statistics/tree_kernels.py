"""A classification tree grown by Gini impurity on coded columns, compiled; a cut without gain is told on whole numbers."""

from __future__ import annotations

import numpy as np
from numba import njit

BLOCK = 128
MANY = 20_000
FIRST = 4096
"""Nodes there is room for at first."""


@njit(cache=True, nogil=True)
def _gain(left, totals, size, n):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Decrease of impurity by a cut with these label counts on its left; exactly 0 where both sides have equal shares."""
    gain = 0.0
    for k in range(totals.size):
        gap = float(left[k] * n - totals[k] * size)
        gain += gap * gap
    return gain / (float(size) * float(n - size) * float(n))


@njit(cache=True, nogil=True)
def _gain_within(before, after, totals, first, last, n):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """What no cut between two places can gain more than, from the label counts up to each: what lies between may come in any order."""
    most = 0.0
    for k in range(totals.size):
        gap = max(abs(float(before[k] * n - totals[k] * last)), abs(float(after[k] * n - totals[k] * first)))
        most += gap * gap
    return most / (min(float(first) * float(n - first), float(last) * float(n - last)) * float(n))


@njit(cache=True, nogil=True)
def _cut_block(words, shape, totals, least, left, start, end, best, cut):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """The better of the best cut so far and those within a block; sums of squares tell up to rounding which may be better."""
    n = words.size
    below, above, squares = 0, 0, 0
    for k in range(left.size):
        below += left[k] * left[k]
        above += (totals[k] - left[k]) * (totals[k] - left[k])
        squares += totals[k] * totals[k]
    level = squares / n - 1e-12 * n
    label_mask, behind = (1 << shape[0]) - 1, shape[0] + shape[1]
    for i in range(start, end):
        label = words[i] & label_mask
        held = left[label]
        left[label] = held + 1
        below += 2 * held + 1
        above -= 2 * (totals[label] - held) - 1
        if i + 1 < least or words[i] >> behind == words[i + 1] >> behind:
            continue
        size, rest = float(i + 1), float(n - i - 1)
        if below * rest + above * size < (level + best) * size * rest:
            continue
        gain = _gain(left, totals, i + 1, n)
        if gain > best:
            best, cut = gain, words[i] >> behind
    return best, cut


@njit(cache=True, nogil=True)
def _cut_sorted(words, shape, totals, least, left, ahead):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Best gain of a cut between two values along records sorted by code, and the last code of its left side.

    Among many records blocks where no cut can be better than the best so far are passed over.
    """
    n = words.size
    for k in range(left.size):
        left[k], ahead[k] = 0, 0
    if n < MANY:
        return _cut_block(words, shape, totals, least, left, 0, n - least, 0.0, np.int64(-1))
    best, cut, start, label_mask = 0.0, np.int64(-1), 0, (1 << shape[0]) - 1
    while start < n - least:
        end = min(start + BLOCK, n - least)
        for i in range(start, end):
            ahead[words[i] & label_mask] += 1
        first = max(start + 1, least)
        if end >= first and _gain_within(left, ahead, totals, first, end, n) > best:
            best, cut = _cut_block(words, shape, totals, least, left, start, end, best, cut)
        for k in range(left.size):
            left[k] = ahead[k]
        start = end
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
def _count(codes, labels, held, levels):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for level in range(levels):
        for k in range(held.shape[1]):
            held[level, k] = 0
    for i in range(codes.size):
        held[codes[i], labels[i]] += 1


@njit(cache=True, nogil=True)
def _impurity(counts, n):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    squares = 0.0
    for k in range(counts.size):
        squares += float(counts[k]) * float(counts[k])
    return n - squares / n


@njit(cache=True, nogil=True)
def _send(goes_left, record, left):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Note which way a record goes, in one bit: those of a million records stay in the processor's own memory."""
    bit = np.uint8(1 << (record & 7))
    goes_left[record >> 3] = goes_left[record >> 3] | bit if left else goes_left[record >> 3] & ~bit


@njit(cache=True, nogil=True)
def _sent_left(goes_left, record):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    return np.int64(goes_left[record >> 3] >> (record & 7) & 1)


@njit(cache=True, nogil=True)
def _mark(records, codes, cut, left_level, by_level, goes_left):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Which records a cut sends left: by their code, or by the side of their level."""
    for i in range(records.size):
        _send(goes_left, records[i], left_level[codes[i]] if by_level else codes[i] <= cut)


@njit(cache=True, nogil=True)
def _mark_sorted(words, shape, cut, goes_left):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    mask = (1 << shape[1]) - 1
    for i in range(words.size):
        _send(goes_left, words[i] >> shape[0] & mask, words[i] >> shape[0] + shape[1] <= cut)


@njit(cache=True, nogil=True)
def _divide_sorted(words, shape, goes_left, spare):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Records that go left first, each side in its order."""
    kept, mask = 0, (1 << shape[1]) - 1
    for i in range(words.size):
        word = words[i]
        words[kept] = word
        spare[i - kept] = word
        kept += _sent_left(goes_left, word >> shape[0] & mask)
    for i in range(words.size - kept):
        words[kept + i] = spare[i]


@njit(cache=True, nogil=True)
def _misplaced(records, goes_left, out, back):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """How many records go left, which places before there hold one that does not, and which behind hold one that does."""
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


@njit(cache=True, nogil=True)
def _swap(values, out, back, swaps):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    for i in range(swaps):
        values[out[i]], values[back[i]] = values[back[i]], values[out[i]]


@njit(cache=True, nogil=True)
def _move(records, own_labels, counted, words, shape, by, low, high, goes_left, out, back):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Divide everything a node holds but the sorted column it is cut by, which is divided already; how many records go left.

    What is only counted may come in any order, so few values move where few records part from the others.
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


@njit(cache=True, nogil=True)
def _laid_out(codes, labels, sorted_words, order_of, shape):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Columns with an order as words (code, record, label) in that order; the others as they are; each column's row among its kind."""
    n = codes.shape[1]
    row_of, held, mask = order_of.copy(), 0, (1 << shape[1]) - 1
    words, counted = np.empty_like(sorted_words), np.empty((codes.shape[0] - sorted_words.shape[0], n), dtype=np.int32)
    for f in range(order_of.size):
        o = order_of[f]
        if o < 0:
            row_of[f], counted[held] = held, codes[f]
            held += 1
            continue
        for i in range(n):
            words[o, i] = sorted_words[o, i] << shape[0] | labels[sorted_words[o, i] & mask]
    return words, counted, row_of


@njit(cache=True, nogil=True)
def _doubled(table, value):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Room for as many nodes again, filled with a value."""
    return np.concatenate((table, np.full_like(table, value)))


@njit(cache=True, nogil=True)
def grow(codes, sizes, categorical, sorted_words, order_of, labels, label_count, shape, least_split, least_leaf, enough, deepest):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201, PLR0915
    """Nodes (parent, first child, second child, column, cut), their label counts, the left levels of category cuts, each record's leaf.

    `codes` has a row for each column; `sorted_words[order_of[f]]` are code and record, in order, of column f where
    order_of[f] >= 0; other columns are counted level by level. `shape` has the binary digits of a label and of a record. For a category the
    cut is the place in `left_levels` where its levels begin. A node whose impurity is at most `enough` is not split.
    Children follow their parents. All that a node needs is kept together and moves with its records, so that memory is
    read in sequence; a branch is finished before the next one is begun: what is small stays in the processor's own memory.
    """
    columns, n = codes.shape
    tree, counts, span = np.full((FIRST, 5), -1), np.zeros((FIRST, label_count), dtype=np.int64), np.zeros((FIRST, 3), dtype=np.int64)
    widest = 1
    for f in range(columns):
        widest = max(widest, sizes[f] if order_of[f] < 0 else 1)
    left_levels, used = np.zeros(4 * widest, dtype=np.bool_), 0
    records, own_labels, leaf = np.arange(n).astype(np.int32), labels.copy(), np.zeros(n, dtype=np.int64)
    words, counted, row_of = _laid_out(codes, labels, sorted_words, order_of, shape)
    goes_left, out, back = np.zeros(n // 8 + 1, dtype=np.uint8), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    ahead = np.zeros(label_count, dtype=np.int64)
    held, left = np.zeros((widest, label_count), dtype=np.int64), np.zeros(label_count, dtype=np.int64)
    sequence, chosen, share = np.zeros(widest, dtype=np.int64), np.zeros(widest, dtype=np.int64), np.zeros(widest)
    for i in range(n):
        counts[0, labels[i]] += 1
    span[0, 1] = n
    nodes, waiting, last = 1, np.zeros(2 * deepest + 2, dtype=np.int64), 0
    while last >= 0:
        node, last = waiting[last], last - 1
        low, high, depth = span[node]
        size, totals = high - low, counts[node]
        best, column, cut = 0.0, -1, -1
        if size >= max(least_split, 2 * least_leaf) and depth < deepest and _impurity(totals, size) > enough:
            for f in range(columns):
                if order_of[f] >= 0:
                    gain, where = _cut_sorted(words[row_of[f], low:high], shape, totals, least_leaf, left, ahead)
                else:
                    _count(counted[row_of[f], low:high], own_labels[low:high], held, sizes[f])
                    present = _sequence(sequence, share, held, sizes[f], np.argmax(totals), categorical[f])
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
            by_level, at = categorical[column], row_of[column]
            if order_of[column] >= 0:
                _mark_sorted(words[at, low:high], shape, cut, goes_left)
            else:
                _mark(records[low:high], counted[at, low:high], cut, left_levels[cut:] if by_level else left_levels, by_level, goes_left)
            border = low + _move(records, own_labels, counted, words, shape, order_of[column], low, high, goes_left, out, back)
            if nodes + 2 > tree.shape[0]:
                tree, counts, span = _doubled(tree, -1), _doubled(counts, 0), _doubled(span, 0)
            tree[node, 1], tree[node, 2], tree[node, 3], tree[node, 4] = nodes, nodes + 1, column, cut
            for child in range(nodes, nodes + 2):
                tree[child, 0] = node
                first = child == nodes
                span[child, 0], span[child, 1], span[child, 2] = (low if first else border), (border if first else high), depth + 1
                for i in range(span[child, 0], span[child, 1]):
                    counts[child, own_labels[i]] += 1
            waiting[last + 1], waiting[last + 2], last = nodes + 1, nodes, last + 2
            nodes += 2
        else:
            for i in range(low, high):
                leaf[records[i]] = node
    return tree[:nodes].copy(), counts[:nodes].copy(), left_levels[:used].copy(), leaf
