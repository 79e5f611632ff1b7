"""How much detail did a variable lose?"""

from __future__ import annotations

import numpy as np

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.classing import Binning, ClassEdges, Classing, Gaps, Groups
from sdc.measures.comparison import BOTH, classed, comparable, edges_amiss, value_counts
from sdc.statistics.counts.contingency import shannon_entropy


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="0: nothing done",
    parts="original.VARIABLE candidate.VARIABLE change.VARIABLE",
)
def entropy_change(
    pair: ReleasePair,
    *,
    variables: list[Column] | None = None,
    groups: Groups | None = None,
    binning: Binning = "equal_frequency",
    edges: ClassEdges | None = None,
    missing: Gaps = "drop",
) -> Measurement | NotAssessed:
    """The largest relative change of a variable's Shannon entropy, from original to candidate.

    Entropy in nats of the values as each table has them, so recoding, rounding and microaggregation show.
    Numbers are put into classes where `edges` are given (classes [a, b), the last closed; values beyond them
    lie in an open class below or above) or `groups` of equal frequency or length (`binning`) on both tables
    pooled. Missing values are left out of shares and total alike, or are a category (`missing`). Where the
    original's entropy is 0 the change is relative to the candidate's; a variable that lost all its values has
    changed by 1. No p-value is given: the tables are dependent.

    Formula: max_v |H(y_v) − H(x_v)| / H(x_v), H = −Σ_c p_c ln p_c.

    Reference: Shannon (1948), doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    columns = comparable(pair, variables, by_value=False)
    if isinstance(columns, NotAssessed):
        return columns
    classing = Classing(groups, binning, edges or {}, missing)
    if amiss := edges_amiss(pair, columns, classing.edges):
        return amiss
    parts, change = {}, {}
    for column in columns:
        counts = [_counts(pair, column, side, classing) for side in BOTH]
        before, after = (shannon_entropy(held) for held in counts)
        parts.update({f"original.{column}": before, f"candidate.{column}": after})
        lost = counts[0].any() and not counts[1].any()
        change[f"change.{column}"] = 1.0 if lost else abs(after - before) / (before or after or 1)
    return Measurement(max(change.values()), {**parts, **change})


def _counts(pair: ReleasePair, column: str, side: Side, classing: Classing) -> Array:
    margin = classed(pair, column, classing)
    if isinstance(margin, str):
        counts = value_counts(pair, column, side)
    else:
        places = pair.places(margin, side)
        counts = np.bincount(places[places >= 0])
    gaps = pair.table(side).rows - int(counts.sum()) if classing.missing == "category" else 0
    return np.append(counts, gaps)
