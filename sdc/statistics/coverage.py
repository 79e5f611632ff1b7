"""Would a further person have a value that is among those seen?"""

from __future__ import annotations

TINY = 20
"""In files of so few records values that occur once say nothing."""


def expected_among_lone(pairs: int, records: int) -> float:
    """The share of further persons whose value is one that exactly one of the records has, from how many values two records have.

    Reference: Good (1953), doi:10.1093/biomet/40.3-4.237.
    """
    return 2 * pairs / records if records else 0.0


def expected_seen(alone: int, records: int) -> float:
    """The share of further persons who are like one of the records, from how many records are like no other.

    Reference: Good (1953), doi:10.1093/biomet/40.3-4.237.
    """
    return 1 - alone / records if records else 0.0


def mostly_own(alone: int, pairs: int, records: int) -> bool:
    """Have more than half of the records a value of their own, which a further person would not have either?

    A number with many values is its own in a small file by chance alone: then further persons share it, as values shared
    by two records show.
    """
    return records > TINY and 2 * (alone / records - expected_among_lone(pairs, records)) > 1
