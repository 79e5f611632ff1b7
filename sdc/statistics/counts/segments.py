"""Sums and largest values over consecutive runs of cells: run i is offsets[i]:offsets[i + 1]."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array


def sums(values: Array, offsets: Array) -> Array:
    """The sum of each run, 0 for an empty one."""
    return _reduced(np.add, values, offsets)


def largest(values: Array, offsets: Array) -> Array:
    """The largest value of each run, 0 for an empty one."""
    return _reduced(np.maximum, values, offsets)


def products(values: Array, offsets: Array) -> Array:
    """The product of each run, 0 for an empty one."""
    return _reduced(np.multiply, values, offsets)


def spread(values: Array, offsets: Array) -> Array:
    """A value for each run, repeated for each of its cells."""
    return np.repeat(values, np.diff(offsets))


def _reduced(operation: np.ufunc, values: Array, offsets: Array) -> Array:
    filled = np.flatnonzero(np.diff(offsets))
    reduced: Array = np.zeros(offsets.size - 1, dtype=values.dtype)
    if filled.size:
        reduced[filled] = operation.reduceat(values, offsets[:-1][filled])
    return reduced
