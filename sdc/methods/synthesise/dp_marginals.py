"""Which records would noisy tables of a few variables give, chosen and joined with a proved privacy loss?"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import Column, method
from sdc.errors import CannotProtect
from sdc.method_needs import DeclaredCategories, Extra, OfEachNumber
from sdc.methods.banded import WHY_DECLARED, WHY_PUBLIC, Banded, declared
from sdc.methods.synthetic import SyntheticFrame, drawn_names
from sdc.protection import Budget, Protected, Protection
from sdc.roles import Roles

if TYPE_CHECKING:
    import pandas as pd

    Array = np.ndarray[Any, Any]

EXTRA = Extra("dp", ("opendp", "mbi", "polars"))


@method(protection=Protection.SYNTHETIC, aligned=False, proves_budget=True, extra=EXTRA)
def dp_marginals(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    epsilon: Annotated[float, Field(gt=0), DeclaredCategories(WHY_DECLARED)],
    delta: Annotated[float, Field(ge=0, lt=1)] = 0.0,
    algorithm: Literal["aim", "mst", "fixed"] = "aim",
    degree: Annotated[int, Field(ge=1, le=5)] = 2,
    edges: Annotated[dict[Column, list[float]], OfEachNumber(WHY_PUBLIC)] = {},  # noqa: B006
    rows: Annotated[int, Field(ge=1)] | None = None,
) -> Protected:
    """Tables of up to `degree` variables are measured with noise, and records drawn from a graphical model that agrees with them.

    The library OpenDP measures and accounts: AIM chooses tables the model gets most wrong, MST those of a spanning
    tree, fixed takes all of the degree. The release is epsilon-private for adding or removing one record, or with
    `delta` rho-zero-concentrated with the largest rho that gives (epsilon, delta). Numbers need `edges`, within which
    values are drawn evenly; a missing value is a category. Edges are taken as known to all, and so are the categories, as in
    saturated_table. Noise is the
    library's own and cannot be seeded: the same profile gives another table each time.

    Reference: McKenna, Miklau, Sheldon (2021), doi:10.29012/jpc.778; McKenna, Mullins, Sheldon, Miklau (2022),
    doi:10.14778/3551793.3551817; Bun, Steinke (2016), doi:10.1007/978-3-662-53641-4_24.
    """
    table = declared(table, roles)
    banded = Banded("dp_marginals", table, drawn_names(table, roles), edges, 1, public=True)
    codes = _synthesised(banded, epsilon, delta, algorithm, degree, rows)
    values = banded.values(codes, rng)
    budget = Budget(epsilon, delta)
    return Protected(SyntheticFrame(table, roles).of(values), record={"algorithm": algorithm, "library": "opendp"}, budget=budget)


def rho(epsilon: float, delta: float) -> float:
    """The largest zero-concentrated privacy loss that implies (epsilon, delta), by epsilon = rho + 2 sqrt(rho log(1 / delta))."""
    root = np.log(1.0 / delta)
    return float((np.sqrt(root + epsilon) - np.sqrt(root)) ** 2)


def _synthesised(banded: Banded, epsilon: float, delta: float, algorithm: str, degree: int, rows: int | None) -> Array:
    """Codes of synthetic records, each variable's last code for missing."""
    if EXTRA.missing:
        raise CannotProtect("dp_marginals", f"{EXTRA.lack}; {EXTRA.remedy}")
    import opendp.prelude as dp  # type: ignore[import-not-found]
    import polars as pl  # type: ignore[import-not-found]

    dp.enable_features("contrib")
    places = [f"v{place}" for place in range(len(banded.names))]
    last = [size - 1 for size in banded.shape]
    coded = {place: np.where(column == gone, np.nan, column) for place, gone, column in zip(places, last, banded.codes.T, strict=True)}
    frame = pl.DataFrame(coded, nan_to_null=True).cast(pl.Int64)
    loss = {"epsilon": epsilon} if delta == 0 else {"rho": rho(epsilon, delta)}
    context = dp.Context.compositor(data=frame.lazy(), privacy_unit=dp.unit_of(contributions=1), privacy_loss=dp.loss_of(**loss))
    if algorithm == "aim":
        chosen = dp.mbi.AIM(queries=degree)
    elif algorithm == "mst":
        chosen = dp.mbi.MST()
    else:
        chosen = dp.mbi.Fixed(queries=[dp.mbi.Count(by) for by in combinations(places, min(degree, len(places)))])
    keys = {place: list(range(gone)) for place, gone in zip(places, last, strict=True)}
    released = context.query(**loss).select(*places).contingency_table(keys=keys, algorithm=chosen).release()
    drawn = released.synthesize(rows=rows, method="sample")
    return np.column_stack([drawn[place].fill_null(gone).to_numpy().astype(np.int64) for place, gone in zip(places, last, strict=True)])
