"""Estimates how many further people have a value that is among those seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdc.arrays import Array


TINY = 20
"""In files of so few records values that occur once say nothing."""


def expected_among_lone(pairs: int, records: int) -> float:
    """The share of further persons whose value exactly one of the records has.

    It is estimated from how many values two records have.

    Reference: Good (1953), doi:10.1093/biomet/40.3-4.237.
    """
    return 2 * pairs / records if records else 0.0


def expected_seen(alone: int, records: int) -> float:
    """The share of further persons who are like one of the records, from how many records are like no other.

    Reference: Good (1953), doi:10.1093/biomet/40.3-4.237.
    """
    return 1 - alone / records if records else 0.0


def mostly_own(alone: int, pairs: int, records: int) -> bool:
    """Whether more than half of the records have a value of their own that no further person would have.

    A number with many values is its own in a small file by chance alone: then further persons share it, as
    values shared by two records show.
    """
    return records > TINY and 2 * (alone / records - expected_among_lone(pairs, records)) > 1


NEAR = 0.05
"""A number gives another one away that lies within this share of the gap between its neighbours."""


def given_away(numbers: Array, known: Array) -> Array:
    """For each number the place of the known one it reveals, -1 where it reveals none.

    `known` are distinct and in order.

    A number drawn anew lies anywhere between its two known neighbours, and within 5 % of the gap at one of
    both ends with a chance of 10 %. One that was rounded or noised by less than the gaps lies there nearly
    always. Beyond the ends the last gap counts.
    """
    import numpy as np

    if known.size < 2:
        return np.where(np.isin(numbers, known), 0, -1)
    right = np.clip(np.searchsorted(known, numbers), 1, known.size - 1)
    low, high = known[right - 1], known[right]
    nearest = np.where(numbers - low <= high - numbers, right - 1, right)
    return np.where(np.abs(numbers - known[nearest]) <= NEAR * (high - low), nearest, -1)


def expected_given_away(alone: int, pairs: int, records: int) -> float:
    """The share of further persons whose number reveals one that exactly one of the records has.

    The number is that very one, or close to it.
    """
    return expected_among_lone(pairs, records) + 2 * NEAR * (1 - expected_seen(alone, records))
