"""How many values went missing?"""

from __future__ import annotations

from sdc.catalogue import Better, Column, Family, Measurement, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.comparison import comparable, newly_missing


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.PER_CENT_OF_RECORDS,
    against="0: nothing done",
    bounds=(0, 100),
    parts="count.VARIABLE percent.VARIABLE",
)
def added_missing(pair: ReleasePair, *, variables: list[Column] | None = None) -> Measurement | NotAssessed:
    """The largest percentage of records, over the variables, whose value is missing in the candidate only.

    For aligned tables record by record: observed in the original, missing in the candidate. For others the
    rise of the share of missing values, 0 where it fell; `count` is then that rise times the candidate's
    records. No p-value is given: the tables are dependent.

    Formula: 100 max over variables v of (records with x_v observed and y_v missing) / n.

    Reference: Templ, Kowarik and Meindl (2015), doi:10.18637/jss.v067.i04.
    """
    columns = comparable(pair, variables, by_value=False)
    if isinstance(columns, NotAssessed):
        return columns
    if pair.aligned and pair.original.rows != pair.candidate.rows:
        return NotAssessed(
            f"the original has {pair.original.rows} records and the candidate {pair.candidate.rows}: they are"
            " not aligned"
        )
    count = newly_missing(pair, columns)
    percent = {f"percent.{name}": 100 * number / pair.candidate.rows for name, number in count.items()}
    return Measurement(
        max(percent.values()), {**{f"count.{name}": number for name, number in count.items()}, **percent}
    )
