"""Did the shape of the cloud of points change?"""

from __future__ import annotations

import math

import numpy as np

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.complete_records import complete_records
from sdc.statistics.distances.dependence import correlation_matrix
from sdc.statistics.distances.distribution_distance import scale_of

SMALLEST = 1e-10


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.SUMMED_CHANGES,
    against="0: nothing done",
    needs=(Need.NUMERIC,),
    parts="robust left_out variables original_records candidate_records original.NUMBER candidate.NUMBER",
)
def eigenvalue_change(
    pair: ReleasePair, *, variables: list[Column] | None = None
) -> Measurement | NotAssessed:
    """The sum of relative changes |e - e'| / e of the sorted eigenvalues of the correlation matrix.

    This is the covariance of the standardised variables, so units do not matter. A variable that does not
    vary in a table has variance 0 there; one that varies in the candidate only is in units of the standard
    deviation of both tables pooled. Unless named, the variables are those of which both tables have at least
    half of the values. Records with a missing value are left out; `variables`, `original_records` and
    `candidate_records` count what was used. An eigenvalue the original does not have (variables that follow
    from others, constants) is left out and counted in `left_out`. `robust` is the same on rank correlations
    brought to Pearson's scale by 2 sin(pi r / 6): outliers do not move it. No p-value is given: the tables
    are dependent.

    Formula: Σ_j |e_j − e'_j| / e_j, e_1 ≥ e_2 ≥ … the eigenvalues of the correlation matrix.

    Reference: Templ, Kowarik and Meindl (2015), doi:10.18637/jss.v067.i04.
    """
    records = complete_records(pair, variables)
    if isinstance(records, NotAssessed):
        return records
    if len(records.columns) < 2:
        return NotAssessed(
            "fewer than two numeric variables have values in both tables: one by itself has no shape"
        )
    tables = [list(np.ascontiguousarray(points.T)) for points in (records.original, records.candidate)]
    spread = _spread(*tables)
    spectra = [
        _eigenvalues(correlation_matrix(table), held) for table, held in zip(tables, spread, strict=True)
    ]
    ranked = [2 * np.sin(np.pi / 6 * correlation_matrix(table, of_ranks=True)) for table in tables]
    parts = {
        f"{name}.{place}": value
        for name, spectrum in zip(("original", "candidate"), spectra, strict=True)
        for place, value in spectrum
    }
    changes = _changes(*spectra)
    if not changes:
        return NotAssessed("no variable varies in the original: there is no shape to compare with")
    robust = _changes(*(_eigenvalues(matrix, held) for matrix, held in zip(ranked, spread, strict=True)))
    counts = {"left_out": len(records.columns) - len(changes), **records.parts()}
    return Measurement(math.fsum(changes), {"robust": math.fsum(robust), **counts, **parts})


def _spread(original: list[Array], candidate: list[Array]) -> tuple[Array, Array]:
    """The standard deviation of each standardised column: 1, or 0 for a constant.

    For a column that began to vary it is in the unit of both tables.
    """
    before, after = (
        np.array([np.ptp(column) > 0 for column in table], dtype=np.float64)
        for table in (original, candidate)
    )
    for place, (x, y) in enumerate(zip(original, candidate, strict=True)):
        if after[place] > before[place]:
            after[place] = float(np.std(y, ddof=1)) / scale_of(x, y)
    return before, after


def _eigenvalues(matrix: Array, spread: Array) -> list[tuple[int, float]]:
    """Eigenvalues of the covariance from these correlations and standard deviations, the largest first.

    They are counted from 1.
    """
    return list(enumerate(np.linalg.eigvalsh(matrix * np.outer(spread, spread))[::-1].tolist(), start=1))


def _changes(original: list[tuple[int, float]], candidate: list[tuple[int, float]]) -> list[float]:
    return [abs(x - y) / x for (_, x), (_, y) in zip(original, candidate, strict=True) if x > SMALLEST]
