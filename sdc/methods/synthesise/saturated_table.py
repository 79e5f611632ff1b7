"""Which records would the table of all variables give?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import (
    Budget,
    Column,
    DeclaredCategories,
    NumberColumn,
    OfEachNumber,
    Protected,
    Protection,
    method,
)
from sdc.data.roles import Roles
from sdc.errors import BadOption, CannotProtect
from sdc.methods.banded import WHY_DECLARED, WHY_PUBLIC, Banded, declared
from sdc.methods.synthetic import SyntheticFrame, drawn_names
from sdc.statistics.noise.privacy_noise import EPSILON
from sdc.statistics.synthesis.cells import MOST_CELLS, Guarantee, Noise, counted, drawn_cells, noisy_counts
from sdc.statistics.synthesis.expression import Formula

if TYPE_CHECKING:
    import pandas as pd


@method(
    protection=Protection.SYNTHETIC,
    aligned=False,
    proves_budget=True,
    example={"bins": 3},
    example_variables=("region", "sex", "marital_status", "health"),
)
def saturated_table(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    edges: Annotated[dict[Column, list[float]], OfEachNumber(WHY_PUBLIC, given="epsilon")] = {},  # noqa: B006
    bins: Annotated[int, Field(ge=1, le=1000)] = 5,
    zeros: list[Formula] = [],  # noqa: B006
    complete: list[Column] = [],  # noqa: B006
    prior: Annotated[float, Field(ge=0)] = 0.0,
    epsilon: Annotated[float | None, EPSILON, DeclaredCategories(WHY_DECLARED)] = None,
    delta: Annotated[float, Field(ge=0, lt=1)] = 0.0,
    noise: Noise = "laplace",
    whole: list[NumberColumn] = [],  # noqa: B006
    rows: Annotated[int, Field(ge=1)] | None = None,
) -> Protected:
    """Records drawn from the counts of all combinations of the variables, numbers in bands.

    Counts are those observed plus `prior` in every possible cell; `zeros` are conditions under which no
    record can occur, a missing value is a category (not for variables named `complete`). Bands are `edges`,
    else `bins` of equal shares; within a band a value observed there is drawn.

    With `epsilon` the counts are noisy, and the table drawn is (epsilon, delta)-private for adding or
    removing one record. Proof: a record is in exactly one cell, so removing it changes the counts by 1 in
    absolute sum and in Euclidean length: the sensitivity is 1. Laplace: each count, empty ones too, gets
    discrete Laplace noise of rate epsilon; for counts c and c' the ratio of the probabilities of any outcome
    is at most exp(epsilon |c - c'|) <= exp(epsilon). Gaussian: normal noise of the smallest deviation that is
    (epsilon, delta)-private for the sensitivity of one. What follows uses the noisy counts alone (negative
    ones become 0; the number of records is their sum, unless `rows` gives it). Values are drawn evenly within
    `edges`, which must be given, and among whole numbers for those named in `whole`: by closure under
    post-processing nothing more is spent. Edges, wholeness, conditions and the declared categories (`allowed`
    or `order`) are assumed to be public knowledge. Where no categories are declared, those of the data are
    used; a profile of access open may not do this.

    Formula: y ~ Multinomial(p), p_c ∝ n_c + prior; with ε: p_c ∝ max(0, n_c + e_c), P(e) ∝ exp(−ε |e|).

    Reference: Dwork, McSherry, Nissim, Smith (2006), doi:10.1007/11681878_14; Ghosh, Roughgarden,
    Sundararajan (2012), doi:10.1137/09076828X; Balle, Wang (2018), arXiv:1805.06530.
    """
    if epsilon is not None and (noise == "gaussian") != (delta > 0):
        raise BadOption(
            "saturated_table", "delta", "gaussian noise needs a delta above 0, laplace noise none"
        )
    table = table if epsilon is None else declared(table, roles)
    banded = Banded(
        "saturated_table",
        table,
        drawn_names(table, roles),
        edges,
        bins,
        public=epsilon is not None,
        whole=tuple(whole),
    )
    banded.check(MOST_CELLS)
    counts = counted(banded.codes, banded.shape)
    for_noise, for_cells, for_values = rng.spawn(3)
    if epsilon is not None:
        counts = np.maximum(noisy_counts([counts], Guarantee(epsilon, delta, noise), for_noise)[0], 0)
    possible = banded.possible(zeros, complete)
    cells = (counts + prior) * (1 if possible is None else possible)
    if not cells.sum() > 0:
        raise CannotProtect(
            "saturated_table", "no possible cell has a count above 0; add a prior or look at zeros"
        )
    count = rows or (len(table) if epsilon is None else max(int(counts.sum()), 1))
    values = banded.values(drawn_cells(cells, count, for_cells), for_values)
    budget = None if epsilon is None else Budget(epsilon, delta)
    return Protected(SyntheticFrame(table, roles).of(values), record={"cells": banded.cells}, budget=budget)
