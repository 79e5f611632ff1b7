"""Which values could lie between those observed?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import Protected, Protection, method
from sdc.data.roles import Roles
from sdc.methods import columns
from sdc.methods.synthetic import SyntheticFrame, drawn_names, number_names, written
from sdc.statistics.sampling.bootstrap import bootstrap
from sdc.statistics.sampling.interpolation import below_own_rank, linear_one, linear_two
from sdc.statistics.sampling.shares_of_a_gap import Law, Shares, shares_of_a_gap

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array


@method(protection=Protection.SYNTHETIC, aligned=False)
def interpolation(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    kind: Literal["boxes", "linear_one", "linear_two"] = "boxes",
    law: Law = "uniform",
    shape: Annotated[float, Field(gt=0, le=1000)] = 2.0,
    rows: Annotated[int, Field(ge=1)] | None = None,
) -> Protected:
    """Numbers drawn between an observed value and the one below it.

    `boxes` draws a record, each number between its own rank and the one below, so that ranks depend on each
    other as observed; its categories and missing values are the record's. `linear_one` and `linear_two` draw
    each number by itself: the first with a point below the smallest (as far below it as the next lies above),
    the second without; dependence is lost, and categories are drawn together from the records. Each record is
    a household of its own.

    `law` says where between the two: `uniform`, `beta` with both parameters `shape`, or `normal` around the
    middle (its deviation a sixth of the gap, ends cut off). The last two keep farther from the values
    observed.

    Formula: y = x_(r−1) + u (x_(r) − x_(r−1)), u in [0, 1] from the law, r a rank drawn at random.

    Reference: Qu (2024), Contributions to Statistical Theory of Data Privacy, section 3.2.12; Banks (1988),
    doi:10.1093/biomet/75.4.673.
    """
    count = rows or len(table)
    chosen, shares = bootstrap(len(table), count, rng), shares_of_a_gap(law, shape)
    numbers = number_names(table, roles)
    values = {name: columns.as_numbers(table[name])[chosen] for name in drawn_names(table, roles)}
    for name, stream in zip(numbers, rng.spawn(len(numbers)), strict=True):
        observed = columns.as_numbers(table[name])
        known = observed[~np.isnan(observed)]
        drawn = values[name] if kind == "boxes" else observed[bootstrap(len(table), count, stream)]
        here = np.flatnonzero(~np.isnan(drawn))
        if here.size:
            drawn[here] = _between(known, drawn[here], kind, shares, stream)
        values[name] = written(table[name], drawn)
    return Protected(SyntheticFrame(table, roles).of(values))


def _between(known: Array, drawn: Array, kind: str, shares: Shares, rng: np.random.Generator) -> Array:
    points = np.unique(known)
    if kind == "linear_one" and points.size > 1:
        return linear_one(known, float(2 * points[0] - points[1]), drawn.size, rng, shares)
    if kind == "linear_two":
        return linear_two(known, drawn.size, rng, shares)
    return below_own_rank(known, drawn, rng, shares)
