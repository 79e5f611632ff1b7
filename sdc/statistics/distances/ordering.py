"""Orders and ranks of many numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdc.arrays import Array

GLANCE = 10_000
FEW = 1_000


def few_distinct(values: Array) -> bool:
    """Whether numbers repeat so much that counting beats sorting, judged by the first ones."""
    return bool(np.unique(values[:GLANCE]).size <= FEW)


def ranked(values: Array) -> Array:
    """The place of each number among the distinct ones, as int32; none may be missing.

    Plain numbers sort several times as fast as places do, so the place of each is written over its last bits.
    Where too many agree in the first ones, places are sorted after all.
    """
    from sdc.kernels.ordering import packed, ranks_along

    if few_distinct(values):
        return _few_ranked(values)
    ranks, bits = np.empty(values.size, dtype=np.int32), int(values.size - 1).bit_length()
    if np.isfinite(low := values.min()):
        keys = packed(values, low, bits)
        keys.sort()
        if ranks_along(keys, bits, values, ranks):
            return ranks
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    ranks[order] = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    return ranks


def _few_ranked(values: Array) -> Array:
    import pandas as pd

    place, distinct = pd.factorize(values)
    rank = np.empty(distinct.size, dtype=np.int32)
    rank[np.argsort(distinct)] = np.arange(distinct.size, dtype=np.int32)
    return rank[place]


def places(values: Array) -> Array:
    """The place of each number among the distinct ones; -1 where missing."""
    missing = np.isnan(values)
    if not missing.any():
        return ranked(values)
    found = np.full(values.size, -1, dtype=np.int32)
    found[~missing] = ranked(values[~missing])
    return found


def key_order(keys: Array) -> Array:
    """The places of whole numbers from 0 in order, equal ones as they came, as int32."""
    bits = int(keys.size).bit_length()
    if keys.size and int(keys.max()).bit_length() + bits > 63:
        return np.argsort(keys, kind="stable").astype(np.int32)
    packed = keys.astype(np.int64)
    packed <<= bits
    packed |= np.arange(keys.size)
    packed.sort()
    packed &= (1 << bits) - 1
    return packed.astype(np.int32)


def canonical_order(columns: Sequence[Array]) -> Array:
    """The places of records in an order of their values, equal records as they came, as int32.

    Records are ordered by a mix of all their values; where different ones share a mix, the values decide. Of
    numbers (NaN is missing) the ranks are mixed, so that the unit they are in does not matter.
    """
    from sdc.kernels.ordering import mix_in

    mixes = np.zeros(columns[0].size, dtype=np.uint64)
    for column in columns:
        mix_in(mixes, (places(column) if column.dtype.kind == "f" else column).astype(np.int32))
    bits = np.uint64(int(mixes.size).bit_length())
    mixes >>= bits
    mixes <<= bits
    mixes |= np.arange(mixes.size, dtype=np.uint64)
    mixes.sort()
    order: Array = (mixes & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int32)
    mixes >>= bits
    return _told_apart(order, mixes, columns)


def _told_apart(order: Array, mixes: Array, columns: Sequence[Array]) -> Array:
    """The order in which different records that share a mix are ordered by their values.

    Mixes come in order.
    """
    later = np.flatnonzero(mixes[1:] == mixes[:-1]) + 1
    differs = np.zeros(later.size, dtype=bool)
    for column in columns:
        one, other = column[order[later]], column[order[later - 1]]
        differs |= (one != other) & ((one == one) | (other == other))  # noqa: PLR0124 a missing value is not itself
    if differs.any():
        shared = np.flatnonzero(np.isin(mixes, mixes[later[differs]]))
        records = order[shared]
        order[shared] = records[np.lexsort([*(column[records] for column in columns), mixes[shared]])]
    return order


def lexicographic(ranks: Array) -> Array:
    """A number for each record that ascends with its first rank, among equals with its second, and so on.

    Ranks have a row for each variable.
    """
    key: Array = ranks[0].astype(np.int64)
    # So that places still fit behind: they sort as one.
    room = 2 ** (63 - int(key.size).bit_length())
    for further in ranks[1:]:
        if int(key.max() + 1) * (int(further.max()) + 1) > room:
            key = _dense(key)
        key *= int(further.max()) + 1
        key += further
    return key


def _dense(keys: Array) -> Array:
    """The place of each among the distinct ones."""
    order = key_order(keys)
    ordered = keys[order]
    found = np.empty(keys.size, dtype=np.int64)
    found[order] = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    return found
