"""Suppresses values until every demand for k holds, all of them together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.equivalence import alike, classes_in_parts, numbered, packed
from sdc.statistics.counts.wildcard import matching_records
from sdc.statistics.suppression.demand import Demand, Terms, Unreachable
from sdc.statistics.suppression.own_category import suppress_own_category
from sdc.statistics.suppression.wildcard import suppress_wildcard

CodeParts = Callable[[], Iterator[Array]]
"""The codes of all records, a part of them at a time: a row for each record, -1 where missing."""
CHANCES = 4
SPARE = (64, 4096)
"""How many records of a large class may help others, at the first and at the second try."""


def suppressed(
    codes: Array, demands: Sequence[Demand], terms: Terms, *, wildcard: bool, tries: int = 4
) -> Array:
    """The codes with values made missing until every demand holds, verified by counting.

    It raises Unreachable where caps forbid it.
    """
    rows, found = suppressed_rows(lambda: iter([codes]), demands, terms, wildcard=wildcard, tries=tries)
    made = codes.copy()
    made[rows] = found
    return made


def suppressed_rows(
    parts: CodeParts, demands: Sequence[Demand], terms: Terms, *, wildcard: bool, tries: int = 4
) -> tuple[Array, Array]:
    """The places of records in ascending order, and their codes with values made missing.

    All other records stay as they are; then every demand holds, verified by counting. It raises Unreachable
    where caps forbid it. Where missing is a category, the search works on combinations: all that counts of a
    large class is that it is large, so only its first records are in play, as many as can be asked to help.
    The outcome is that of a search on all records.
    """
    least = 2 * max(demand.k for demand in demands)
    for spare in () if wildcard else SPARE:
        rows, codes = _in_play(parts, least + spare)
        try:
            found, helpers = _tried(codes, demands, terms, wildcard=wildcard, tries=tries)
        except Unreachable:
            break
        if helpers <= spare:
            if not all(_hold(parts, rows, found, demand) for demand in demands):
                message = "suppression did not stand the count of its classes"
                raise RuntimeError(message)
            return rows, found
    every = np.concatenate(list(parts()))
    return np.arange(len(every)), _tried(every, demands, terms, wildcard=wildcard, tries=tries)[0]


def _in_play(parts: CodeParts, most: int) -> tuple[Array, Array]:
    """The places and codes of the records in play.

    The first records of a class in the whole table are among the first of that class in their part. What was
    found in parts is looked through again when it is twice as much as before.
    """
    rows: list[Array] = []
    held: list[Array] = []
    begin = looked_through = 0
    for codes in parts():
        mine = np.flatnonzero(in_play(codes, most))
        rows, held, begin = [*rows, begin + mine], [*held, codes[mine]], begin + len(codes)
        if len(held) > 1 and sum(map(len, held)) > 2 * looked_through:
            rows, held = _again(rows, held, most)
            looked_through = len(held[0])
    if not held:
        return np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.int32)
    (all_rows,), (all_held,) = _again(rows, held, most) if len(held) > 1 else (rows, held)
    return all_rows, all_held


def _again(rows: list[Array], held: list[Array], most: int) -> tuple[list[Array], list[Array]]:
    """Those of the records that are in play beside each other."""
    places, together = np.concatenate(rows), np.concatenate(held)
    among = np.flatnonzero(in_play(together, most))
    return [places[among]], [together[among]]


def _hold(parts: CodeParts, rows: Array, found: Array, demand: Demand) -> bool:
    """Whether every record is one of at least k on the demand's keys after the suppression."""
    keys = list(demand.keys)

    def made() -> Iterator[Array]:
        begin = 0
        for codes in parts():
            first, last = np.searchsorted(rows, [begin, begin + len(codes)])
            after = codes[:, keys]
            after[rows[first:last] - begin] = found[first:last][:, keys]
            yield after
            begin += len(codes)

    _, counts = classes_in_parts(made())
    return bool(counts.min(initial=demand.k) >= demand.k)


def in_play(codes: Array, most: int) -> Array:
    """The records a search needs: of each class without a missing value the first `most`, and all others."""
    from sdc.kernels.hash_table import first_of_each

    complete = np.ones(len(codes), dtype=bool)
    for column in codes.T:
        complete &= column >= 0
    numbers, classes = alike(list(codes.T))
    played: Array = first_of_each(numbers, classes, most) | ~complete
    return played


def _tried(
    codes: Array, demands: Sequence[Demand], terms: Terms, *, wildcard: bool, tries: int
) -> tuple[Array, int]:
    """Where a cap ends the search, it starts again with the capped columns dearer, a few times."""
    for _ in range(tries - 1):
        try:
            return _suppressed(codes, demands, terms, wildcard=wildcard)
        except Unreachable as end:
            terms = terms.dearer(end.capped)
    return _suppressed(codes, demands, terms, wildcard=wildcard)


def _suppressed(
    codes: Array, demands: Sequence[Demand], terms: Terms, *, wildcard: bool
) -> tuple[Array, int]:
    """Meets the demands in turn until all hold, and says how many records of other classes helped.

    With missing as a category, a suppression for one set of keys can leave too few behind on another. Values
    only go missing, and all missing meets every demand, so this ends.
    """
    made = codes.copy()
    budget = np.array(terms.caps, dtype=np.int64)
    suppress = suppress_wildcard if wildcard else suppress_own_category
    order = sorted(demands, key=lambda demand: (-len(demand.keys), -demand.k, demand.keys))
    salt = helpers = 0
    while open_demands := [
        demand for demand in order if not holds(made[:, demand.keys], demand.k, wildcard=wildcard)
    ]:
        before = budget.copy()
        for demand in open_demands:
            helpers += suppress(made, demand, terms, budget, salt)
        # Nothing done though something is open: two rows shared a fingerprint by chance.
        salt += int(np.array_equal(before, budget))
        if salt > CHANCES:
            message = "suppression came to a halt"
            raise RuntimeError(message)
    return made, helpers


def holds(codes: Array, k: int, *, wildcard: bool) -> bool:
    """Whether every record is one of at least k: counted exactly, by other means than those of the search."""
    distinct, place = numbered(packed(list(codes.T)))
    count = np.bincount(place, minlength=distinct.size)
    small = count < k
    if not wildcard or not small.any():
        return not small.any()
    first = np.empty(distinct.size, dtype=np.int64)
    first[place[::-1]] = np.arange(len(codes))[::-1]
    rows = codes[first]
    return bool(matching_records(rows[small], count[small], (rows, count)).min() >= k)
