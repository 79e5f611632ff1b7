"""Sums over the points that lie at or below another in every coordinate.

The sums are of whole numbers, so the order of work does not change them.
"""

from __future__ import annotations

import numpy as np
from numba import types
from numba.extending import intrinsic

from sdc.kernels.compiled import kernel

BLOCK = 2048
"""Points whose sets are held as bits together."""
WORDS = BLOCK // 64
ALL = np.uint64(2**64 - 1)

GROUP = 7
"""Binary digits of a place in a group of running sums: 128 to a group."""

BAND = 2 * GROUP + 2
"""Binary digits of a rank within a band: the sums of one band fit into the cache of a processor."""


@kernel("i4[::1], i8, i4[::1]", "i4[::1], i8, i8[::1]")
def sums_below_in_the_plane(rank, size, value):
    """For each point, the sum of the values of the points at or below it in both coordinates.

    Points come in lexicographic order with their ranks in the second coordinate. Below a point are the points
    so far of all lower bands of ranks, and some of its own band.
    """
    bands = (size >> BAND) + 1
    ends, lower = np.zeros(bands + 1, dtype=np.int64), np.zeros(bands, dtype=value.dtype)
    for i in range(rank.size):
        ends[(rank[i] >> BAND) + 1] += 1
    for band in range(bands):
        ends[band + 1] += ends[band]
    sums, banded = np.empty_like(value), np.empty_like(value)
    ranks, place = np.empty(rank.size, dtype=np.int32), ends[:-1].copy()
    for i in range(rank.size):
        band = rank[i] >> BAND
        ranks[place[band]] = rank[i]
        banded[place[band]] = value[i]
        place[band] += 1
        sums[i] = lower[band]
        for above in range(band + 1, bands):
            lower[above] += value[i]
    for band in range(bands):
        _sum_below(ranks[ends[band] : ends[band + 1]], banded[ends[band] : ends[band + 1]])
    place[:] = ends[:-1]
    for i in range(rank.size):
        band = rank[i] >> BAND
        sums[i] += banded[place[band]]
        place[band] += 1
    return sums


@kernel
def _sum_below(rank, value):
    """Replace each value of one band by the sum of the values so far at or below it.

    Sums run within groups of neighbours, of groups and of groups of groups: a value is added to the rest of
    its group on each level, which lies together in memory, and a sum is read in three places.
    """
    single = np.zeros(1 << BAND, dtype=value.dtype)
    double = np.zeros(1 << BAND - GROUP, dtype=value.dtype)
    triple = np.zeros(1 << BAND - 2 * GROUP, dtype=value.dtype)
    for i in range(rank.size):
        # The mask tells the compiler that the rank is not negative: it then adds several sums at a time.
        first, own = rank[i] & ((1 << BAND) - 1), value[i]
        second, third = first >> GROUP, first >> 2 * GROUP
        for place in range(first, (second + 1) << GROUP):
            single[place] += own
        for place in range(second + 1, (third + 1) << GROUP):
            double[place] += own
        for place in range(third + 1, triple.size):
            triple[place] += own
        value[i] = single[first] + double[second] + triple[third]


@intrinsic
def _ones(_, word):
    """The number of bits set, by the instruction of the processor."""

    def generate(_, builder, __, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@kernel
def _sort_block(rank, counts, prefixes):
    """Count the points of a block up to each rank, and write the sets of its k lowest points as bits."""
    counts[:] = 0
    for r in rank:
        counts[r] += 1
    total = 0
    for r in range(counts.size):
        total += counts[r]
        counts[r] = total
    free = counts.copy()
    lowest = np.empty(rank.size, dtype=np.int64)
    for i in range(rank.size):
        free[rank[i]] -= 1
        lowest[free[rank[i]]] = i
    for k in range(rank.size):
        prefixes[k + 1] = prefixes[k]
        prefixes[k + 1, lowest[k] >> 6] |= np.uint64(1) << np.uint64(lowest[k] & 63)


@kernel
def _first(held, bits):
    """Set the first bits of a block and no others."""
    bits[:] = 0
    bits[: held >> 6] = ALL
    if held & 63:
        bits[held >> 6] = (np.uint64(1) << np.uint64(held & 63)) - np.uint64(1)


@kernel("i4[:, ::1], i8[::1], i8[::1]")
def counts_below(ranks, sizes, counted):
    """The number of counted points that lie at or below each point in every coordinate.

    `ranks` are those of all points in lexicographic order, a row for each coordinate; `counted` are places of
    points, ascending, repeated where a point counts several times. A point below another comes before it in
    that order, so the first coordinate is not looked at. The counted are taken in blocks: those of a block at
    or below in one coordinate are a prefix of its order, held as bits, and those below in every coordinate
    are the bits in common.
    """
    points, further = ranks.shape[1], ranks.shape[0] - 1
    found = np.zeros(points, dtype=np.int64)
    prefixes = np.zeros((further, BLOCK + 1, WORDS), dtype=np.uint64)
    counts = np.zeros((further, sizes.max()), dtype=np.int16)
    common = np.zeros(WORDS, dtype=np.uint64)
    for begin in range(0, counted.size, BLOCK):
        block = counted[begin : begin + BLOCK]
        for d in range(further):
            _sort_block(ranks[d + 1][block], counts[d, : sizes[d + 1]], prefixes[d])
        for i in range(block[0], points):
            _first(np.searchsorted(block, i, side="right") if i < block[-1] else block.size, common)
            for d in range(further - 1):
                row = prefixes[d, counts[d, ranks[d + 1, i]]]
                for word in range(WORDS):
                    common[word] &= row[word]
            row = prefixes[further - 1, counts[further - 1, ranks[further, i]]]
            total = np.uint64(0)
            for word in range(WORDS):
                total += _ones(common[word] & row[word])
            found[i] += np.int64(total)
    return found
