"""How many records were changed, variable by variable?"""

from __future__ import annotations

from sdc.catalogue import NOT_SYNTHETIC, Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.comparison import changed_records, comparable


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="0: nothing done",
    bounds=(0, 1),
    needs=(Need.ALIGNED,),
    valid_after=NOT_SYNTHETIC,
    alternatives=("jensen_shannon", "ks_distance"),
    parts="count.VARIABLE share.VARIABLE",
)
def records_changed(pair: ReleasePair, *, variables: list[Column] | None = None) -> Measurement | NotAssessed:
    """The largest share of records in which a variable's value differs, over the variables.

    Row i of the candidate is row i of the original. A value that became missing, or coarser, is changed;
    missing in both is not. Numbers are compared as numbers, so 2 and 2.0 are equal. A count, not a test: no
    p-value is given.

    Formula: max_v (1 / n) Σ_i 1{x_iv ≠ y_iv}.

    Reference: Templ, Kowarik and Meindl (2015), doi:10.18637/jss.v067.i04.
    """
    columns = comparable(pair, variables, by_value=False)
    if isinstance(columns, NotAssessed):
        return columns
    rows = pair.original.rows
    if rows != pair.candidate.rows:
        return NotAssessed(
            f"the original has {rows} records and the candidate {pair.candidate.rows}: they are not aligned"
        )
    count = changed_records(pair, columns)
    share = {f"share.{name}": number / rows for name, number in count.items()}
    return Measurement(
        max(share.values()), {**{f"count.{name}": number for name, number in count.items()}, **share}
    )
