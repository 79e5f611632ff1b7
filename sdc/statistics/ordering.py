"""In which order do many numbers stand?"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

GLANCE = 10_000
FEW = 1_000


def few_distinct(values: Array) -> bool:
    """Do numbers repeat so much, as far as a glance at the first ones tells, that counting beats sorting?"""
    return bool(np.unique(values[:GLANCE]).size <= FEW)


def sorting_order(values: Array) -> Array:
    """The places of numbers in order, equal ones as they came, as int32; no number may be missing.

    Plain numbers sort several times as fast as places do, so each is rounded down to a whole number that leaves room for
    its place behind it. Where two fell on the same whole number the order is mended.
    """
    bits = max(int(values.size - 1).bit_length(), 1)
    low, high = (float(edge) for edge in (values.min(), values.max())) if values.size else (0.0, 0.0)
    steps = 2.0 ** (62 - bits)
    if not 0 < high - low < np.inf or not np.isfinite(steps / (high - low)):
        return np.argsort(values, kind="stable").astype(np.int32)
    spread = values - low
    spread *= steps / (high - low)
    order = _packed_order(spread.astype(np.int64), bits)
    ordered = values[order]
    if (ordered[1:] < ordered[:-1]).any():
        order = order[np.argsort(ordered, kind="stable")]
    return order


def _packed_order(keys: Array, bits: int) -> Array:
    """The order of keys that leave so many bits for their places; they are written over."""
    keys <<= bits
    keys |= np.arange(keys.size)
    keys.sort()
    keys &= (1 << bits) - 1
    return keys.astype(np.int32)


def ranked(values: Array) -> tuple[Array, Array]:
    """The distinct numbers in order, and for each number its place among them, as int32."""
    if few_distinct(values):
        import pandas as pd

        place, distinct = pd.factorize(values)
        order = np.argsort(distinct)
        rank = np.empty(order.size, dtype=np.int32)
        rank[order] = np.arange(order.size, dtype=np.int32)
        return distinct[order], rank[place]
    order = sorting_order(values)
    ordered = values[order]
    changes = _changes(ordered)
    ranks, place = np.empty(values.size, dtype=np.int32), np.cumsum(changes, dtype=np.int32)
    place -= 1
    ranks[order] = place
    return ordered[changes], ranks


def plane_order(x: Array, y: Array) -> tuple[Array, Array, Array]:
    """Points in the order of x, those of equal x in that of y; the rank of y among its distinct values in that order; where points begin.

    Sorted by y and then, as they come, by x: nothing needs to be found again by its place.
    """
    by_y = sorting_order(y)
    place = np.cumsum(_changes(y[by_y]), dtype=np.int32)
    place -= 1
    along = x[by_y]
    by_x = sorting_order(along)
    ranks = place[by_x]
    begins = _changes(along[by_x])
    begins[1:] |= ranks[1:] != ranks[:-1]
    return by_y[by_x], ranks, np.flatnonzero(begins)


def _changes(ordered: Array) -> Array:
    """Where another value begins."""
    changes = np.ones(ordered.size, dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=changes[1:])
    return changes


def key_order(keys: Array) -> Array:
    """The places of whole numbers from 0 in order, equal ones as they came, as int32."""
    bits = int(keys.size).bit_length()
    if keys.size and int(keys.max()).bit_length() + bits > 63:
        return np.argsort(keys, kind="stable").astype(np.int32)
    return _packed_order(keys.astype(np.int64), bits)


def lexicographic(ranks: Array) -> Array:
    """A number for each record that ascends with its first rank, among equals with its second, and so on; a row for each variable."""
    key: Array = ranks[0].astype(np.int64)
    for further in ranks[1:]:
        if int(key.max() + 1) * (int(further.max()) + 1) >= 2**63:
            key = _dense(key)
        key *= int(further.max()) + 1
        key += further
    return key


def _dense(keys: Array) -> Array:
    """The place of each among the distinct ones."""
    order = key_order(keys)
    ordered = keys[order]
    places = np.empty(keys.size, dtype=np.int64)
    places[order] = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    return places
