"""Distances between two sets of counts over the same cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sdc.arrays import Array

PART = 2**20
"""So many records are counted at a time."""


@dataclass(frozen=True)
class TwoCounts:
    """Counts of the cells of one table in original and candidate; cells empty in both are left out.

    The scaled statistics (those that are counts of errors, not shares) take the candidate for a sample from
    the original's shares: under that null each has expectation `degrees` and its `standardised` form
    expectation one.
    """

    original: Array
    candidate: Array

    @classmethod
    def of(cls, original: Array, candidate: Array) -> TwoCounts:
        """Counts cell by cell; both tables must have records."""
        o, s = (np.asarray(counts, dtype=np.float64).ravel() for counts in (original, candidate))
        held = (o > 0) | (s > 0)
        return cls(o[held], s[held])

    @property
    def degrees(self) -> int:
        return max(self.original.size - 1, 0)

    @cached_property
    def _totals(self) -> tuple[float, float]:
        return math.fsum(self.original), math.fsum(self.candidate)

    @cached_property
    def candidate_share(self) -> float:
        """The candidate's share c of all records."""
        n, m = self._totals
        return m / (n + m)

    @cached_property
    def _gap(self) -> Array:
        """Candidate's count minus what the original's shares would give it.

        Exactly zero where the shares agree.
        """
        n, m = self._totals
        return (self.candidate * n - self.original * m) / n

    def standardised(self, statistic: float, degrees: int | None = None) -> float:
        """A scaled statistic over its degrees of freedom; a table of one cell cannot differ."""
        over = self.degrees if degrees is None else degrees
        return statistic / over if over else 0.0

    @cached_property
    def voas_williamson(self) -> float:
        """Sum of squared gaps over the pooled expected counts (Voas and Williamson)."""
        return math.fsum(self._gap**2 / (self.candidate_share * (self.original + self.candidate)))

    @property
    def chi_squared_as_printed(self) -> float | None:
        """Sum of (original - candidate)² / candidate on the raw counts.

        It is None where a candidate's cell is empty.
        """
        if not self.candidate.all():
            return None
        return math.fsum((self.original - self.candidate) ** 2 / self.candidate)

    @cached_property
    def freeman_tukey(self) -> float:
        n, m = self._totals
        return 4 * math.fsum((np.sqrt(self.candidate) - np.sqrt(self.original * m / n)) ** 2)

    @cached_property
    def jensen_shannon(self) -> float:
        """Divergence of the shares with logarithms to base 2: 0 for equal, 1 for disjoint."""
        n, m = self._totals
        p, q = self.original * m, self.candidate * n
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = [np.where(x > 0, x * np.log2(2 * x / (p + q)), 0.0) for x in (p, q)]
        return min(max(math.fsum(np.concatenate(terms)) / (2 * n * m), 0.0), 1.0)

    @property
    def jensen_shannon_scaled(self) -> float:
        """The divergence on the scale of a chi-squared: 8 m ln 2 times it."""
        return 8 * self._totals[1] * math.log(2) * self.jensen_shannon

    @cached_property
    def _shared(self) -> tuple[Array, Array]:
        both = (self.original > 0) & (self.candidate > 0)
        return self.original[both], self.candidate[both]

    @property
    def g_degrees(self) -> int:
        return max(self._shared[0].size - 1, 0)

    @cached_property
    def likelihood_ratio(self) -> float:
        """G over the cells that neither table leaves empty, shares within them."""
        o, s = self._shared
        if not o.size:
            return 0.0
        return max(2 * math.fsum(s * np.log(s * (math.fsum(o) / math.fsum(s)) / o)), 0.0)

    @cached_property
    def propensity_mse(self) -> float:
        """Mean squared distance of each cell's share of candidate records from c."""
        n, m = self._totals
        c = self.candidate_share
        return self.voas_williamson * c * (1 - c) ** 2 / (n + m)

    @cached_property
    def total_variation(self) -> float:
        """Half the sum of absolute differences of shares: the largest difference over all sets of cells."""
        n, m = self._totals
        return math.fsum(np.abs(self.candidate * n - self.original * m)) / (2 * n * m)

    @cached_property
    def largest_cell(self) -> float:
        """The largest difference of a single share."""
        n, m = self._totals
        return float(np.abs(self.candidate * n - self.original * m).max()) / (n * m)

    @cached_property
    def cumulative(self) -> float:
        """The largest difference of cumulative shares, in the order of the cells."""
        n, m = self._totals
        return float(np.abs(np.cumsum(self.candidate) * n - np.cumsum(self.original) * m).max()) / (n * m)

    @cached_property
    def rank_sum(self) -> float:
        """Wilcoxon's U of the candidate, records ranked by their cell's share of candidate records."""
        share = self.candidate / (self.original + self.candidate)
        _, place = np.unique(share, return_inverse=True)
        o, s = np.bincount(place, self.original), np.bincount(place, self.candidate)
        return math.fsum(s * (np.cumsum(o) - o / 2))

    @cached_property
    def percent_over_half(self) -> float:
        """Percent of records classified right by where their cell is over-represented, minus 50."""
        n, m = self._totals
        told = np.where(self.candidate * n > self.original * m, self.candidate, self.original)
        return 100 * math.fsum(told) / (n + m) - 50

    @cached_property
    def mean_absolute_difference(self) -> float:
        """Sum of absolute gaps over the candidate's records (twice the total variation)."""
        return 2 * self.total_variation

    @cached_property
    def weighted_absolute_difference(self) -> float:
        """Sum of absolute gaps over their standard errors, scaled to expectation one for each cell."""
        return math.fsum(
            np.abs(self._gap) / np.sqrt(self.candidate_share * (self.original + self.candidate))
        ) / math.sqrt(2 / math.pi)

    @cached_property
    def bhattacharyya(self) -> float:
        """Hellinger's distance of the shares."""
        n, m = self._totals
        return math.sqrt(math.fsum((np.sqrt(self.original / n) - np.sqrt(self.candidate / m)) ** 2) / 2)


