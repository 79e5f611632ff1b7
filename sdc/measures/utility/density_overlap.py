"""How much do the contour plots of two variables overlap?"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Annotated

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.comparison import comparable_numbers, seldom_together
from sdc.statistics.distances.density import grid_density, reference_bandwidth


@measure(
    family=Family.UTILITY,
    better=Better.HIGHER,
    unit=Unit.SHARE,
    against="1: nothing done; 0: no overlap",
    bounds=(0, 1),
    needs=(Need.NUMERIC,),
    parts="mean pairs_left_out overlap.VARIABLE.VARIABLE",
)
def density_overlap(
    pair: ReleasePair,
    *,
    pairs: list[tuple[Column, Column]] | None = None,
    grid: Annotated[int, Field(ge=5, le=500)] = 50,
    bandwidth: Annotated[float, Field(gt=0)] = 1.0,
    least: Annotated[int, Field(ge=2)] = 30,
) -> Measurement | NotAssessed:
    """The smallest overlap (1 - half the L1 distance) of the joint densities of a pair of numeric variables.

    Gaussian product kernels on a grid over the values of both tables; the bandwidth of a variable is the
    normal reference rule of the original times `bandwidth`, the same for both tables. Records with both
    values are used; a candidate without any has overlap 0. Some pairs are left out and counted in
    `pairs_left_out`: those with a variable that does not vary in the original and, unless `pairs` are named,
    those of which fewer than `least` original records of a table with more have both values, because a few
    records have no density. `overlap.A.B` is each pair's, `mean` their mean. No p-value is given: the tables
    are dependent.

    Formula: min over pairs of 1 − ½ ∫ |f(u, v) − g(u, v)| du dv, f and g the kernel estimates of both tables.

    Reference: Venables and Ripley (2002), Modern Applied Statistics with S, section 5.6,
    doi:10.1007/978-0-387-21706-2.
    """
    named = sorted({column for chosen in pairs for column in chosen}) if pairs else None
    columns = comparable_numbers(pair, named)
    if isinstance(columns, NotAssessed):
        return columns
    parts, asked = {}, pairs or list(combinations(columns, 2))
    for one, other in asked:
        if not pairs and seldom_together(pair, one, other, least):
            continue
        original, candidate = (_points(pair, one, other, side) for side in (Side.ORIGINAL, Side.CANDIDATE))
        overlap = _overlap(original, candidate, grid, bandwidth)
        if overlap is not None:
            parts[f"overlap.{one}.{other}"] = overlap
    if not parts:
        return NotAssessed("no two numeric variables vary and have values in both tables")
    facts = {"mean": math.fsum(parts.values()) / len(parts), "pairs_left_out": len(asked) - len(parts)}
    return Measurement(min(parts.values()), {**facts, **parts})


def _points(pair: ReleasePair, one: str, other: str, side: Side) -> Array:
    points = np.array([pair.numbers(column, side) for column in (one, other)])
    return points[:, ~np.isnan(points).any(axis=0)]


def _overlap(original: Array, candidate: Array, size: int, bandwidth: float) -> float | None:
    if original.shape[1] < 2 or (np.ptp(original, axis=1) == 0).any():
        return None
    if not candidate.size:
        return 0.0
    widths = [reference_bandwidth(values) * bandwidth for values in original]
    pooled = np.concatenate([original, candidate], axis=1)
    axes = [
        np.linspace(values.min() - 3 * width, values.max() + 3 * width, size)
        for values, width in zip(pooled, widths, strict=True)
    ]
    # A kernel narrower than the grid would fall between its points.
    widths = [max(width, float(points[1] - points[0])) for width, points in zip(widths, axes, strict=True)]
    densities = [
        grid_density(points[0], points[1], (axes[0], axes[1]), (widths[0], widths[1]))
        for points in (original, candidate)
    ]
    return max(1 - math.fsum(np.abs(densities[0] - densities[1]).ravel()) / 2, 0.0)
