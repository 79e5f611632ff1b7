"""The few keys that single a record out, and how special that makes it."""

from __future__ import annotations

from math import factorial

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.subsets import key_tables


def unique_scores(codes: Array, count: Array, largest: int) -> tuple[Array, Array]:
    """SUDA scores of combinations (rows of codes, -1 missing), and what each key contributes to them.

    A set of up to `largest` of the m keys on which a record is unique, and on no smaller part of it, scores
    (m - size)!. A missing key never belongs to such a set.
    """
    keys = codes.shape[1]
    # Who is unique on some keys is unique on all of them.
    alone = np.flatnonzero(count == 1)
    unique: dict[int, Array] = {}
    for table in key_tables(codes, count, largest):
        unique[sum(1 << key for key in table.keys)] = (
            table.records[table.place[alone]] == 1
        ) & ~table.missing[alone]
    scores, contributions = np.zeros(codes.shape[0]), np.zeros(codes.shape)
    for mask, found in unique.items():
        members = [key for key in range(keys) if mask >> key & 1]
        minimal = found.copy()
        for key in members if len(members) > 1 else ():
            minimal &= ~unique[mask ^ (1 << key)]
        rows, score = alone[minimal], factorial(keys - len(members))
        scores[rows] += score
        for key in members:
            contributions[rows, key] += score
    return scores, contributions


def disclosure_scores(scores: Array, count: Array, keys: int, fraction: float) -> Array:
    """DIS-SUDA: SUDA scores calibrated by the share of pairs a random sampling `fraction` leaves unique.

    dis = 1 / (1 + P (1 - f)/f / (score^Q A)), P the records in classes of two, Q = 1 + (8 - m)/20, A the sum
    of score^-Q over scored records; 0 where the score is 0. The larger a record's score, the nearer to 1.
    """
    pairs = 2 * int(np.count_nonzero(count == 2))
    power = 1 + (8 - keys) / 20
    distinct, place = np.unique(scores, return_inverse=True)
    records = np.bincount(place, count)
    scored = distinct > 0
    if not scored.any():
        return np.zeros(scores.size)
    raised = np.where(scored, distinct, 1.0) ** power
    total = float((records[scored] / raised[scored]).sum())
    calibrated = np.where(scored, 1 / (1 + pairs * (1 - fraction) / fraction / (raised * total)), 0.0)
    dis: Array = calibrated[place]
    return dis
