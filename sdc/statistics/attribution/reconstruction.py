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
    shown = codes >= 0
    if not shown.any():
        return np.full(codes.size, -1, dtype=np.int64)
    place = levels.astype(np.int64) - int(levels.min())
    groups = int(place.max()) + 1
    if groups > 4 * place.size:
        place = np.unique(place, return_inverse=True)[1]
        groups = int(place.max()) + 1
    level, code, count = _counted(place[shown], codes[shown], groups, size)
    overall = np.bincount(codes[shown], minlength=size)
    merit = count * (int(overall.max()) + 1) + overall[code]
    starts = np.flatnonzero(np.r_[True, level[1:] != level[:-1]])
    best = np.repeat(np.maximum.reduceat(merit, starts), np.diff(starts, append=level.size))
    guess = np.full(groups, -1, dtype=np.int64)
    # Of equal merits the first stands, which has the smallest code: it is written last.
    found = np.flatnonzero(merit == best)[::-1]
    guess[level[found]] = code[found]
    guessed: Array = guess[place]
    return guessed


def _counted(level: Array, code: Array, levels: int, codes: int) -> tuple[Array, Array, Array]:
    """Level, code and count of every combination that occurs, in order."""
    pairs = level * codes + code
    if levels * codes <= 4 * pairs.size:
        counts = np.bincount(pairs, minlength=levels * codes)
        distinct = np.flatnonzero(counts)
        counts = counts[distinct]
    else:
        distinct, counts = np.unique(pairs, return_counts=True)
    return distinct // codes, distinct % codes, counts


def right_share(guess: Array, released: Array, truth: Array) -> float:
    """The share of true values of an outsider who guesses everywhere, or only where the value is missing."""
    known = truth >= 0
    everywhere = (guess == truth)[known].mean()
    blanks = (np.where(released < 0, guess, released) == truth)[known].mean()
    return float(max(everywhere, blanks))
