"""How surprising is the original to somebody who believes the candidate?"""

from __future__ import annotations

from sdc.catalogue import Better, Column, Family, Measurement, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.classing import Binning, ClassEdges, Classing, Gaps, Groups
from sdc.measures.compared_tables import one_way_tables
from sdc.statistics.counts.contingency import kullback_leibler


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.NATS,
    against="0: nothing done",
    parts="divergence.VARIABLE filled.VARIABLE",
)
def kl_divergence(
    pair: ReleasePair,
    *,
    variables: list[Column] | None = None,
    bins: Groups = 10,
    binning: Binning = "equal_frequency",
    edges: ClassEdges | None = None,
    missing: Gaps = "category",
) -> Measurement | NotAssessed:
    """The largest Kullback-Leibler divergence of the original from the candidate over single variables.

    The sum of p ln(p / q) in nats, p the original's shares and q the candidate's. Numbers are cut by the
    `edges` given (classes [a, b), the last closed; values beyond them lie in an open class below or above),
    else into `bins` of equal frequency or length (`binning`) on both tables pooled; a recoded variable is
    compared in the candidate's own categories. A missing value is a category, or its record is dropped
    (`missing`). A category the candidate lost would make it infinite: it gets half a record, and
    `filled.VARIABLE` counts them. Not a test: the tables are dependent, no p-value holds.

    Formula: max_v Σ_c p_c ln(p_c / q_c).

    Reference: Kullback and Leibler (1951), doi:10.1214/aoms/1177729694.
    """
    tables = one_way_tables(pair, variables, Classing(bins, binning, edges or {}, missing))
    if isinstance(tables, NotAssessed):
        return tables
    divergence, filled = {}, {}
    for column, cells in tables.items():
        divergence[f"divergence.{column}"], filled[f"filled.{column}"] = kullback_leibler(
            cells.original, cells.candidate
        )
    return Measurement(max(divergence.values()), {**divergence, **filled})
