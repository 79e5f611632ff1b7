"""How many records does a combination of keys match when a missing key matches every value?"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def matching_records(codes: Array, count: Array) -> Array:
    """For each distinct combination (rows of `codes`, -1 missing), the sum of `count` over all combinations it matches.

    Two combinations match when they agree on every key that neither is missing. Work is by pairs of missingness
    patterns, each joined on the keys both observe: no pair of records is ever compared.
    """
    if codes.shape[0] == 0:
        return np.zeros(0, dtype=count.dtype)
    observed = codes >= 0
    patterns, pattern_of = np.unique(observed, axis=0, return_inverse=True)
    pattern_of = pattern_of.reshape(-1)
    members = [np.flatnonzero(pattern_of == pattern) for pattern in range(len(patterns))]
    matched = np.zeros(codes.shape[0], dtype=count.dtype)
    for here, mine in enumerate(members):
        for there, theirs in enumerate(members):
            shared = np.flatnonzero(patterns[here] & patterns[there])
            if here == there and shared.size == codes.shape[1]:
                matched[mine] += count[mine]
            elif shared.size == 0:
                matched[mine] += count[theirs].sum()
            else:
                matched[mine] += _joined(codes[np.ix_(mine, shared)], codes[np.ix_(theirs, shared)], count[theirs])
    return matched


def _joined(mine: Array, theirs: Array, count: Array) -> Array:
    """For each row of `mine`, the sum of `count` over equal rows of `theirs`."""
    key = np.zeros(len(mine) + len(theirs), dtype=np.int64)
    for column in np.vstack([mine, theirs]).T:
        key = key * (int(column.max()) + 1) + column
        if int(key.max()) > 2**31:
            key = np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)
    groups, place = np.unique(key, return_inverse=True)
    totals = np.zeros(groups.size, dtype=count.dtype)
    np.add.at(totals, place[len(mine) :], count)
    joined: Array = totals[place[: len(mine)]]
    return joined
