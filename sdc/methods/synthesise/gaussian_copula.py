"""Which records have the observed margins and a normal dependence?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Protected, Protection, method
from sdc.data.roles import Roles
from sdc.kernels.one_thread import one_thread
from sdc.methods import columns
from sdc.methods.synthetic import SyntheticFrame, drawn_names
from sdc.statistics.synthesis.copula import copula_correlation, copula_levels, empirical_quantile

if TYPE_CHECKING:
    import pandas as pd


@method(protection=Protection.SYNTHETIC, aligned=False)
@one_thread()
def gaussian_copula(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    rows: Annotated[int, Field(ge=1)] | None = None,
) -> Protected:
    """Quantiles of the variables at normal scores that are drawn with the observed correlations.

    Values are observed ones. A category counts by the order of its categories, which is its own where it is
    ordinal and arbitrary where not: dependence of unordered categories is kept only as far as it follows that
    order. Correlations are those of the normal variables behind variables of few values; missing values are
    together below all others.

    Formula: y_v = F_v^{-1}(Φ(z_v)), z ~ N(0, R), R the correlations of the normal scores of the original.

    Reference: Nelsen (2006), doi:10.1007/0-387-28678-0; Olsson, Drasgow, Dorans (1982),
    doi:10.1007/BF02294164.
    """
    names = drawn_names(table, roles)
    held = [columns.as_numbers(table[name]) for name in names]
    levels = copula_levels(copula_correlation(held), rows or len(table), rng)
    values = {
        name: empirical_quantile(column, levels[:, place])
        for place, (name, column) in enumerate(zip(names, held, strict=True))
    }
    return Protected(SyntheticFrame(table, roles).of(values))
