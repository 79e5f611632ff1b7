"""The value an outsider would guess for a record, from the values released beside it."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array


def most_frequent_within(levels: Array, codes: Array) -> Array:
    """For each record the most frequent code among the records of its level, -1 where none of them has one.

    Codes below 0 are missing. Of equally frequent codes the one more frequent in all records is taken, then
    the smaller.
    """
    size = int(codes.max(initial=-1)) + 1
    _, place = np.unique(levels, return_inverse=True)
    shown = codes >= 0
    if not shown.any():
        return np.full(codes.size, -1, dtype=np.int64)
    pairs, counts = np.unique(place[shown].astype(np.int64) * size + codes[shown], return_counts=True)
    level, code = pairs // size, pairs % size
    overall = np.bincount(codes[shown], minlength=size)
    order = np.lexsort((code, -overall[code], -counts, level))
    guess = np.full(int(place.max()) + 1, -1, dtype=np.int64)
    first = order[np.r_[True, level[order][1:] != level[order][:-1]]]
    guess[level[first]] = code[first]
    guessed: Array = guess[place]
    return guessed


def right_share(guess: Array, released: Array, truth: Array) -> float:
    """The share of true values of an outsider who guesses everywhere, or only where the value is missing."""
    known = truth >= 0
    everywhere = (guess == truth)[known].mean()
    blanks = (np.where(released < 0, guess, released) == truth)[known].mean()
    return float(max(everywhere, blanks))
