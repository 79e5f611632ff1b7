"""Compares rows of codes by sums of random numbers, on all columns or on some."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array

EXACT = 2**62


@dataclass(frozen=True)
class Fingerprints:
    """A random number for each code of each column: the sum over a row is its fingerprint.

    A missing code adds nothing.

    Leaving a column out, or making it missing, is therefore a subtraction. While all combinations of codes
    fit into 62 bits the numbers are digits of different places and equal fingerprints mean equal rows;
    beyond, they are drawn at random from `salt`, and rows of equal fingerprint differ with a chance of one in
    10^19 a pair.
    """

    numbers: Array
    offsets: Array
    exact: bool

    @classmethod
    def of(cls, codes: Array, salt: int = 0) -> Fingerprints:
        """For rows of codes from -1 (missing) up."""
        levels = [int(column.max(initial=-1)) + 2 for column in codes.T]
        offsets = np.concatenate([[0], np.cumsum(levels)]).astype(np.int64)
        places, total = [], 1
        for size in levels:
            places.append(total)
            total *= size
        if total <= EXACT:
            numbers = np.concatenate(
                [
                    np.arange(size, dtype=np.uint64) * np.uint64(place)
                    for size, place in zip(levels, places, strict=True)
                ]
            )
        else:
            numbers = np.random.Generator(np.random.PCG64(salt)).integers(
                1, 2**64, offsets[-1], dtype=np.uint64
            )
            numbers[offsets[:-1]] = 0
        return cls(numbers, offsets[:-1], total <= EXACT)

    @property
    def kernel(self) -> tuple[Array, Array]:
        """What a kernel needs to take a code out of a fingerprint or put it in."""
        return self.numbers, self.offsets

    def rows(self, codes: Array) -> Array:
        """The fingerprint of each row."""
        total = np.zeros(len(codes), dtype=np.uint64)
        for column, offset in zip(codes.T, self.offsets, strict=True):
            total += self.numbers[column + (offset + 1)]
        return total
