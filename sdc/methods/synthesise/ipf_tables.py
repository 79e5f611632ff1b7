"""Which records would tables of a few variables at a time give?"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Annotated

import numpy as np
from pydantic import Field

from sdc.catalogue import Budget, Column, DeclaredCategories, OfEachNumber, Protected, Protection, method
from sdc.data.roles import Roles
from sdc.errors import BadOption, CannotProtect
from sdc.methods import columns
from sdc.methods.banded import WHY_DECLARED, WHY_PUBLIC, Banded, declared
from sdc.methods.synthetic import SyntheticFrame, drawn_names
from sdc.statistics.noise.privacy_noise import EPSILON
from sdc.statistics.synthesis.cells import (
    MOST_CELLS,
    Guarantee,
    Noise,
    counted,
    drawn_cells,
    fitted_cells,
    noisy_counts,
)
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
def ipf_tables(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    margins: list[list[Column]] | None = None,
    edges: Annotated[dict[Column, list[float]], OfEachNumber(WHY_PUBLIC, given="epsilon")] = {},  # noqa: B006
    bins: Annotated[int, Field(ge=1, le=1000)] = 5,
    zeros: list[Formula] = [],  # noqa: B006
    complete: list[Column] = [],  # noqa: B006
    prior: Annotated[float, Field(ge=0)] = 0.0,
    epsilon: Annotated[float | None, EPSILON, DeclaredCategories(WHY_DECLARED)] = None,
    delta: Annotated[float, Field(ge=0, lt=1)] = 0.0,
    noise: Noise = "laplace",
    rows: Annotated[int, Field(ge=1)] | None = None,
) -> Protected:
    """Records drawn from the log-linear model of the `margins` (all pairs of variables).

    The model is fitted by iterative proportions.

    Numbers are in bands, `prior` records are spread evenly over the cells of each margin, `zeros` are
    conditions under which no record can occur; a missing value is a category, and within a band a value
    observed there is drawn, as in saturated_table.

    With `epsilon` the margins are noisy, and the table drawn is (epsilon, delta)-private for adding or
    removing one record. Proof: a record is in exactly one cell of each of the T margins, so removing it
    changes each margin by 1, all of them by T in absolute sum and by sqrt(T) in Euclidean length. Laplace:
    each margin gets noise as in saturated_table with epsilon / T, and T releases of epsilon / T spend epsilon
    together (sequential composition). Gaussian: one release of all margins, with the deviation for
    sensitivity sqrt(T). The fit, the number of records (the mean sum of the margins, unless `rows` gives it)
    and values drawn evenly within `edges` use the noisy margins alone: by closure under post-processing
    nothing more is spent. Edges, margins, conditions and the categories are assumed to be public knowledge,
    as in saturated_table.

    Formula: p maximises −Σ_c p_c ln p_c subject to the margins: p_c ∝ Π_T u_T(c_T), u fitted by p ← p n_T /
    p_T in turn.

    Reference: Deming, Stephan (1940), doi:10.1214/aoms/1177731829; Barak et al. (2007),
    doi:10.1145/1265530.1265569; Dwork, Roth (2014), doi:10.1561/0400000042, theorem 3.16.
    """
    if epsilon is not None and (noise == "gaussian") != (delta > 0):
        raise BadOption("ipf_tables", "delta", "gaussian noise needs a delta above 0, laplace noise none")
    table = table if epsilon is None else declared(table, roles)
    names = drawn_names(table, roles)
    banded = Banded("ipf_tables", table, names, edges, bins, public=epsilon is not None)
    banded.check(MOST_CELLS)
    axes = _axes(table, names, margins)
    tables = [
        counted(banded.codes[:, list(places)], [banded.shape[place] for place in places]) for places in axes
    ]
    for_noise, for_cells, for_values = rng.spawn(3)
    if epsilon is not None:
        tables = [
            np.maximum(noisy, 0)
            for noisy in noisy_counts(tables, Guarantee(epsilon, delta, noise), for_noise)
        ]
    if not all(counts.any() for counts in tables):
        raise CannotProtect(
            "ipf_tables", "a margin has no count above 0 left; spend more epsilon or name fewer margins"
        )
    possible = banded.possible(zeros, complete)
    cells, gap = fitted_cells(
        [(places, counts + prior / counts.size) for places, counts in zip(axes, tables, strict=True)],
        banded.shape,
        possible,
    )
    if not np.isfinite(cells).all() or not cells.sum() > 0:
        raise CannotProtect("ipf_tables", "the margins and zeros contradict each other: no cell is left")
    count = rows or (
        len(table) if epsilon is None else max(round(float(np.mean([counts.sum() for counts in tables]))), 1)
    )
    values = banded.values(drawn_cells(cells, count, for_cells), for_values)
    budget = None if epsilon is None else Budget(epsilon, delta)
    record = {"cells": banded.cells, "margins": [[names[place] for place in places] for places in axes]}
    sealed = {} if epsilon is not None else {"largest_deviation_of_a_margin": gap}
    return Protected(SyntheticFrame(table, roles).of(values), record=record, sealed=sealed, budget=budget)


def _axes(
    table: pd.DataFrame, names: tuple[str, ...], margins: list[list[str]] | None
) -> list[tuple[int, ...]]:
    """The margins as places of variables; a variable in none has one of its own."""
    if margins is None:
        return list(combinations(range(len(names)), 2)) if len(names) > 1 else [(0,)]
    named = [
        tuple(
            names.index(name) for name in columns.known("ipf_tables", table[list(names)], margin, "margins")
        )
        for margin in margins
        if margin
    ]
    left = [(place,) for place in range(len(names)) if not any(place in margin for margin in named)]
    return [*named, *left]
