"""Suppression that treats what a household has in common alike for all its members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sdc.arrays import Array
from sdc.statistics.suppression.demand import Demand, Terms, Unreachable
from sdc.statistics.suppression.solve import holds, suppressed


def suppressed_together(
    codes: Array,
    demands: Sequence[Demand],
    terms: Terms,
    common: Sequence[int],
    home: Array,
    *,
    wildcard: bool,
) -> Array:
    """As `suppressed`; a value of a `common` column that goes for one member goes for the whole `home`.

    Spreading a blank can leave too few records behind, and the next suppression blanks another member: the
    two take turns until both hold. Values only go missing, and all missing meets both, so this ends. Blanks
    that were there before are left alone.
    """
    gone_before = codes < 0
    made = codes
    while True:
        spent = (made < 0).sum(axis=0) - gone_before.sum(axis=0)
        left = np.array(terms.caps) - spent
        if (left < 0).any():
            raise Unreachable(tuple(int(place) for place in np.flatnonzero(left < 0)), int(-left.min()))
        made = suppressed(
            made, demands, replace(terms, caps=tuple(int(cap) for cap in left)), wildcard=wildcard
        )
        spread = _spread(made, gone_before, common, home)
        if np.array_equal(spread, made) and all(
            holds(made[:, demand.keys], demand.k, wildcard=wildcard) for demand in demands
        ):
            return made
        made = spread


def _spread(codes: Array, gone_before: Array, common: Sequence[int], home: Array) -> Array:
    """New blanks of the common columns given to every member."""
    made = codes.copy()
    for place in common:
        blanked = home[(codes[:, place] < 0) & ~gone_before[:, place]]
        made[np.isin(home, blanked), place] = -1
    return made
