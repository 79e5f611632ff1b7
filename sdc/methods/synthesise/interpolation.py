"""Which values could lie between those observed?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import method
from sdc.methods import columns
from sdc.methods.synthetic import SyntheticFrame, drawn_names, number_names, written
from sdc.protection import Protected, Protection
from sdc.roles import Roles
from sdc.statistics.sampling.interpolation import linear_one, linear_two

if TYPE_CHECKING:
    import pandas as pd

    Array = np.ndarray[Any, Any]


@method(protection=Protection.SYNTHETIC, aligned=False)
def interpolation(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    kind: Literal["boxes", "linear_one", "linear_two"] = "boxes",
    rows: Annotated[int, Field(ge=1)] | None = None,
) -> Protected:
    """Numbers drawn uniformly between an observed value and the one below it.

    `boxes` draws a record, each number between its own rank and the one below, so that ranks hang together as observed;
    its categories and missing values are the record's. `linear_one` and `linear_two` draw each number by itself: the first
    with a point below the smallest (as far below it as the next lies above), the second without; dependence is lost, and
    categories are drawn together from the records. Each record is a household of its own.

    Reference: Qu (2024), Contributions to Statistical Theory of Data Privacy, section 3.2.12; Banks (1988),
    doi:10.1093/biomet/75.4.673.
    """
    count = rows or len(table)
    chosen = np.floor(rng.random(count) * len(table)).astype(np.int64)
    numbers = number_names(table, roles)
    values = {name: columns.as_numbers(table[name])[chosen] for name in drawn_names(table, roles)}
    for name, stream in zip(numbers, rng.spawn(len(numbers)), strict=True):
        observed = columns.as_numbers(table[name])
        known = observed[~np.isnan(observed)]
        drawn = values[name] if kind == "boxes" else observed[np.floor(stream.random(count) * len(table)).astype(np.int64)]
        here = np.flatnonzero(~np.isnan(drawn))
        if here.size:
            drawn[here] = _between(known, drawn[here], kind, stream)
        values[name] = written(table[name], drawn)
    return Protected(SyntheticFrame(table, roles).of(values))


def _between(known: Array, drawn: Array, kind: str, rng: np.random.Generator) -> Array:
    points = np.unique(known)
    if points.size == 1:
        return drawn
    if kind == "linear_one":
        return linear_one(known, float(2 * points[0] - points[1]), drawn.size, rng)
    if kind == "linear_two":
        return linear_two(known, drawn.size, rng)
    rank = np.maximum(np.searchsorted(points, drawn), 1)
    return np.asarray(points[rank - 1] + rng.random(drawn.size) * (points[rank] - points[rank - 1]))
