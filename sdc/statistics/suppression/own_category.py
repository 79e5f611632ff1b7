"""Suppression where a missing key is a value like any other."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.fingerprints import Fingerprints
from sdc.statistics.suppression.demand import Demand, Terms, Unreachable, bits, observed_bits
from sdc.statistics.suppression.patterns import levels

ENTRIES = 8_000_000
"""How many pairs of record and pattern are held in memory at once."""


def suppress_own_category(codes: Array, demand: Demand, terms: Terms, budget: Array, salt: int = 0) -> int:
    """Make values missing (-1), in place, until every class on the demand's keys has at least k records.

    Sets of keys are tried in order of cost. For sets of equal cost, records in small classes go to the cell
    (their row with those keys missing) in which most records wait, then cells exchange records so that more
    can be opened. What is left in the end is joined with the class it differs from at least cost. `budget`,
    the suppressions still allowed in each column, is used up. It gives the number of settled records that
    lost values for others.
    """
    search = _ClassSearch(codes, demand, budget, salt)
    allowed = [place for place, key in enumerate(demand.keys) if terms.caps[key] > 0]
    costs = [terms.costs[key] for key in demand.keys]
    for patterns in levels(costs, allowed):
        if not search.waiting.size:
            break
        search.try_patterns(patterns)
    helpers = search.join_nearest(terms)
    search.give_back(terms)
    search.write()
    return helpers


class _ClassSearch:
    """The state of a search on the columns of one demand."""

    def __init__(self, codes: Array, demand: Demand, budget: Array, salt: int) -> None:
        from sdc.kernels.hash_table import numbered

        self.all_codes, self.demand, self.k = codes, demand, demand.k
        self.columns = list(demand.keys)
        whole = self.columns == list(range(codes.shape[1]))
        self.codes = codes if whole else np.ascontiguousarray(codes[:, self.columns])
        self.before = self.codes.copy()
        self.all_budget, self.budget = budget, budget[self.columns].copy()
        self.prints_of = Fingerprints.of(self.codes, salt)
        self.prints = self.prints_of.rows(self.codes)
        self.observed = observed_bits(self.codes)
        numbers, _ = numbered(self.prints)
        self.waiting = np.flatnonzero(np.bincount(numbers)[numbers] < self.k)
        self.is_waiting = np.zeros(len(codes), dtype=bool)
        self.is_waiting[self.waiting] = True

    def try_patterns(self, patterns: list[tuple[int, ...]]) -> None:
        """Settle as many waiting records as possible by suppressing one of the sets of keys."""
        share = max(1, ENTRIES // max(1, self.waiting.size))
        for first in range(0, len(patterns), share):
            if self.waiting.size:
                self._settle(
                    np.array([bits(keys) for keys in patterns[first : first + share]], dtype=np.uint64)
                )

    def _settle(self, patterns: Array) -> None:
        from sdc.kernels import suppression_cells as cell_kernels
        from sdc.kernels import suppression_exchange as exchange_kernels
        from sdc.kernels.hash_table import grouped

        pool = self.waiting.astype(np.int32)
        keys, counts = cell_kernels.destinations(
            self.prints, self.codes, self.observed, pool, patterns, *self.prints_of.kernel
        )
        dest, table, places, resident = cell_kernels.cells_of(keys, counts)
        del keys, counts
        full = np.uint64(2 ** len(self.columns) - 1)
        cell_kernels.count_residents(
            resident, table, places, self.prints[(self.observed != full) & ~self.is_waiting]
        )
        starts, order = grouped(dest.reshape(-1), len(resident))
        observed = self.observed[pool]
        placed, count = cell_kernels.fill(
            dest, starts, order, resident, self.k, patterns, observed, self.budget
        )
        exchange_kernels.exchange(
            dest, starts, order, resident, count, placed, self.k, patterns, observed, self.budget, 20
        )
        settled = placed >= 0
        self._blank(pool[settled], patterns[placed[settled]])

    def _blank(self, records: Array, keys: Array, *, paid: bool = True) -> None:
        """Make the given sets of keys missing in the given records and count these as settled."""
        for place in range(len(self.columns)):
            gone = records[((keys >> np.uint64(place)) & np.uint64(1)).astype(bool)]
            self.budget[place] -= 0 if paid else np.count_nonzero(self.codes[gone, place] >= 0)
            self.codes[gone, place] = -1
        self.prints[records] = self.prints_of.rows(self.codes[records])
        self.observed[records] = observed_bits(self.codes[records])
        self.is_waiting[records] = False
        self.waiting = np.flatnonzero(self.is_waiting)

    def join_nearest(self, terms: Terms) -> int:
        """Let each record that still waits join the settled class it differs from at least cost.

        Members of a class that can spare them, or else all, lose the keys in which they differ from the
        newcomer. It gives their number.
        """
        from sdc.kernels.suppression_classes import nearest_class

        costs = np.array([terms.costs[key] for key in self.columns])
        helped = 0
        for record in self.waiting.tolist():
            numbers, first, sizes = self._classes()
            settled = np.bincount(numbers, ~self.is_waiting, minlength=len(first)) > 0
            chosen, differs, helpers = nearest_class(
                self.codes[first], sizes * settled, self.codes[record], costs, self.k, self.budget
            )
            if chosen < 0:
                raise Unreachable(terms.used_up(self.columns, self.budget), int(self.waiting.size))
            members = np.flatnonzero((numbers == chosen) & ~self.is_waiting)[:helpers]
            helped += len(members)
            self._blank(
                np.append(members, record), np.full(len(members) + 1, differs, dtype=np.uint64), paid=False
            )
        return helped

    def _classes(self) -> tuple[Array, Array, Array]:
        """The class of each record, the first record of each class, the size of each class."""
        from sdc.kernels.hash_table import numbered

        numbers, first = numbered(self.prints)
        return numbers, first, np.bincount(numbers, minlength=len(first))

    def give_back(self, terms: Terms) -> None:
        """Restore values whose record then joins another class of at least k and leaves at least k behind."""
        from sdc.kernels.suppression_classes import restore

        order = np.argsort([-terms.costs[key] for key in self.columns], kind="stable")
        numbers, first, sizes = self._classes()
        restore(
            self.codes,
            self.before,
            self.prints,
            self.prints[first],
            sizes,
            numbers,
            self.k,
            order,
            *self.prints_of.kernel,
        )

    def write(self) -> None:
        """Put the result where it belongs and say what was used of the budget."""
        self.all_budget[self.columns] -= np.count_nonzero((self.codes < 0) & (self.before >= 0), axis=0)
        if self.codes is not self.all_codes:
            self.all_codes[:, self.columns] = self.codes
