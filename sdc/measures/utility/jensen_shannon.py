"""How much do the shares of the cells of a table diverge?"""

from __future__ import annotations

import math
from typing import Literal

from sdc.catalogue import Better, Column, Family, Measurement, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.classing import Binning, ClassEdges, Classing, Gaps, Groups
from sdc.measures.compared_tables import compared_counts


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.BITS,
    against="0: nothing done; 1: nothing in common",
    bounds=(0, 1),
    parts="standardised degrees divergence.VARIABLE standardised.VARIABLE",
    variants=({"variables": ["sex", "income"]},),
)
def jensen_shannon(
    pair: ReleasePair,
    *,
    variables: list[Column] | None = None,
    groups: Groups = 5,
    binning: Binning = "equal_frequency",
    edges: ClassEdges | None = None,
    missing: Gaps = "category",
    unit: Literal["bits", "nats"] = "bits",
) -> Measurement | NotAssessed:
    """The Jensen-Shannon divergence of the cells' shares, in bits: 0 for equal tables, 1 for disjoint ones.

    With `variables` the cells are those of their joint table; without, each analysed variable has a table of
    its own and the value is the largest. Numbers are cut by the `edges` given (classes [a, b), the last
    closed; values beyond them lie in an open class below or above), else into `groups` of equal frequency or
    length (`binning`) on both tables pooled; a recoded variable is compared in the candidate's own
    categories. A missing value is a category, or its record is dropped (`missing`). With `unit: nats` the
    logarithm is natural and the largest value ln 2. `standardised` is 8 m times JSD in nats over the degrees
    of freedom: about 1 for a candidate of m records drawn from the original's shares. Not a test: the tables
    are dependent, no p-value holds.

    Formula: ½ Σ_c p_c log2(p_c / m_c) + ½ Σ_c q_c log2(q_c / m_c), m = (p + q) / 2.

    Reference: Lin (1991), doi:10.1109/18.61115.
    """
    counts = compared_counts(pair, variables, Classing(groups, binning, edges or {}, missing))
    if isinstance(counts, NotAssessed):
        return counts
    scale = math.log(2) if unit == "nats" else 1.0
    divergence = {name: scale * held.jensen_shannon for name, held in counts.items()}
    standardised = {name: held.standardised(held.jensen_shannon_scaled) for name, held in counts.items()}
    parts = {
        "standardised": max(standardised.values()),
        "degrees": max(held.degrees for held in counts.values()),
    }
    if variables is None:
        parts.update({f"divergence.{name}": value for name, value in divergence.items()})
        parts.update({f"standardised.{name}": value for name, value in standardised.items()})
    return Measurement(max(divergence.values()), parts)
