"""Suppression where a missing key matches every value."""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.fingerprints import Fingerprints
from sdc.statistics.suppression.demand import Demand, Terms, Unreachable, bits, observed_bits
from sdc.statistics.suppression.patterns import levels


def suppress_wildcard(codes: Array, demand: Demand, terms: Terms, budget: Array, salt: int = 0) -> int:
    """Make values missing (-1), in place, until every record matches at least k, itself included.

    Sets of keys are tried in order of cost. For sets of equal cost, groups of records that differ on such a
    set only are taken by the number of records helped per cost: a record that loses the set matches its whole
    group, and every other one of the group gains a match, so that fewer than k suppressions serve a group of
    any size. A value made missing never takes a match from anyone. `budget`, the suppressions still allowed
    in each column, is used up. No record of a class that is large enough has to help (0).
    """
    search = _Search(codes, demand, terms, budget, salt)
    allowed = [place for place, key in enumerate(demand.keys) if terms.caps[key] > 0]
    for patterns in levels(search.costs.tolist(), allowed):
        if not search.lacking.size:
            break
        search.try_patterns(np.array([bits(keys) for keys in patterns], dtype=np.uint64))
        search.recount()
    if search.lacking.size:
        raise Unreachable(terms.used_up(search.columns, search.budget), int(search.lacking.size))
    if search.codes is not codes:
        codes[:, search.columns] = search.codes
    budget[search.columns] = search.budget
    return 0


class _Search:
    """The state of a search on the columns of one demand.

    `rows` are the distinct rows as they were at the beginning, with the number of records each had: what
    matched then matches still, so counts on them are safe at any time.
    """

    def __init__(self, codes: Array, demand: Demand, terms: Terms, budget: Array, salt: int) -> None:
        from sdc.kernels.hash_table import grouped, numbered

        self.k, self.columns = demand.k, list(demand.keys)
        self.costs = np.array([terms.costs[key] for key in demand.keys])
        whole = self.columns == list(range(codes.shape[1]))
        self.codes = codes if whole else np.ascontiguousarray(codes[:, self.columns])
        self.before = self.codes.copy()
        self.caps = budget[self.columns].copy()
        self.prints_of = Fingerprints.of(self.codes, salt)
        prints = self.prints_of.rows(self.codes)
        self.row_of, first = numbered(prints)
        self.row_starts, self.row_members = grouped(self.row_of, len(first))
        self.rows, self.row_prints = self.codes[first], prints[first]
        self.row_observed = observed_bits(self.rows)
        self.row_counts = np.bincount(self.row_of, minlength=len(first))
        self.lacking = np.flatnonzero(self.row_counts[self.row_of] < self.k)
        self.matched = np.zeros(0, dtype=np.int64)
        self.recount()

    @property
    def budget(self) -> Array:
        left: Array = self.caps - np.count_nonzero((self.codes < 0) & (self.before >= 0), axis=0)
        return left

    def recount(self) -> None:
        """Count how many records each lacking record matches now, and keep those that match too few."""
        from sdc.kernels.suppression_matches import add_matches

        changed = np.flatnonzero(np.any(self.codes != self.before, axis=1))
        rows = np.concatenate([self.rows, self.codes[changed]])
        counts = np.concatenate(
            [
                self.row_counts - np.bincount(self.row_of[changed], minlength=len(self.rows)),
                np.ones(len(changed), dtype=np.int64),
            ]
        )
        observed = observed_bits(rows)
        asking = observed_bits(self.codes[self.lacking])
        self.matched = np.zeros(len(self.lacking), dtype=np.int64)
        kinds = [(kind, np.flatnonzero(observed == kind)) for kind in np.unique(observed)]
        for mine in np.unique(asking):
            here = np.flatnonzero(asking == mine)
            total = np.zeros(len(here), dtype=np.int64)
            for theirs, there in kinds:
                add_matches(
                    self.codes[self.lacking[here]],
                    rows[there],
                    counts[there],
                    mine & theirs,
                    *self.prints_of.kernel,
                    total,
                )
            self.matched[here] = total
        short = self.matched < self.k
        self.lacking, self.matched = self.lacking[short], self.matched[short]

    def try_patterns(self, patterns: Array) -> None:
        """Help as many lacking records as possible by suppressing one set of keys in some of a group."""
        from sdc.kernels import suppression_cells as cell_kernels
        from sdc.kernels import suppression_matches as match_kernels
        from sdc.kernels.hash_table import grouped

        pool = self.lacking.astype(np.int32)
        asking = self.codes[pool]
        observed = observed_bits(asking)
        places = np.arange(len(pool), dtype=np.int32)
        keys, counts = cell_kernels.destinations(
            self.prints_of.rows(asking), asking, observed, places, patterns, *self.prints_of.kernel
        )
        dest, table, slots, zeros = cell_kernels.cells_of(keys, counts)
        del keys, counts
        sizes, donor, under = match_kernels.group_sizes(
            self.row_prints,
            self.rows,
            self.row_observed,
            self.row_counts,
            patterns,
            *self.prints_of.kernel,
            table,
            slots,
            len(zeros),
        )
        del table, slots
        starts, order = grouped(dest.reshape(-1), len(zeros))
        donor_keys = patterns[under] & self.row_observed[donor]
        donors = (self.rows, donor, donor_keys, self.row_counts[donor])
        pattern_of, given = match_kernels.cover(
            dest,
            starts,
            order,
            sizes,
            *donors,
            asking,
            self.matched,
            self.costs,
            self.k,
            patterns,
            observed,
            self.budget,
        )
        taken = pattern_of >= 0
        self._blank(pool[taken], patterns[pattern_of[taken]])
        for group in np.flatnonzero(given):
            members = self.row_members[self.row_starts[donor[group]] :][: given[group]]
            self._blank(members, np.full(len(members), donor_keys[group], dtype=np.uint64))

    def _blank(self, records: Array, keys: Array) -> None:
        for place in range(len(self.columns)):
            self.codes[records[((keys >> np.uint64(place)) & np.uint64(1)).astype(bool)], place] = -1
