"""How surprising is the original to somebody who believes the candidate?"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sdc.catalogue import Better, Column, Family, measure
from sdc.comparison import classed, comparable
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair
from sdc.statistics.contingency import kullback_leibler


@measure(family=Family.UTILITY, better=Better.LOWER, parts="divergence.VARIABLE filled.VARIABLE")
def kl_divergence(
    pair: ReleasePair, *, variables: list[Column] | None = None, bins: Annotated[int, Field(ge=1, le=1000)] = 10
) -> Measurement | NotAssessed:
    """The largest Kullback-Leibler divergence of the original from the candidate over the variables, one by one.

    The sum of p ln(p / q) in nats, p the original's shares and q the candidate's. Numbers are cut into `bins` of equal
    frequency on both tables pooled; a recoded variable is compared in the candidate's own categories; missing is a
    category. A category the candidate lost would make it infinite: it gets half a record, and `filled.VARIABLE` counts
    them. Not a test: the tables are dependent, no p-value holds.

    Reference: Kullback and Leibler (1951), doi:10.1214/aoms/1177729694.
    """
    columns = comparable(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    divergence, filled = {}, {}
    for column in columns:
        cells = pair.cells([classed(pair, column, bins)])
        divergence[f"divergence.{column}"], filled[f"filled.{column}"] = kullback_leibler(cells.original, cells.candidate)
    return Measurement(max(divergence.values()), {**divergence, **filled})
