"""Average linkage by the nearest-neighbour chain, without a matrix of distances."""

from __future__ import annotations

import numpy as np

from sdc.kernels.compiled import kernel

SMALL = 8
"""Sums of distances are kept for clusters of more points than this, and computed again for smaller ones."""
NEARER = 1 - 1e-12
"""A cluster must be nearer by this factor, so that the chain never runs in a circle of equals."""
CERTAINLY = 1 - 1e-9
"""Centres are rounded: their squared distance counts a little less where clusters are ruled out by it."""


@kernel
def _add_distances(points, times, following, member, squared, sums):
    """Add to each sum the distances of a point from the members of a cluster, by how often both occur."""
    gaps = np.empty(times.size)
    while member >= 0:
        gaps[:] = 0
        for d in range(points.shape[0]):
            here = points[d, member]
            for p in range(times.size):
                gap = points[d, p] - here
                gaps[p] += gap * gap
        weight = times[member]
        for p in range(times.size):
            sums[p] += weight * times[p] * (gaps[p] if squared else np.sqrt(gaps[p]))
        member = following[member]


@kernel
def _mean_distance(one, other, points, times, following, squared, slot, kept, size):
    """The mean distance of all pairs of points of two clusters, from kept sums where there are some."""
    if slot[one] < 0 and slot[other] >= 0:
        one, other = other, one
    total = 0.0
    there = other
    while there >= 0:
        if slot[one] >= 0:
            total += kept[slot[one], there]
        else:
            here = one
            while here >= 0:
                gaps = 0.0
                for d in range(points.shape[0]):
                    gap = points[d, there] - points[d, here]
                    gaps += gap * gap
                total += times[here] * times[there] * (gaps if squared else np.sqrt(gaps))
                here = following[here]
        there = following[there]
    return total / (size[one] * size[other])


@kernel
def _nearest(own, before, living, points, times, following, squared, slot, kept, size, centres):
    """The cluster nearest to `own` and its mean distance; `before` unless another is nearer.

    Two clusters are never nearer to each other than their centres are (the mean of lengths is no less than
    the length of the mean), so most of them need no second look.
    """
    best, nearest = np.inf, before
    if before >= 0:
        best = _mean_distance(own, before, points, times, following, squared, slot, kept, size)
    first = best
    for c in living:
        if c in (own, before):
            continue
        gaps = 0.0
        for d in range(centres.shape[1]):
            gap = centres[c, d] - centres[own, d]
            gaps += gap * gap
        if CERTAINLY * gaps < (best if squared else best * best):
            mean = _mean_distance(own, c, points, times, following, squared, slot, kept, size)
            if mean < best:
                best, nearest = mean, c
    return (before, first) if before >= 0 and best >= NEARER * first else (nearest, best)


@kernel("f8[:, ::1], i8[::1], boolean")
def average_linkage(points, times, squared):
    """Pairs of points whose clusters are merged, and the mean distances between these, in no order.

    `points` are distinct, a row for each coordinate; `times` says how often each occurs. A cluster keeps for
    every point the sum of its members' distances from it: other merges do not change these sums.
    """
    n = times.size
    following, last = np.full(n, -1), np.arange(n)
    size, members = times.astype(np.float64), np.ones(n, dtype=np.int64)
    living, place, centres = np.arange(n), np.arange(n), points.T.copy()
    free = n // (SMALL + 1) + 1
    slot, slots, kept = np.full(n, -1), np.arange(free), np.empty((free, n))
    merges, heights = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
    chain, length = np.empty(n + 1, dtype=np.int64), 0
    for step in range(n - 1):
        if length == 0:
            chain[0], length = living[0], 1
        while True:
            own, before = chain[length - 1], chain[length - 2] if length > 1 else -1
            other, height = _nearest(
                own,
                before,
                living[: n - step],
                points,
                times,
                following,
                squared,
                slot,
                kept,
                size,
                centres,
            )
            if other == before:
                break
            chain[length] = other
            length += 1
        length -= 2
        merges[step, 0], merges[step, 1], heights[step] = own, other, height
        into, gone = (own, other) if members[own] >= members[other] else (other, own)
        if members[own] + members[other] > SMALL:
            if slot[into] < 0:
                free -= 1
                slot[into] = slots[free]
                kept[slot[into]] = 0
                _add_distances(points, times, following, into, squared, kept[slot[into]])
            if slot[gone] < 0:
                _add_distances(points, times, following, gone, squared, kept[slot[into]])
            else:
                kept[slot[into]] += kept[slot[gone]]
                slots[free] = slot[gone]
                free += 1
        following[last[into]], last[into] = gone, last[gone]
        centres[into] = (size[into] * centres[into] + size[gone] * centres[gone]) / (size[into] + size[gone])
        size[into] += size[gone]
        members[into] += members[gone]
        moved = living[n - step - 1]
        living[place[gone]], place[moved] = moved, place[gone]
    return merges, heights
