"""How large are the differences of the square roots of cell counts?"""

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
    parts="standardised degrees statistic.VARIABLE standardised.VARIABLE",
)
def freeman_tukey(
    pair: ReleasePair,
    *,
    variables: list[Column] | None = None,
    groups: Groups = 5,
    binning: Binning = "equal_frequency",
    edges: ClassEdges | None = None,
    missing: Gaps = "category",
) -> Measurement | NotAssessed:
    """The Freeman-Tukey statistic: four times the sum of squared differences of the square roots of counts.

    The original's counts are brought to the candidate's number of records first. With `variables` the cells
    are those of their joint table; without, each analysed variable has a table of its own and the value is
    the largest. Numbers are cut by the `edges` given (classes [a, b), the last closed; values beyond them lie
    in an open class below or above), else into `groups` of equal frequency or length (`binning`) on both
    tables pooled; a recoded variable is compared in the candidate's own categories. A missing value is a
    category, or its record is dropped (`missing`). `standardised` divides by the degrees of freedom: about 1
    for a candidate drawn from the original's shares. A distance: the tables are dependent, no p-value holds.

    Formula: 4 Σ_c (√s_c − √(o_c m / n))², o_c and s_c the counts of original and candidate.

    Reference: Freeman and Tukey (1950), doi:10.1214/aoms/1177729756.
    """
    counts = compared_counts(pair, variables, Classing(groups, binning, edges or {}, missing))
    if isinstance(counts, NotAssessed):
        return counts
    standardised = {name: held.standardised(held.freeman_tukey) for name, held in counts.items()}
    parts = {
        "standardised": max(standardised.values()),
        "degrees": max(held.degrees for held in counts.values()),
    }
    if variables is None:
        parts.update({f"statistic.{name}": held.freeman_tukey for name, held in counts.items()})
        parts.update({f"standardised.{name}": value for name, value in standardised.items()})
    return Measurement(max(held.freeman_tukey for held in counts.values()), parts)
