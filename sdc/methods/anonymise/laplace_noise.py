"""How much noise hides everybody's value, whatever else is known?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from sdc.catalogue import OF_NUMBERS, Budget, MissingValues, Protected, Protection, always, method
from sdc.data.roles import Roles
from sdc.errors import BadOption
from sdc.methods import columns
from sdc.statistics.noise.privacy_noise import EPSILON, Bounds, laplace_noisy, laplace_scale

if TYPE_CHECKING:
    import pandas as pd

    from sdc.data.long_table import AnyTable


@method(
    protection=Protection.PERTURBATIVE,
    proves_budget=True,
    example={"epsilon": 1.0, "income": [0, 100_000], "age": [0, 110]},
    missing=MissingValues.FILLED,
    columnwise=True,
    in_parts=always,
)
def laplace_noise(
    table: AnyTable,
    roles: Roles,
    rng: np.random.Generator,
    /,
    *,
    epsilon: Annotated[float, EPSILON],
    missing_values: Literal["filled", "public"] = "filled",
    clamp: bool = False,
    **bounds: Annotated[Bounds, OF_NUMBERS],
) -> Protected:
    """Laplace noise for local differential privacy of the variables named.

    The guarantee, epsilon, is for each record as a whole.

    `with` maps each variable to its bounds [low, high], declared and never taken from the data; values
    outside are moved to the nearer bound. Each of m variables gets epsilon / m and noise of scale m (high -
    low) / epsilon. Noise is discrete on a grid a million times finer than its scale. A missing value is first
    filled with the middle of the bounds, so that even missingness is private; with `public` it stays missing,
    and then no budget is claimed. `clamp` moves results into the bounds. The guarantee is for these
    variables; what else is released about a record is not covered.

    Formula: y = x + e, P(e) ∝ exp(−|e| ε / (m (high − low))).

    Reference: Dwork, McSherry, Nissim, Smith (2006), doi:10.1007/11681878_14; Kasiviswanathan et al. (2011),
    doi:10.1137/090756090.
    """
    names = columns.numbers("laplace_noise", table, roles, list(bounds), "with")
    if not names:
        raise BadOption("laplace_noise", "with", "name a variable and its bounds, as in income: [0, 100000]")
    each = epsilon / len(names)

    def noisy(name: str, part: pd.DataFrame) -> dict[str, np.ndarray]:
        values, (low, high) = part[name].to_numpy(), bounds[name]
        missing = np.isnan(values)
        made = laplace_noisy(np.where(missing, (low + high) / 2, values), low, high, each, rng)
        made = np.clip(made, low, high) if clamp else made
        return {name: np.where(missing, np.nan, made) if missing_values == "public" else made}

    # Draws are repeated for all records together until each has its noise, so no part stands alone.
    for name in bounds:
        table = columns.changed(table, [name], partial(noisy, name), whole=True)
    scales = {name: laplace_scale(high - low, each) for name, (low, high) in bounds.items()}
    budget = Budget(epsilon) if missing_values == "filled" else None
    return Protected(table, record={"scale": scales, "covers": names}, budget=budget)
