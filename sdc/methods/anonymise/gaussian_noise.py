"""How much normal noise hides everybody's value, except for a small chance?"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from sdc.catalogue import OF_NUMBERS, Budget, MissingValues, Protected, Protection, always, method
from sdc.data.roles import Roles
from sdc.errors import BadOption
from sdc.methods import columns
from sdc.statistics.noise.privacy_noise import (
    DELTA,
    EPSILON,
    Bounds,
    analytic_sigma,
    classical_sigma,
    normal_noisy,
)

if TYPE_CHECKING:
    import pandas as pd

    from sdc.data.long_table import AnyTable


@method(
    protection=Protection.PERTURBATIVE,
    proves_budget=True,
    example={"epsilon": 2.0, "delta": 1e-5, "income": [0, 100_000]},
    missing=MissingValues.FILLED,
    columnwise=True,
    in_parts=always,
)
def gaussian_noise(
    table: AnyTable,
    roles: Roles,
    rng: np.random.Generator,
    /,
    *,
    epsilon: Annotated[float, EPSILON],
    delta: Annotated[float, DELTA],
    calibration: Literal["automatic", "classical", "analytic"] = "automatic",
    missing_values: Literal["filled", "public"] = "filled",
    clamp: bool = False,
    **bounds: Annotated[Bounds, OF_NUMBERS],
) -> Protected:
    """Normal noise for local (epsilon, delta)-differential privacy of the variables named.

    The guarantee is for each record as a whole.

    `with` maps each variable to its bounds [low, high], declared and never taken from the data; values
    outside are moved to the nearer bound. Each of m variables is divided by the width of its bounds, so that
    a record moves by at most sqrt(m), and gets noise for that. The classical calibration holds below epsilon
    = 1 and is used there, the exact analytic one from 1 on. A missing value is first filled with the middle
    of the bounds; with `public` it stays missing, and then no budget is claimed. `clamp` moves results into
    the bounds. What else is released about a record is not covered.

    Formula: y = x + (high − low) e, e ~ N(0, s²), s the smallest deviation that is (ε, δ)-private for the
    sensitivity √m; below ε = 1 s = √(2 ln(1.25 / δ)) √m / ε.

    Reference: Balle, Wang (2018), arXiv:1805.06530; Dwork, Roth (2014), theorem A.1, doi:10.1561/0400000042.
    """
    names = columns.numbers("gaussian_noise", table, roles, list(bounds), "with")
    if not names:
        raise BadOption("gaussian_noise", "with", "name a variable and its bounds, as in income: [0, 100000]")
    if calibration == "classical" and epsilon >= 1:
        raise BadOption(
            "gaussian_noise",
            "calibration",
            "the classical calibration proves nothing for epsilon of 1 or more",
        )
    classical = calibration == "classical" or (calibration == "automatic" and epsilon < 1)
    sigma = (classical_sigma if classical else analytic_sigma)(sqrt(len(names)), epsilon, delta)
    sigmas = {name: sigma * (high - low) for name, (low, high) in bounds.items()}

    def noisy(name: str, part: pd.DataFrame) -> dict[str, np.ndarray]:
        values, (low, high) = part[name].to_numpy(), bounds[name]
        missing = np.isnan(values)
        made = normal_noisy(np.where(missing, (low + high) / 2, values), low, high, sigmas[name], rng)
        made = np.clip(made, low, high) if clamp else made
        return {name: np.where(missing, np.nan, made) if missing_values == "public" else made}

    for name in bounds:
        table = columns.changed(table, [name], partial(noisy, name))
    budget = Budget(epsilon, delta) if missing_values == "filled" else None
    record = {"sigma": sigmas, "calibration": "classical" if classical else "analytic", "covers": names}
    return Protected(table, record=record, budget=budget)
