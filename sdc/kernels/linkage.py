"""Average linkage by the nearest-neighbour chain, without a matrix of distances."""

from __future__ import annotations

import numpy as np

from sdc.kernels.compiled import kernel

SMALL = 8
"""Sums of distances are kept for clusters of more points than this, and computed again for smaller ones."""
NEARER = 1 - 1e-12
"""A cluster must be nearer by this factor, so that the chain never runs in a circle of equals."""


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
def _nearest(own, sums, label, size, living, average):
    """The cluster nearest to `own`, by the mean distance of all pairs of their points."""
    average[:] = 0
    for p in range(label.size):
        average[label[p]] += sums[p]
    best, nearest = np.inf, -1
    for c in living:
        average[c] /= size[own] * size[c]
        if average[c] < best and c != own:
            best, nearest = average[c], c
    return nearest


@kernel("f8[:, ::1], i8[::1], boolean")
def average_linkage(points, times, squared):
    """Pairs of points whose clusters are merged, and the mean distances between these, in no order.

    `points` are distinct, a row for each coordinate; `times` says how often each occurs. A cluster keeps for
    every point the sum of its members' distances from it: other merges do not change these sums.
    """
    n = times.size
    label, following, last = np.arange(n), np.full(n, -1), np.arange(n)
    size, members = times.astype(np.float64), np.ones(n, dtype=np.int64)
    living, place = np.arange(n), np.arange(n)
    free = n // (SMALL + 1) + 1
    slot, slots, kept = np.full(n, -1), np.arange(free), np.empty((free, n))
    merges, heights = np.empty((n - 1, 2), dtype=np.int64), np.empty(n - 1)
    chain, length = np.empty(n + 1, dtype=np.int64), 0
    sums, average = np.empty(n), np.empty(n)
    for step in range(n - 1):
        if length == 0:
            chain[0], length = living[0], 1
        while True:
            own = chain[length - 1]
            if slot[own] < 0:
                sums[:] = 0
                _add_distances(points, times, following, own, squared, sums)
            other = _nearest(
                own, kept[slot[own]] if slot[own] >= 0 else sums, label, size, living[: n - step], average
            )
            if length > 1 and average[other] >= NEARER * average[chain[length - 2]]:
                other = chain[length - 2]
                break
            chain[length] = other
            length += 1
        length -= 2
        merges[step, 0], merges[step, 1], heights[step] = own, other, average[other]
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
        member = gone
        while member >= 0:
            label[member] = into
            member = following[member]
        following[last[into]], last[into] = gone, last[gone]
        size[into] += size[gone]
        members[into] += members[gone]
        moved = living[n - step - 1]
        living[place[gone]], place[moved] = moved, place[gone]
    return merges, heights
