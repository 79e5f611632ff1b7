"""How far apart are the shares of cells, added up where they have an order?"""

from __future__ import annotations

from sdc.catalogue import Better, Column, Family, Measurement, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.classing import Binning, ClassEdges, Classing, Gaps, Groups
from sdc.measures.compared_tables import compared_tables, in_order
from sdc.statistics.counts.contingency import TwoCounts


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="0: nothing done",
    bounds=(0, 1),
    parts="largest_cell distance.VARIABLE",
    variants=({"variables": ["region", "spending"]},),
)
def cell_ks(
    pair: ReleasePair,
    *,
    variables: list[Column] | None = None,
    groups: Groups = 5,
    binning: Binning = "equal_frequency",
    edges: ClassEdges | None = None,
    missing: Gaps = "category",
) -> Measurement | NotAssessed:
    """The largest difference of cumulative shares (ordered variable), or the total variation (other tables).

    A numeric or ordinal variable has an order; its missing values come last. Total variation is the largest
    difference over all sets of cells, so it does not depend on how they are listed. With `variables` the
    cells are those of their joint table; without, each analysed variable has a table of its own and the value
    is the largest. Numbers are cut by the `edges` given (classes [a, b), the last closed; values beyond them
    lie in an open class below or above), else into `groups` of equal frequency or length (`binning`) on both
    tables pooled; a recoded variable is compared in the candidate's own categories. A missing value is a
    category, or its record is dropped (`missing`). `largest_cell` is the largest difference of one share. A
    distance: the tables are dependent, no p-value holds.

    Formula: max_c |Σ_{j ≤ c} (p_j − q_j)| for an ordered variable, ½ Σ_c |p_c − q_c| else; p and q are the
    shares of the cells.

    Reference: Bowen and Snoke (2021), doi:10.29012/jpc.748.
    """
    tables = compared_tables(pair, variables, Classing(groups, binning, edges or {}, missing))
    if isinstance(tables, NotAssessed):
        return tables
    distance, largest = {}, 0.0
    for name, cells in tables.items():
        order = in_order(pair, cells)
        counts = TwoCounts.of(cells.original, cells.candidate)
        largest = max(largest, counts.largest_cell)
        ordered = None if order is None else TwoCounts.of(cells.original[order], cells.candidate[order])
        distance[name] = counts.total_variation if ordered is None else ordered.cumulative
    parts = {f"distance.{name}": value for name, value in distance.items()} if variables is None else {}
    return Measurement(max(distance.values()), {"largest_cell": largest, **parts})
