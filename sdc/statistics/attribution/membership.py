"""How well distances separate members from others."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array


def best_threshold(members: Array, others: Array) -> float:
    """The distance up to which calling someone a member gains most, the lowest of equals.

    The gain is the number of members called less the number of others called. Where nothing gains, the
    threshold is less than every distance.
    """
    levels = np.unique(np.concatenate([members, others]))
    gains = _share_up_to(members, levels) - _share_up_to(others, levels)
    best = int(np.argmax(gains))
    return float(levels[best]) if gains[best] > 0 else -1.0


def _share_up_to(distances: Array, levels: Array) -> Array:
    return np.searchsorted(np.sort(distances), levels, side="right") / distances.size


def called_members(members: Array, others: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Who is called a member: each half of the people by the threshold that is best for the other half."""
    called = np.zeros(members.size, dtype=bool), np.zeros(others.size, dtype=bool)
    halves = [rng.permutation(np.arange(group.size) % 2).astype(bool) for group in (members, others)]
    for one in (False, True):
        threshold = best_threshold(members[halves[0] != one], others[halves[1] != one])
        for group, distances, half in zip(called, (members, others), halves, strict=True):
            group[half == one] = distances[half == one] <= threshold
    return called


def area_under_curve(members: Array, others: Array) -> float:
    """The chance that a member is nearer than another person, ties counting half (Mann and Whitney)."""
    ordered = np.sort(others)
    farther = others.size - np.searchsorted(ordered, members, side="right")
    as_far = np.searchsorted(ordered, members, side="right") - np.searchsorted(ordered, members, side="left")
    return float((farther.sum() + as_far.sum() / 2) / (members.size * others.size))
