"""What would numbers be, by a regression with noise, or by Laplace noise where that changes them less?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from sdc.catalogue import Column, Need, NumberColumn, Protected, Protection, Touches, method, unless_told
from sdc.data.roles import Roles
from sdc.errors import BadOption
from sdc.kernels.one_thread import one_thread
from sdc.methods import columns
from sdc.methods.explained import Explained
from sdc.methods.synthetic import drawn_names
from sdc.run.progress import work_of
from sdc.statistics.noise.privacy_noise import EPSILON, Bounds
from sdc.statistics.synthesis.feature import CompleteFeature
from sdc.statistics.synthesis.regression import Linear
from sdc.statistics.synthesis.selection import Selection

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array


@method(
    protection=Protection.PERTURBATIVE,
    aligned=True,
    touches=Touches.NUMERIC,
    needs={Need.NUMERIC: unless_told("variables")},
    example={"epsilon": 1.0},
)
@one_thread()
def regression_laplace(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    epsilon: Annotated[float, EPSILON],
    variables: list[NumberColumn] | None = None,
    bounds: dict[Column, Bounds] = {},  # noqa: B006
    select: Selection = "lasso",
    penalty: Annotated[float, Field(ge=0)] = 0.01,
    least: Annotated[float, Field(ge=0)] = 0.05,
    symmetric: bool = False,
) -> Protected:
    """Numbers by a regression with noise, or by Laplace noise: experimental, without any guarantee.

    It was not proved to be differentially private, so it has no privacy budget.

    A number is predicted from the observed values of the others that `select` keeps, and normal noise E of
    the residual variance is added. L is Laplace noise of scale D / epsilon, with D the width of `bounds` or
    of the observed range. Where the change |x_new - x| is at least L the new value stays, otherwise it is x +
    L. Only positive L exceed a change, so the means of numbers rise, by up to D / (2 epsilon); `symmetric`
    compares with |L| instead, and means stay. Because the comparison and the coefficients look at the data
    without noise, epsilon is the size of the noise and no measure of privacy. Missing values stay missing;
    other variables are as they were.

    Formula: x_new = X b + E, E ~ N(0, s²), L ~ Laplace(D / ε); y = x_new where |x_new − x| ≥ L, else x + L.

    Reference: Qu (2024), Contributions to Statistical Theory of Data Privacy, section 4.6.
    """
    chosen = columns.numbers("regression_laplace", table, roles, variables)
    columns.known("regression_laplace", table, bounds, "bounds")
    explained = Explained(table, drawn_names(table, roles), select, penalty, least)
    made: dict[str, Any] = {}
    replaced: dict[str, int] = {}
    with work_of(len(explained.names)):
        needed = explained.needed
    for name, stream in zip(chosen, rng.spawn(len(chosen)), strict=True):
        values = columns.as_numbers(table[name])
        there = np.flatnonzero(~np.isnan(values))
        if not there.size:
            made[name] = values
            continue
        low, high = bounds.get(name, (float(values[there].min()), float(values[there].max())))
        if not (low <= values[there].min() and values[there].max() <= high):
            raise BadOption("regression_laplace", "bounds", f"{name} has values outside its bounds")
        observed = [feature.at(there) for other in needed[name] for feature in explained.features[other]]
        drawn, noisy = _drawn(values[there], observed, (high - low) / epsilon, stream, symmetric=symmetric)
        made[name], replaced[name] = values.copy(), int(noisy.sum())
        made[name][there] = drawn
    record = {"guarantee": "none: experimental", "predictors": {name: needed[name] for name in chosen}}
    return Protected(table.assign(**made), record=record, sealed={"values_with_laplace_noise": replaced})


def _drawn(
    values: Array, observed: list[CompleteFeature], scale: float, rng: np.random.Generator, *, symmetric: bool
) -> tuple[Array, Array]:
    """The new values, and where they are the old ones with Laplace noise."""
    fit = Linear.fitted(CompleteFeature(values), observed, 0.0)
    means = fit.means(observed, len(values))
    spread = float((values - means).std(ddof=1)) if len(values) > 1 else 0.0
    made = means + spread * rng.standard_normal(len(values))
    laplace = rng.laplace(0.0, scale, len(values)) if scale > 0 else np.zeros(len(values))
    noisy = np.abs(made - values) < (np.abs(laplace) if symmetric else laplace)
    return np.where(noisy, values + laplace, made), noisy
