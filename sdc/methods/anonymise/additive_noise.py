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

    from sdc.data.long_table import AnyTable


@method(
    protection=Protection.PERTURBATIVE,
    touches=Touches.NUMERIC,
    needs={Need.NUMERIC: unless_told("variables")},
    columnwise=True,
    # A covariance is taken from all records, and what is restored is turned as a whole.
    in_parts=lambda options: options["kind"] in ("independent", "multiplicative"),
)
def additive_noise(
    table: AnyTable,
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
    if mean and kind in ("restricted", "multiplicative"):
        raise BadOption("additive_noise", "mean", f"{kind} noise has its own mean")
    if strangers := [name for name in mean if name not in names]:
        raise BadOption("additive_noise", "mean", f"{strangers[0]} gets no noise")
    if kind in ("correlated", "restricted"):
        held = covariance(columns.loaded(table, names).to_numpy())
    else:
        held = np.diag([_deviation(table, name) ** 2 for name in names])
    still = np.diag(held) == 0
    means = np.array([mean.get(name, 0.0) for name in names])

    def noisy(part: pd.DataFrame) -> dict[str, np.ndarray]:
        values = part[names].to_numpy()
        if kind == "multiplicative":
            made = values * (1.0 + level * standard(rng, values.shape, law))
        else:
            made = values + noise(rng, len(values), level**2 * held, law) + means
        complete = ~np.isnan(values).any(axis=1)
        if kind == "restricted" and np.count_nonzero(complete) > 1:
            made[complete] = restored(made[complete], values[complete])
        return dict(zip(names, np.where(still, values, made).T, strict=True))

    released = columns.changed(table, names, noisy)
    record = {
        "without_variance": [name for name, no_noise in zip(names, still, strict=True) if no_noise],
        "level": level,
        "law": law,
    }
    return Protected(released, record=record)


def _deviation(table: AnyTable, name: str) -> float:
    (spread,) = deviations(columns.loaded(table, [name]).to_numpy())
    return float(spread)
