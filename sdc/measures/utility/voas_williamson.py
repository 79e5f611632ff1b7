"""How large are the squared differences of cell counts, compared with chance?"""

from __future__ import annotations

from sdc.catalogue import Better, Column, Family, Measurement, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.classing import Binning, ClassEdges, Classing, Gaps, Groups
from sdc.measures.compared_tables import compared_counts


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.CHI_SQUARE,
    against="0: nothing done; degrees: a fresh sample, on average",
    parts="standardised degrees as_printed statistic.VARIABLE standardised.VARIABLE",
    variants=({"variables": ["region", "spending"]},),
)
def voas_williamson(
    pair: ReleasePair,
    *,
    variables: list[Column] | None = None,
    groups: Groups = 5,
    binning: Binning = "equal_frequency",
    edges: ClassEdges | None = None,
    missing: Gaps = "category",
) -> Measurement | NotAssessed:
    """Squared differences of counts over the counts expected from both tables pooled (Voas-Williamson).

    The original's counts are brought to the candidate's number of records first. With `variables` the cells
    are those of their joint table; without, each analysed variable has a table of its own and the value is
    the largest. Numbers are cut by the `edges` given (classes [a, b), the last closed; values beyond them lie
    in an open class below or above), else into `groups` of equal frequency or length (`binning`) on both
    tables pooled; a recoded variable is compared in the candidate's own categories. A missing value is a
    category, or its record is dropped (`missing`). `standardised` divides by the degrees of freedom: about 1
    for a candidate drawn from the original's shares. `as_printed` is the sum of (original - candidate)² /
    candidate on the raw counts, given only where no candidate's cell is empty. A distance: the tables are
    dependent, no chi-squared p-value holds.

    Formula: Σ_c (s_c − o_c m / n)² / ((o_c + s_c) m / (n + m)), o_c and s_c the counts of original and
    candidate.

    Reference: Voas and Williamson (2001), doi:10.1080/13615930120086078.
    """
    counts = compared_counts(pair, variables, Classing(groups, binning, edges or {}, missing))
    if isinstance(counts, NotAssessed):
        return counts
    standardised = {name: held.standardised(held.voas_williamson) for name, held in counts.items()}
    parts = {
        "standardised": max(standardised.values()),
        "degrees": max(held.degrees for held in counts.values()),
    }
    printed = [held.chi_squared_as_printed for held in counts.values()]
    if all(value is not None for value in printed):
        parts["as_printed"] = max(value for value in printed if value is not None)
    if variables is None:
        parts.update({f"statistic.{name}": held.voas_williamson for name, held in counts.items()})
        parts.update({f"standardised.{name}": value for name, value in standardised.items()})
    return Measurement(max(held.voas_williamson for held in counts.values()), parts)
