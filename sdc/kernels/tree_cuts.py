"""The cut of a node's records that lowers the Gini impurity most.

Integer counts decide whether a cut gains anything.
"""

from __future__ import annotations

import numpy as np

from sdc.kernels.compiled import kernel

BLOCK = 128
"""Records that are passed over together where no cut among them can be the best."""
MANY = 20_000
"""From so many records on, blocks are passed over."""


@kernel
def _gain(left, totals, size, n):
    """The decrease of impurity by a cut with these label counts on its left.

    It is exactly 0 where both sides have equal shares.
    """
    gain = 0.0
    for k in range(totals.size):
        gap = float(left[k] * n - totals[k] * size)
        gain += gap * gap
    return gain / (float(size) * float(n - size) * float(n))


@kernel
def _gain_within(before, after, totals, first, last, n):
    """An upper bound for the gain of any cut between two places, from the label counts up to each.

    It holds for any order of the records between.
    """
    most = 0.0
    for k in range(totals.size):
        gap = max(abs(float(before[k] * n - totals[k] * last)), abs(float(after[k] * n - totals[k] * first)))
        most += gap * gap
    return most / (min(float(first) * float(n - first), float(last) * float(n - last)) * float(n))


@kernel
def _cut_block(words, shape, totals, least, left, start, end, best, cut):
    """The better of the best cut so far and the cuts within a block.

    Sums of squares tell, up to rounding, which cuts may be better; only their gain is computed.
    """
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


@kernel
def _cut_sorted(words, shape, totals, least, left, ahead):
    """The best gain of a cut between two values of sorted records, and the last code of its left side.

    Among many records, blocks where no cut can be better than the best so far are passed over.
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


@kernel
def _cut_levels(sequence, levels, counts, totals, least, n, left):
    """The best gain of a cut along a sequence of levels, and the place where its left side ends."""
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


@kernel
def _sequence(sequence, share, counts, levels, label, categorical):
    """Levels that occur, in their own order or, for categories, by the share of one label.

    For two labels the best of all cuts is along that order (Breiman et al., 1984, doi:10.1201/9781315139470).
    """
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


@kernel
def _count(codes, labels, held, levels):
    for level in range(levels):
        for k in range(held.shape[1]):
            held[level, k] = 0
    for i in range(codes.size):
        held[codes[i], labels[i]] += 1


@kernel
def room_for_cuts(widest, label_count):
    """Memory for a search, used again for every node.

    It has label counts of levels, of the left side and of the next block, levels in sequence, and their
    shares.
    """
    held, left, ahead = (
        np.zeros((widest, label_count), dtype=np.int64),
        np.zeros(label_count, dtype=np.int64),
        np.zeros(label_count, dtype=np.int64),
    )
    return held, left, ahead, np.zeros(widest, dtype=np.int64), np.zeros(widest)


@kernel
def best_cut(low, high, totals, laid_out, kinds, shape, least, room, chosen):
    """The column whose cut of the records from low to high gains most, and the cut; -1 where none gains.

    For a category the cut is the place in the sequence of its levels, written to `chosen`, where the left
    side ends. `laid_out` has words, counted columns and labels; `kinds` has, for each column, its size,
    whether it is a category, its place among the sorted columns (-1 for none), and its row.
    """
    words, counted, labels = laid_out
    sizes, categorical, order_of, row_of = kinds
    held, left, ahead, sequence, share = room
    best, column, cut = 0.0, -1, np.int64(-1)
    for f in range(sizes.size):
        if order_of[f] >= 0:
            gain, where = _cut_sorted(words[row_of[f], low:high], shape, totals, least, left, ahead)
        else:
            _count(counted[row_of[f], low:high], labels[low:high], held, sizes[f])
            present = _sequence(sequence, share, held, sizes[f], np.argmax(totals), categorical[f])
            gain, place = _cut_levels(sequence, present, held, totals, least, high - low, left)
            where = place if categorical[f] or place < 0 else sequence[place]
        if gain > best:
            best, column, cut = gain, f, where
            for place in range(where + 1 if categorical[f] else 0):
                chosen[place] = sequence[place]
    return column, cut
