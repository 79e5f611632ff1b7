"""Which records would noisy tables of a few variables give, chosen and joined with a proved privacy loss?"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import (
    Budget,
    Column,
    DeclaredCategories,
    Extra,
    NumberColumn,
    OfEachNumber,
    Protected,
    Protection,
    method,
)
from sdc.data.roles import Roles
from sdc.errors import CannotProtect
from sdc.methods.banded import WHY_DECLARED, WHY_PUBLIC, Banded, declared
from sdc.methods.marginal_library import expected_polars, steady
from sdc.methods.synthetic import SyntheticFrame, drawn_names
from sdc.statistics.noise.privacy_noise import EPSILON

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array


EXTRA = Extra("dp", ("opendp", "mbi", "polars"))
ORDERS = np.geomspace(1e-3, 1e7, 200_001)
"""Orders of the divergence above 1 that are tried."""
BISECTIONS = 60


@method(
    protection=Protection.SYNTHETIC,
    aligned=False,
    proves_budget=True,
    extra=EXTRA,
    example={"epsilon": 5.0, "algorithm": "fixed", "degree": 1},
    example_variables=("region", "sex", "marital_status", "health"),
)
def dp_marginals(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    epsilon: Annotated[float, EPSILON, DeclaredCategories(WHY_DECLARED)],
    delta: Annotated[float, Field(ge=0, lt=1)] = 0.0,
    algorithm: Literal["aim", "mst", "fixed"] = "aim",
    degree: Annotated[int, Field(ge=1, le=5)] = 2,
    edges: Annotated[dict[Column, list[float]], OfEachNumber(WHY_PUBLIC)] = {},  # noqa: B006
    whole: list[NumberColumn] = [],  # noqa: B006
    rows: Annotated[int, Field(ge=1)] | None = None,
) -> Protected:
    """Records drawn from a graphical model that agrees with noisy tables of up to `degree` variables.

    The library OpenDP measures and accounts: AIM chooses the tables that the model gets most wrong, MST those
    of a spanning tree, fixed takes all of the degree. The release is epsilon-private for adding or removing
    one record, or with `delta` rho-zero-concentrated with the largest rho that gives (epsilon, delta).
    Numbers need `edges`, within which values are drawn evenly, those named in `whole` among whole numbers; a
    missing value is a category. Edges, wholeness and the categories are assumed to be public knowledge, as in
    saturated_table. Noise is the library's own and cannot be seeded: the same profile gives another table
    each time.

    Formula: M(x) = t(x) + noise for the tables t chosen; y drawn from the graphical model p that minimises
    Σ_t ‖M_t − n p_t‖².

    Reference: McKenna, Miklau, Sheldon (2021), doi:10.29012/jpc.778; McKenna, Mullins, Sheldon, Miklau
    (2022), doi:10.14778/3551793.3551817; Bun, Steinke (2016), doi:10.1007/978-3-662-53641-4_24; Canonne,
    Kamath, Steinke (2020), The discrete Gaussian for differential privacy, arXiv:2004.00010, corollary 13.
    """
    table = declared(table, roles)
    banded = Banded(
        "dp_marginals", table, drawn_names(table, roles), edges, 1, public=True, whole=tuple(whole)
    )
    codes = _synthesised(banded, epsilon, delta, algorithm, degree, rows)
    values = banded.values(codes, rng)
    budget = Budget(epsilon, delta)
    return Protected(
        SyntheticFrame(table, roles).of(values),
        record={"algorithm": algorithm, "library": "opendp"},
        budget=budget,
    )


def rho(epsilon: float, delta: float) -> float:
    """The largest zero-concentrated privacy loss that implies (epsilon, delta), from below by bisection."""
    low, high = 0.0, epsilon
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if _log_delta(middle, epsilon) <= np.log(delta) else (low, middle)
    return low


def _log_delta(loss: float, epsilon: float) -> float:
    """The logarithm of the smallest delta that a loss has at epsilon.

    It is exp((a - 1)(a rho - epsilon)) (1 - 1/a)^a / (a - 1) for any order a > 1. Every order gives a valid
    delta, so that the least over a grid is never too small.
    """
    order = 1.0 + ORDERS
    bounds = (order - 1) * (order * loss - epsilon) + (order - 1) * np.log1p(-1 / order) - np.log(order)
    return float(bounds.min())


def _synthesised(
    banded: Banded, epsilon: float, delta: float, algorithm: str, degree: int, rows: int | None
) -> Array:
    """Codes of synthetic records, each variable's last code for missing."""
    if EXTRA.missing:
        raise CannotProtect("dp_marginals", f"{EXTRA.lack}; {EXTRA.remedy}")
    import polars as pl

    dp = steady()
    _refuse_other_release(expected_polars(), pl.__version__)
    places = [f"v{place}" for place in range(len(banded.names))]
    last = [size - 1 for size in banded.shape]
    coded = {
        place: np.where(column == gone, np.nan, column)
        for place, gone, column in zip(places, last, banded.codes.T, strict=True)
    }
    frame = pl.DataFrame(coded, nan_to_null=True).cast(pl.Int64)
    loss = {"epsilon": float(epsilon)} if delta == 0 else {"rho": rho(epsilon, delta)}
    keys = {place: list(range(gone)) for place, gone in zip(places, last, strict=True)}
    try:
        context = dp.Context.compositor(
            data=frame.lazy(), privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(**loss)
        )
        query = context.query(**loss).select(*places)
        released = query.contingency_table(
            keys=keys, algorithm=_algorithm(dp, algorithm, degree, places)
        ).release()
    except dp.OpenDPException as failure:
        reason = (
            f"the library OpenDP could not spend epsilon {epsilon:g} and delta {delta:g} on tables by"
            f" {algorithm} ({failure.variant})"
        )
        raise CannotProtect(
            "dp_marginals",
            f"{reason}; try another algorithm, a larger epsilon, wider bands or fewer categories",
        ) from None
    drawn = released.synthesize(rows=rows, method="sample")
    return np.column_stack(
        [
            drawn[place].fill_null(gone).to_numpy().astype(np.int64)
            for place, gone in zip(places, last, strict=True)
        ]
    )


def _algorithm(dp: Any, name: str, degree: int, places: list[str]) -> Any:
    if name == "aim":
        return dp.mbi.AIM(queries=degree)
    if name == "mst":
        return dp.mbi.MST()
    return dp.mbi.Fixed(queries=[dp.mbi.Count(by) for by in combinations(places, min(degree, len(places)))])


def _refuse_other_release(expected: str, installed: str) -> None:
    """OpenDP reads tables of one release of polars, and says so only when it has the data."""
    if expected and expected != installed:
        raise CannotProtect(
            "dp_marginals",
            f"the library OpenDP works with polars {expected}, and {installed} is installed; {EXTRA.remedy}",
        )