def kullback_leibler(original: Array, candidate: Array) -> tuple[float, int]:
    """Sum of p ln(p / q) in nats, and the number of cells filled in.

    A cell that the original has and the candidate lacks would make it infinite: every such cell gets half a
    record in the candidate.
    """
    o, s = np.asarray(original, dtype=np.float64), np.asarray(candidate, dtype=np.float64)
    o, s = o[o > 0], s[o > 0]
    outside = math.fsum(np.asarray(candidate, dtype=np.float64)) - math.fsum(s)
    lacking = s == 0
    filled = np.where(lacking, 0.5, s)
    n, m = math.fsum(o), math.fsum(filled) + outside
    return max(math.fsum(o * np.log(o * m / (filled * n))) / n, 0.0), int(lacking.sum())


def shannon_entropy(counts: Array) -> float:
    """Entropy in nats of the shares of the counts."""
    held = np.asarray(counts, dtype=np.float64)
    held = held[held > 0]
    if not held.size:
        return 0.0
    n = math.fsum(held)
    return max(-math.fsum(held * np.log(held / n)) / n, 0.0)


def class_counts(ordered: Array, edges: Sequence[float]) -> Array:
    """How many of the sorted values lie in each class [a, b) between the edges, the outer classes open."""
    below = np.searchsorted(ordered, np.asarray(edges, dtype=np.float64), side="left")
    counts: Array = np.diff(np.concatenate([[0], below, [ordered.size]]))
    return counts


def joint_cells(codes: Sequence[Array], sizes: Sequence[int]) -> Array:
    """The cell of each record in a table of columns coded from -1 (missing) to below their sizes."""
    cell = np.zeros(codes[0].size, dtype=np.int64)
    for column, size in zip(codes, sizes, strict=True):
        cell *= size + 1
        cell += column
        cell += 1
    return cell


def _counted(codes: Sequence[Array], sizes: Sequence[int], cells: int) -> Array:
    """How many records are in each cell, counted a part of them at a time."""
    counts = np.zeros(cells, dtype=np.int64)
    for begin in range(0, codes[0].size, PART):
        part = [column[begin : begin + PART] for column in codes]
        counts += np.bincount(joint_cells(part, sizes), minlength=cells)
    return counts


def joint_counts(original: Sequence[Array], candidate: Sequence[Array], sizes: Sequence[int]) -> TwoCounts:
    """The counts of the table of several coded columns in both tables."""
    cells = math.prod(size + 1 for size in sizes)
    many = cells > 8 * (original[0].size + candidate[0].size) + 1000
    if cells <= PART and not many:
        return TwoCounts.of(*(_counted(codes, sizes, cells) for codes in (original, candidate)))
    places = [joint_cells(codes, sizes) for codes in (original, candidate)]
    if many:
        _, inverse = np.unique(np.concatenate(places), return_inverse=True)
        places, cells = [inverse[: places[0].size], inverse[places[0].size :]], int(inverse.max()) + 1
    return TwoCounts.of(*(np.bincount(place, minlength=cells) for place in places))


@dataclass(frozen=True)
class CellDifference:
    """Mean absolute difference over all cells; mean relative one in percent over the original's cells."""

    mean: float
    mean_relative: float
    skipped: int


def cell_difference(original: Array, candidate: Array, grid: int) -> CellDifference:
    """Of the cells that occur; `grid` is the number of all combinations of categories."""
    gap = np.abs(np.asarray(original, dtype=np.float64) - candidate)
    held = original > 0
    relative = math.fsum(gap[held] / original[held]) / held.sum() if held.any() else 0.0
    return CellDifference(math.fsum(gap) / grid, 100 * float(relative), int(grid - held.sum()))
