"""By how much do the cells of a table differ?"""

from __future__ import annotations

from sdc.catalogue import Better, Column, Family, Measurement, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.classing import Binning, ClassEdges, Classing, Gaps, Groups
from sdc.measures.compared_tables import compared_tables, grid_size, weighted_tables
from sdc.statistics.counts.contingency import CellDifference, cell_difference


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.RECORDS,
    against="0: nothing done",
    parts="ut2 zero_cells_skipped unweighted ut.VARIABLE ut2.VARIABLE",
    variants=({"weighted": True},),
)
def table_difference(
    pair: ReleasePair,
    *,
    variables: list[Column] | None = None,
    groups: Groups = 5,
    binning: Binning = "equal_frequency",
    edges: ClassEdges | None = None,
    missing: Gaps = "category",
    weighted: bool = False,
) -> Measurement | NotAssessed:
    """The mean absolute difference of the cells of a table, in records.

    The cells are all combinations of the categories either table has, missing among them. With `variables`
    those of their joint table; without, each analysed variable has a table of its own and the value is the
    largest. Numbers are cut by the `edges` given (classes [a, b), the last closed; values beyond them lie in
    an open class below or above), else into `groups` of equal frequency or length (`binning`) on both tables
    pooled; a recoded variable is compared in the candidate's own categories. A missing value is a category,
    or its record is dropped (`missing`). A candidate of another size is brought to the original's number of
    records. `ut2` is the mean relative difference in percent over the cells the original has;
    `zero_cells_skipped` counts the others. `weighted` sums survey weights, unscaled and none where not
    positive, and gives `unweighted` beside. A distance: no p-value holds for dependent tables.

    Formula: (1 / C) Σ_c |o_c − s_c n / m|; ut2 = 100 / C_+ × Σ_{o_c > 0} |o_c − s_c n / m| / o_c.

    Reference: Templ (2017), Statistical Disclosure Control for Microdata, doi:10.1007/978-3-319-50272-4.
    """
    classing = Classing(groups, binning, edges or {}, missing)
    tables = compared_tables(pair, variables, classing)
    if isinstance(tables, NotAssessed):
        return tables
    found = {
        name: cell_difference(
            cells.original, cells.candidate * (cells.original.sum() / cells.candidate.sum()), grid_size(cells)
        )
        for name, cells in tables.items()
    }
    if not weighted:
        return Measurement(_worst(found), _parts(found, variables is None))
    totals = weighted_tables(pair, variables, classing)
    if isinstance(totals, NotAssessed):
        return totals
    by_weight = {name: cell_difference(*totals[name], grid_size(tables[name])) for name in tables}
    return Measurement(
        _worst(by_weight), {"unweighted": _worst(found), **_parts(by_weight, variables is None)}
    )


def _worst(found: dict[str, CellDifference]) -> float:
    return max(difference.mean for difference in found.values())


def _parts(found: dict[str, CellDifference], one_by_one: bool) -> dict[str, float]:
    parts = {
        "ut2": max(difference.mean_relative for difference in found.values()),
        "zero_cells_skipped": sum(difference.skipped for difference in found.values()),
    }
    if one_by_one:
        parts.update({f"ut.{name}": difference.mean for name, difference in found.items()})
        parts.update({f"ut2.{name}": difference.mean_relative for name, difference in found.items()})
    return parts
