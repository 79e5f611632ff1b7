"""Which records would known families of distributions give?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import Column, method
from sdc.errors import BadOption, CannotProtect
from sdc.methods import columns
from sdc.methods.synthetic import SyntheticFrame, drawn_names, number_names, written
from sdc.protection import Protected, Protection
from sdc.roles import Roles
from sdc.statistics.one_thread import one_thread
from sdc.statistics.synthesis.copula import copula_correlation, copula_levels, empirical_quantile
from sdc.statistics.synthesis.families import Family, best_family, fit_family

if TYPE_CHECKING:
    import pandas as pd

    Array = np.ndarray[Any, Any]


@method(protection=Protection.SYNTHETIC, aligned=False)
@one_thread()
def parametric_margins(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    families: dict[Column, Family] = {},  # noqa: B006
    dependence: Literal["copula", "none"] = "copula",
    rows: Annotated[int, Field(ge=1)] | None = None,
) -> Protected:
    """Each number is the quantile of a family fitted to it, at a uniform level; categories have their observed shares.

    The family is the one named or the best of normal, lognormal, exponential, gamma and uniform by Akaike's criterion.
    Levels depend on each other as in a Gaussian copula, or not at all. Missing values keep their share. Numbers leave
    the observed range where the family does.

    Reference: Devroye (1986), doi:10.1007/978-1-4613-8643-8; Akaike (1974), doi:10.1109/TAC.1974.1100705.
    """
    numbers = number_names(table, roles)
    columns.known("parametric_margins", table, families, "families")
    for name in families:
        if name not in numbers:
            raise BadOption("parametric_margins", "families", f"{name} does not hold numbers")
    names, count = drawn_names(table, roles), rows or len(table)
    held = [columns.as_numbers(table[name]) for name in names]
    levels = copula_levels(copula_correlation(held), count, rng) if dependence == "copula" else rng.random((count, len(names)))
    values, used = {}, {}
    for place, (name, column) in enumerate(zip(names, held, strict=True)):
        known = column[~np.isnan(column)]
        values[name] = empirical_quantile(column, levels[:, place])
        if name in numbers and np.unique(known).size > 1:
            fitted = fit_family(known, families[name]) if name in families else best_family(known)
            if not np.isfinite(fitted.aic):
                raise CannotProtect("parametric_margins", f"{name} has values that {fitted.family} cannot have")
            used[name] = fitted.family
            gone = 1.0 - known.size / len(column)
            inner = np.clip((levels[:, place] - gone) / (1.0 - gone), 1e-12, 1 - 1e-12)
            values[name] = np.where(np.isnan(values[name]), np.nan, written(table[name], fitted.quantile(inner)))
    return Protected(SyntheticFrame(table, roles).of(values), record={"families": used})
