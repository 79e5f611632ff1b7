"""Pairs of ranks that are swapped with each other."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.kernels.compiled import kernel


@kernel("i8, i8, f8[::1]")
def partners(n: int, window: int, draws: Array) -> Array:
    """For each rank the rank it swaps with, itself where none is free.

    From the lowest rank up, each that is free swaps with one drawn evenly among the free ranks at most
    `window` above it. `draws` are uniform numbers from [0, 1), one a rank. Free ranks are counted in a tree
    of partial sums.
    """
    partner = np.arange(n)
    free = np.zeros(n + 1, dtype=np.int64)
    for rank in range(1, n + 1):
        free[rank] += 1
        above = rank + (rank & -rank)
        if above <= n:
            free[above] += free[rank]
    top = 1
    while 2 * top <= n:
        top *= 2
    for rank in range(n):
        if partner[rank] != rank:
            continue
        here = _free_to(free, rank + 1)
        others = _free_to(free, min(rank + window + 1, n)) - here
        _close(free, rank + 1, n)
        if others == 0:
            continue
        # The rank itself is closed now, so the first free rank above it has the number `here`.
        chosen = _find(free, here + min(np.int64(draws[rank] * others), others - 1), top, n)
        _close(free, chosen, n)
        partner[rank], partner[chosen - 1] = chosen - 1, rank
    return partner


@kernel
def _free_to(free: Array, place: int) -> int:
    """The number of free ranks up to a place."""
    total = 0
    while place > 0:
        total += free[place]
        place -= place & -place
    return total


@kernel
def _close(free: Array, place: int, n: int) -> None:
    """Count the rank at a place as free no longer."""
    while place <= n:
        free[place] -= 1
        place += place & -place


@kernel
def _find(free: Array, number: int, top: int, n: int) -> int:
    """The place of the free rank with this number, from 1."""
    place, step = 0, top
    while step > 0:
        if place + step <= n and free[place + step] < number:
            place += step
            number -= free[place]
        step //= 2
    return place + 1
