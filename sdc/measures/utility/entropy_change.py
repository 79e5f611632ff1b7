"""How much detail did a variable lose?"""

from __future__ import annotations

from sdc.catalogue import Better, Column, Family, measure
from sdc.comparison import comparable, value_counts
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair, Side
from sdc.statistics.contingency import shannon_entropy


@measure(family=Family.UTILITY, better=Better.LOWER, parts="original.VARIABLE candidate.VARIABLE change.VARIABLE")
def entropy_change(pair: ReleasePair, *, variables: list[Column] | None = None) -> Measurement | NotAssessed:
    """The largest relative change of a variable's Shannon entropy, from original to candidate.

    Entropy in nats of the values as each table has them, so recoding, rounding and microaggregation show; missing
    values are left out of shares and total alike. Where the original's entropy is 0 the change is relative to the
    candidate's. No p-value is given: the tables are dependent.

    Reference: Shannon (1948), doi:10.1002/j.1538-7305.1948.tb01338.x.
    """
    columns = comparable(pair, variables, by_value=False)
    if isinstance(columns, NotAssessed):
        return columns
    parts, change = {}, {}
    for column in columns:
        entropy = {}
        for side in (Side.ORIGINAL, Side.CANDIDATE):
            entropy[side] = shannon_entropy(value_counts(pair, column, side))
            parts[f"{side.value}.{column}"] = entropy[side]
        before, after = entropy[Side.ORIGINAL], entropy[Side.CANDIDATE]
        change[f"change.{column}"] = abs(after - before) / (before or after or 1)
    return Measurement(max(change.values()), {**parts, **change})
