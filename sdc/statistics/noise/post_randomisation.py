"""Chances of a category to become another that leave the expected shares as they are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sdc.arrays import Array


class KeepsMore(ValueError):
    """The distribution itself keeps more values than asked for, whatever is drawn."""


def invariant_matrix(shares: Array, keep: float) -> Array:
    """Chances from row to column that keep the expected shares p, and values with probability `keep`.

    R = (1 - t) I + t 1 p': a value is drawn anew from the distribution with chance t = (1 - keep) / (1 - sum
    p^2). Then p R = p. Drawn anew altogether (t = 1), a share sum p^2 is kept by chance: less cannot be kept.

    Reference: Gouweleeuw, Kooiman, Willenborg, de Wolf (1998), Post randomisation for statistical disclosure
    control: theory and implementation, Journal of Official Statistics 14, 463-478.
    """
    alike = float(np.sum(shares**2))
    if alike >= 1.0:
        return np.eye(len(shares))
    anew = (1 - keep) / (1 - alike)
    if anew > 1:
        raise KeepsMore
    made: Array = (1 - anew) * np.eye(len(shares)) + anew * shares[None, :]
    return made


def moved(codes: Array, matrix: Array, draws: Array) -> Array:
    """Codes (-1 stays) each moved by its draw, from 0 to below 1, to a column of its row of the matrix."""
    made = codes.copy()
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(matrix) + 1))
    for code, (first, last) in enumerate(pairwise(ends)):
        rows = order[first:last]
        reached = np.cumsum(matrix[code])
        made[rows] = np.minimum(
            np.searchsorted(reached, draws[rows] * reached[-1], side="right"), len(matrix) - 1
        )
    return made
