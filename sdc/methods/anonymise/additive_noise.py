"""What if every number were slightly wrong?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import Need, NumberColumn, Protected, Protection, Touches, method, unless_told
from sdc.data.roles import Roles
from sdc.errors import BadOption
from sdc.methods import columns
from sdc.statistics.noise.normal_noise import Law, covariance, deviations, noise, restored, standard

if TYPE_CHECKING:
    import pandas as pd


@method(
    protection=Protection.PERTURBATIVE,
    touches=Touches.NUMERIC,
    needs={Need.NUMERIC: unless_told("variables")},
    columnwise=True,
)
def additive_noise(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    variables: list[NumberColumn] | None = None,
    kind: Literal["independent", "correlated", "restricted", "multiplicative"] = "correlated",
    level: Annotated[float, Field(gt=0)] = 0.1,
    law: Law = "normal",
    mean: dict[NumberColumn, float] = {},  # noqa: B006
) -> Protected:
    """Noise is added to numbers, with `level` times their standard deviation.

    independent: each variable by itself, so that correlations shrink. correlated: with level^2 times the
    covariance (n - 1, complete records), so that correlations are kept in expectation and the covariance
    grows by 1 + level^2. restricted: the noisy complete records are then moved and turned so that their means
    and covariances are exactly those they had; others keep their correlated noise. multiplicative: each value
    is multiplied by a factor of mean 1 and standard deviation `level`, so that large values move most and
    zeros stay. Missing stays missing; a variable without variance stays as it is.

    `law` is that of the noise, uniform and exponential (skewed to the right) with the same mean and variance
    as the normal one; correlated noise adds up several draws and is nearer to normal. `mean` gives variables
    a mean of the noise other than 0, in their own unit: the mean of the released variable moves by as much.

    Formula: y_i = x_i + e_i, e ~ N(mean, level² Σ), Σ the diagonal of variances (independent) or the
    covariance (correlated, restricted); multiplicative: y_i = x_i u_i, u ~ (1, level²).

    Reference: Kim (1986), A method for limiting disclosure in microdata based on random noise and
    transformation, Proceedings of the Section on Survey Research Methods, ASA, 303-308; Brand (2002),
    doi:10.1007/3-540-47804-3_8.
    """
    names = columns.numbers("additive_noise", table, roles, variables)
    values = table[names].to_numpy()
    if mean and kind in ("restricted", "multiplicative"):
        raise BadOption("additive_noise", "mean", f"{kind} noise has its own mean")
    if strangers := [name for name in mean if name not in names]:
        raise BadOption("additive_noise", "mean", f"{strangers[0]} gets no noise")
    held = covariance(values) if kind in ("correlated", "restricted") else np.diag(deviations(values) ** 2)
    if kind == "multiplicative":
        noisy = values * (1.0 + level * standard(rng, values.shape, law))
    else:
        noisy = (
            values
            + noise(rng, len(values), level**2 * held, law)
            + np.array([mean.get(name, 0.0) for name in names])
        )
    complete = ~np.isnan(values).any(axis=1)
    if kind == "restricted" and np.count_nonzero(complete) > 1:
        noisy[complete] = restored(noisy[complete], values[complete])
    still = [name for name, spread in zip(names, np.diag(held), strict=True) if spread == 0]
    noisy = np.where([name in still for name in names], values, noisy)
    released = table.copy(deep=False)
    released[names] = noisy
    return Protected(released, record={"without_variance": still, "level": level, "law": law})
