"""Did the shape of the cloud of points change?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sdc.catalogue import Better, Column, Family, Need, measure
from sdc.comparison import comparable_numbers
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair, Side
from sdc.statistics.dependence import correlation_matrix

Array = np.ndarray[Any, Any]

SMALLEST = 1e-10


@measure(family=Family.UTILITY, better=Better.LOWER, needs=(Need.NUMERIC,), parts="robust left_out original.NUMBER candidate.NUMBER")
def eigenvalue_change(pair: ReleasePair, *, variables: list[Column] | None = None) -> Measurement | NotAssessed:
    """The sum of relative changes |e - e'| / e of the sorted eigenvalues of the covariance of the standardised variables.

    That is of the correlation matrix, so units do not matter. Records with any numeric value missing are left out. An
    eigenvalue the original does not have (variables that follow from others) is left out and counted in `left_out`.
    `robust` is the same on rank correlations brought to Pearson's scale by 2 sin(pi r / 6): outliers do not move it.

    Reference: Templ, Kowarik and Meindl (2015), doi:10.18637/jss.v067.i04.
    """
    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    tables = [_complete(pair, columns, side) for side in (Side.ORIGINAL, Side.CANDIDATE)]
    if not all(table[0].size for table in tables):
        return NotAssessed("no record has all numeric values, in one of the tables")
    spectra = [_eigenvalues(correlation_matrix(table)) for table in tables]
    ranked = [2 * np.sin(np.pi / 6 * correlation_matrix(table, of_ranks=True)) for table in tables]
    parts = {f"{name}.{place}": value for name, spectrum in zip(("original", "candidate"), spectra, strict=True) for place, value in spectrum}
    changes = _changes(*spectra)
    robust = _changes(*(_eigenvalues(matrix) for matrix in ranked))
    return Measurement(math.fsum(changes), {"robust": math.fsum(robust), "left_out": len(columns) - len(changes), **parts})


def _complete(pair: ReleasePair, columns: tuple[str, ...], side: Side) -> list[Array]:
    numbers = [pair.numbers(column, side) for column in columns]
    complete = ~np.any([np.isnan(held) for held in numbers], axis=0)
    return numbers if complete.all() else [held[complete] for held in numbers]


def _eigenvalues(matrix: Array) -> list[tuple[int, float]]:
    """From the largest down, counted from 1."""
    return list(enumerate(np.linalg.eigvalsh(matrix)[::-1].tolist(), start=1))


def _changes(original: list[tuple[int, float]], candidate: list[tuple[int, float]]) -> list[float]:
    return [abs(x - y) / x for (_, x), (_, y) in zip(original, candidate, strict=True) if x > SMALLEST]
