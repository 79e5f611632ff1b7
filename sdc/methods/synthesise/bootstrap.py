"""What other sample could the same records have made?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import Column, Need, Protected, Protection, method
from sdc.data.roles import Roles
from sdc.methods import columns
from sdc.methods.synthetic import SyntheticFrame, drawn_names, shares_of
from sdc.statistics.sampling.bootstrap import bootstrap as draws

if TYPE_CHECKING:
    import pandas as pd


@method(
    protection=Protection.SYNTHETIC,
    aligned=False,
    needs={Need.WEIGHT: lambda options: options["weights"] == "case"},
    keeps_values=True,
)
def bootstrap(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    rows: Annotated[int, Field(ge=1)] | None = None,
    by: list[Column] = [],  # noqa: B006
    weights: Literal["none", "case"] = "none",
) -> Protected:
    """Whole records drawn with replacement, within each stratum of `by` in proportion to its size.

    With `weights: case` a record is drawn in proportion to its weight, and all drawn have the same weight.
    Records leave as they are: this is no protection by itself, but others are compared with it. Each is a
    household of its own.

    Formula: y_i = x_{J_i}, P(J = j) = 1 / n, or w_j / Σ w.

    Reference: Efron (1979), doi:10.1214/aos/1176344552.
    """
    held = columns.case_weights("bootstrap", table, roles) if weights == "case" else None
    groups = columns.strata("bootstrap", table, by)
    counts = shares_of(
        rows or len(table), [len(group) if held is None else float(held[group].sum()) for group in groups]
    )
    chosen = np.concatenate(
        [
            group[draws(len(group), count, rng, None if held is None else held[group])]
            for group, count in zip(groups, counts, strict=True)
            if count
        ]
    )
    names = [name for name in drawn_names(table, roles) if held is None or name != roles.weight]
    values = {name: columns.as_numbers(table[name])[chosen] for name in names}
    return Protected(SyntheticFrame(table, roles, None if held is None else float(held.sum())).of(values))
