"""How much do the shares of the cells of a table diverge?"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sdc.catalogue import Better, Column, Family, measure
from sdc.comparison import compared_counts
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair


@measure(family=Family.UTILITY, better=Better.LOWER, bounds=(0, 1), parts="standardised degrees divergence.VARIABLE standardised.VARIABLE")
def jensen_shannon(
    pair: ReleasePair, *, variables: list[Column] | None = None, groups: Annotated[int, Field(ge=1, le=1000)] = 5
) -> Measurement | NotAssessed:
    """The Jensen-Shannon divergence of the cells' shares, logarithms to base 2: 0 for equal tables, 1 for disjoint ones.

    With `variables` the cells are those of their joint table; without, each analysed variable has a table of its own
    and the value is the largest. Numbers are cut into `groups` of equal frequency on both tables pooled; a recoded
    variable is compared in the candidate's own categories; missing is a category. `standardised` is 8 m ln 2 JSD over
    the degrees of freedom: about 1 for a candidate of m records drawn from the original's shares. Not a test: the
    tables are dependent, no p-value holds.

    Reference: Lin (1991), doi:10.1109/18.61115.
    """
    counts = compared_counts(pair, variables, groups)
    if isinstance(counts, NotAssessed):
        return counts
    standardised = {name: held.standardised(held.jensen_shannon_scaled) for name, held in counts.items()}
    parts = {"standardised": max(standardised.values()), "degrees": max(held.degrees for held in counts.values())}
    if variables is None:
        parts.update({f"divergence.{name}": held.jensen_shannon for name, held in counts.items()})
        parts.update({f"standardised.{name}": value for name, value in standardised.items()})
    return Measurement(max(held.jensen_shannon for held in counts.values()), parts)
