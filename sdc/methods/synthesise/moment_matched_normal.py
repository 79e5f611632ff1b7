"""Which normal records have the very means and covariances observed?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import NumberColumn, Protected, Protection, method
from sdc.data.roles import Roles
from sdc.kernels.one_thread import one_thread
from sdc.methods import columns
from sdc.methods.synthetic import SyntheticFrame, drawn_names, number_matrix, number_names
from sdc.statistics.noise.normal_noise import covariance, restored
from sdc.statistics.sampling.cholesky_normal import cholesky_normal
from sdc.statistics.sampling.spectral_normal import spectral_normal

if TYPE_CHECKING:
    import pandas as pd


METHOD = "moment_matched_normal"


@method(protection=Protection.SYNTHETIC, aligned=False)
@one_thread()
def moment_matched_normal(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    numbers: list[NumberColumn] | None = None,
    factor: Literal["cholesky", "spectral"] = "cholesky",
    rows: Annotated[int, Field(ge=1)] | None = None,
) -> Protected:
    """Normal draws, moved and turned until they have the observed means and covariances (n - 1) exactly.

    Both factors give the same law. Moments are those of complete records, of the `numbers` named or of all.
    Categories, numbers not named and the pattern of missing values are drawn together from the records, apart
    from the numbers; where values are missing the moments hold before they are taken out. With fewer records
    than variables the draws are left as they are. Numbers leave their observed range.

    Formula: y = mean(x) + (z − mean(z)) S_z^{-1/2} S_x^{1/2}, z standard normal, S the covariances.

    Reference: Woo, Reiter, Oganian, Karr (2009), doi:10.29012/jpc.v1i1.568 (there Syn); Burridge (2003),
    doi:10.1023/A:1025658621216.
    """
    count = rows or len(table)
    chosen = np.floor(rng.random(count) * len(table)).astype(np.int64)
    values = {name: columns.as_numbers(table[name])[chosen] for name in drawn_names(table, roles)}
    named = (
        number_names(table, roles)
        if numbers is None
        else columns.numbers(METHOD, table, roles, numbers, "numbers")
    )
    moved = [name for name in named if not table[name].isna().all()]
    if moved:
        matrix = number_matrix(table, moved)
        complete = matrix[~np.isnan(matrix).any(axis=1)]
        base = (
            complete if len(complete) > 1 else np.where(np.isnan(matrix), np.nanmean(matrix, axis=0), matrix)
        )
        draw = cholesky_normal if factor == "cholesky" else spectral_normal
        spread = base.std(axis=0)
        scale = np.where(spread > 0, spread, 1.0)
        drawn = base.mean(axis=0) + scale * draw(np.zeros(len(moved)), covariance(base / scale), count, rng)
        made = restored(drawn, base) if count > len(moved) and len(base) > 1 else drawn
        for place, name in enumerate(moved):
            values[name] = np.where(np.isnan(values[name]), np.nan, made[:, place])
    return Protected(
        SyntheticFrame(table, roles).of(values),
        record={"exact_moments": count > len(moved), "numbers": moved},
    )
