"""Which records would known families of distributions give?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import Column, Protected, Protection, method
from sdc.data.roles import Roles
from sdc.errors import BadOption, CannotProtect
from sdc.kernels.one_thread import one_thread
from sdc.methods import columns
from sdc.methods.synthetic import SyntheticFrame, drawn_names, number_names, written
from sdc.statistics.sampling.multivariate_inverse import multivariate_inverse
from sdc.statistics.synthesis.copula import copula_correlation, copula_levels, empirical_quantile
from sdc.statistics.synthesis.families import Family, FittedFamily, best_family, fit_family

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array


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
    """Each number is the quantile of a family fitted to it, at a uniform level.

    Categories have their observed shares.

    The family is the one named or the best of normal, lognormal, exponential, gamma and uniform by Akaike's
    criterion. Levels depend on each other as in a Gaussian copula, or not at all. Missing values keep their
    share. Numbers leave the observed range where the family does.

    Formula: y_v = F_θ^{-1}(u), θ by maximum likelihood, family of least AIC = 2 k − 2 ln L, u uniform or
    Φ(z), z ~ N(0, R).

    Reference: Devroye (1986), doi:10.1007/978-1-4613-8643-8; Akaike (1974), doi:10.1109/TAC.1974.1100705.
    """
    numbers = number_names(table, roles)
    columns.known("parametric_margins", table, families, "families")
    for name in families:
        if name not in numbers:
            raise BadOption("parametric_margins", "families", f"{name} does not hold numbers")
    names, count = drawn_names(table, roles), rows or len(table)
    held = [columns.as_numbers(table[name]) for name in names]
    fitted = {
        name: _family(name, column, families)
        for name, column in zip(names, held, strict=True)
        if name in numbers and _varies(column)
    }
    quantiles = [
        _quantile(table[name], column, fitted.get(name)) for name, column in zip(names, held, strict=True)
    ]
    levels = copula_levels(copula_correlation(held), count, rng) if dependence == "copula" else None
    drawn = multivariate_inverse(quantiles, count, rng, levels)
    record = {"families": {name: found.family for name, found in fitted.items()}}
    return Protected(SyntheticFrame(table, roles).of(dict(zip(names, drawn.T, strict=True))), record=record)


def _varies(column: Array) -> bool:
    return np.unique(column[~np.isnan(column)]).size > 1


def _family(name: str, column: Array, families: Mapping[str, Family]) -> FittedFamily:
    known = column[~np.isnan(column)]
    fitted = fit_family(known, families[name]) if name in families else best_family(known)
    if not np.isfinite(fitted.aic):
        raise CannotProtect("parametric_margins", f"{name} has values that {fitted.family} cannot have")
    return fitted


def _quantile(column: pd.Series, values: Array, fitted: FittedFamily | None) -> Callable[..., Array]:
    """The quantile function of a column: the observed values' or its family's.

    Missing values are the lowest.
    """
    if fitted is None:
        return lambda levels, *_: empirical_quantile(values, levels)
    gone = float(np.isnan(values).mean())

    def quantile(levels: Array, *_: Array) -> Array:
        inner = np.clip((levels - gone) / (1.0 - gone), 1e-12, 1 - 1e-12)
        return np.where(
            np.isnan(empirical_quantile(values, levels)), np.nan, written(column, fitted.quantile(inner))
        )

    return quantile
