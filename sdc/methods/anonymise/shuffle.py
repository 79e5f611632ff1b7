"""Whose value could it be, among those who are alike in other respects?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sdc.catalogue import Column, Need, OrderedColumn, Protected, Protection, Touches, method, unless_told
from sdc.data.roles import Roles
from sdc.errors import BadOption
from sdc.methods import columns
from sdc.statistics.noise.rank_copula import normal_scores, scores_given, spearman

if TYPE_CHECKING:
    import pandas as pd


@method(
    protection=Protection.PERTURBATIVE,
    touches=Touches.NUMERIC,
    needs={Need.NUMERIC: unless_told("variables")},
    example={"variables": ["income", "wealth"], "given": ["age"]},
)
def shuffle(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    variables: list[OrderedColumn] | None = None,
    given: list[OrderedColumn] = [],  # noqa: B006
    by: list[Column] = [],  # noqa: B006
) -> Protected:
    """The values of each variable are dealt to the records anew, with the same rank correlations.

    Rank correlations with one another and with `given` are kept.

    Normal scores of the variables are drawn given those of `given`, from the normal copula with the rank
    correlations of the original; the r-th smallest value goes to the record with the r-th smallest drawn
    score. So every variable keeps exactly its values, and what a record had does not matter beyond `given`.
    Variables are numbers, dates or ordered categories. Missing stays missing. `by` names variables in whose
    classes values are dealt.

    Formula: y_(r) = x_(r) given to the record whose z' has rank r, z' ~ N(R_vg R_gg^{-1} z_g, R_vv − R_vg
    R_gg^{-1} R_gv), z normal scores.

    Reference: Muralidhar, Sarathy (2006), Data shuffling, doi:10.1287/mnsc.1050.0503.
    """
    names = (
        columns.known("shuffle", table, variables)
        if variables
        else columns.numbers("shuffle", table, roles, None)
    )
    names = [name for name in names if name not in given]
    others = columns.known("shuffle", table, given, "given")
    for name in [*names, *others]:
        if columns.is_category(table[name]) and not table[name].cat.ordered:
            raise BadOption(
                "shuffle", "given" if name in others else "variables", f"{name} has no order; name it in `by`"
            )
    values = {name: columns.as_numbers(table[name]) for name in [*names, *others]}
    source = {name: np.arange(len(table)) for name in names}
    for rows in columns.strata("shuffle", table, by):
        drawn = _drawn([values[name][rows] for name in names], [values[name][rows] for name in others], rng)
        for place, name in enumerate(names):
            held = np.flatnonzero(~np.isnan(values[name][rows]))
            ascending = held[np.argsort(values[name][rows][held], kind="stable")]
            source[name][rows[held[np.argsort(drawn[held, place], kind="stable")]]] = rows[ascending]
    released = table.copy(deep=False)
    for name in names:
        released[name] = table[name].array.take(source[name])
    return Protected(released, record={"given": others})


def _drawn(targets: list[np.ndarray], others: list[np.ndarray], rng: np.random.Generator) -> np.ndarray:
    scores = np.column_stack([normal_scores(column) for column in [*targets, *others]])
    return scores_given(scores[:, len(targets) :], spearman(scores), len(targets), rng)
