"""How much closer to the truth the average over several releases is than one of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdc.arrays import Array
from sdc.statistics.counts.equivalence import numbered, packed


def averages(releases: Sequence[Array]) -> Array:
    """The mean of the values that the releases show for each record, NaN where none shows one."""
    shown = np.sum([~np.isnan(release) for release in releases], axis=0)
    total = np.sum([np.nan_to_num(release) for release in releases], axis=0)
    return np.where(shown > 0, total / np.maximum(shown, 1), np.nan)


def recovered_only_by_averaging(truth: Array, releases: Sequence[Array], tolerance: float) -> Array:
    """Which values the average meets to within `tolerance` times their size, while no release alone does."""
    alone = np.any([_met(truth, release, tolerance) for release in releases], axis=0)
    return _met(truth, averages(releases), tolerance) & ~alone


def _met(truth: Array, estimate: Array, tolerance: float) -> Array:
    return np.abs(estimate - truth) <= tolerance * np.abs(truth)


def error_ratio(truth: Array, releases: Sequence[Array]) -> float | None:
    """Root mean squared error of the average over that of the first release, where both are known.

    The error of m independent unbiased releases falls to 1 / sqrt(m). None where the first has no error.
    """
    known = ~(np.isnan(truth) | np.isnan(releases[0]))
    alone = np.square(releases[0][known] - truth[known]).sum()
    together = np.square(averages(releases)[known] - truth[known]).sum()
    return float(np.sqrt(together / alone)) if alone > 0 else None


def counts_of_cells(tables: Sequence[Sequence[Array]]) -> tuple[Array, Array]:
    """The cell of each record of the first table, and the count of every cell that any table has.

    Counts have a row for each table.

    Each table has its columns as codes on common levels, -1 where missing.
    """
    pooled = [np.concatenate(columns) for columns in zip(*tables, strict=True)]
    distinct, place = numbered(packed(pooled))
    ends = np.cumsum([len(table[0]) for table in tables])
    places = np.split(place, ends[:-1])
    return places[0], np.array([np.bincount(each, minlength=distinct.size) for each in places])
