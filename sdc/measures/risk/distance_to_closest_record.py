"""Are the candidate's records nearer to people of the original than to people no method saw?"""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.neighbours import neighbours, placed, shared_columns

PERCENTILE = 5


@measure(
    family=Family.RISK,
    better=Better.HIGHER,
    unit=Unit.RATIO,
    against="1: as near as to people no method saw",
    needs=(Need.HOLDOUT,),
    alternatives=("membership_inference",),
    parts=(
        "share_closer_to_original:lower:0..1 expected_share_closer nndr:higher:0..1"
        " identical_share:lower:0..1 identical_to_holdout at_equal_sizes"
    ),
)
def distance_to_closest_record(
    pair: ReleasePair, *, rng: np.random.Generator, variables: list[Column] | None = None
) -> Measurement | NotAssessed:
    """How close candidate records come to the original, compared with how close they come to the holdout.

    The value is the 5th percentile of the distances to the closest original record, over that of the
    distances to the closest record of the holdout.

    Gower's distance on all analysed variables (or those named), a missing value being a category, by an exact
    search of all records: 1 where both percentiles are 0. A larger table is nearer by its number alone, so
    the value lies below 1 where the holdout is the smaller one: at_equal_sizes is the same after the larger
    was thinned at random to the size of the smaller. Compare share_closer_to_original (a tie counts half)
    with expected_share_closer, the original's share of the records of both. nndr is the 5th percentile of the
    distance to the closest over that to the second closest original record (1 where both are 0);
    identical_share is the share of candidate records equal to an original one, identical_to_holdout to one of
    the holdout. For information: distances miss leaks that attacks find, so that no release may depend on
    this measure alone.

    Formula: Q_0.05(min_j d(y_i, x_j)) / Q_0.05(min_j d(y_i, h_j)), x the original, h the holdout, y the
    candidate.

    Reference: Platzer, Reutterer (2021), doi:10.3389/fdata.2021.679939; Yao, Krčo, Ganev, de Montjoye (2025),
    The DCR Delusion, arXiv:2505.01524.
    """
    columns = shared_columns(pair, variables, Side.HOLDOUT)
    if isinstance(columns, NotAssessed):
        return columns
    records = placed(pair, columns, Side.CANDIDATE)
    two = neighbours(pair, columns, Side.ORIGINAL).nearest(records, 2)
    original, holdout = two[:, 0], neighbours(pair, columns, Side.HOLDOUT).nearest(records)[:, 0]
    ratio = _ratio(original, holdout)
    if ratio is None:
        return NotAssessed(
            f"{int((holdout == 0).sum())} records of the candidate equal one of the holdout: their distances"
            " have no ratio"
        )
    thinned = _at_equal_sizes(pair, columns, records, (original, holdout), rng)
    sizes = pair.original.rows, pair.table(Side.HOLDOUT).rows
    parts = {
        "share_closer_to_original": ((original < holdout) + 0.5 * (original == holdout)).mean(),
        "expected_share_closer": sizes[0] / sum(sizes),
        "nndr": np.percentile(_over(original, two[:, 1]), PERCENTILE),
        "identical_share": (original == 0).mean(),
        "identical_to_holdout": (holdout == 0).mean(),
    }
    return Measurement(ratio, parts if thinned is None else {**parts, "at_equal_sizes": thinned})


def _ratio(original: Array, holdout: Array) -> float | None:
    near, far = np.percentile(original, PERCENTILE), np.percentile(holdout, PERCENTILE)
    if far == 0:
        return 1.0 if near == 0 else None
    return float(near / far)


def _over(first: Array, second: Array) -> Array:
    """The closest over the second closest: 0 where there is no second, 1 where both distances are zero."""
    return np.where(second > 0, first / np.where(second > 0, second, 1.0), 1.0)


def _at_equal_sizes(
    pair: ReleasePair,
    columns: tuple[str, ...],
    records: Array,
    distances: tuple[Array, Array],
    rng: np.random.Generator,
) -> float | None:
    """The ratio after the larger of the two tables was thinned to the size of the smaller."""
    from sdc.statistics.neighbours.search import Neighbours

    original, holdout = distances
    sides = sorted((Side.ORIGINAL, Side.HOLDOUT), key=lambda side: pair.table(side).rows)
    few, many = (pair.table(side).rows for side in sides)
    if few == many:
        return _ratio(original, holdout)
    larger = neighbours(pair, columns, sides[1])
    kept = Neighbours(larger.space, larger.points[:, rng.choice(many, size=few, replace=False)]).nearest(
        records
    )[:, 0]
    return _ratio(kept, holdout) if sides[1] is Side.ORIGINAL else _ratio(original, kept)
