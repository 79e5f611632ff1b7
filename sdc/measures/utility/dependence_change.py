"""Do variables still go together as they did?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Annotated

from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.comparison import BOTH, comparable_numbers, seldom_together
from sdc.statistics.distances.dependence import Correlation, correlation, kendall, midranks, together
from sdc.statistics.distances.ordering import places


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.CORRELATION,
    against="0: nothing done",
    bounds=(0, 2),
    needs=(Need.NUMERIC,),
    parts="pairs_left_out correlation.VARIABLE.VARIABLE covariance.VARIABLE.VARIABLE "
    "original.TEXT.VARIABLE.VARIABLE candidate.TEXT.VARIABLE.VARIABLE",
    variants=({"kind": "spearman"},),
)
def dependence_change(
    pair: ReleasePair,
    *,
    kind: Correlation = Correlation.PEARSON,
    variables: list[Column] | None = None,
    least: Annotated[int, Field(ge=2)] = 30,
) -> Measurement | NotAssessed:
    """The largest absolute change of a correlation over all pairs of numeric variables.

    `correlation` and `covariance` (n - 1) are candidate minus original; with `original.` or `candidate.`
    before them they are the levels in that table. Each pair uses the records that have both values. Unless
    `variables` are named, a pair is left out, and counted in `pairs_left_out`, if fewer than `least` original
    records of a table with more have both values: a few records decide nothing. A variable that does not vary
    has correlation 0. Kendall's is tau-b. No p-value is given: the tables are dependent.

    Formula: max over pairs (u, v) of |r'_uv − r_uv|.

    Reference: Benschop, Machingauta and Welch (2019), Statistical Disclosure Control: A Practice Guide, World
    Bank.
    """
    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    if len(columns) < 2:
        return NotAssessed("fewer than two numeric variables have values in both tables")
    pairs = list(combinations(columns, 2))
    chosen = [
        (one, other) for one, other in pairs if variables or not seldom_together(pair, one, other, least)
    ]
    if not chosen:
        return NotAssessed(
            f"fewer than {least} records of the original have values of any two numeric variables"
        )
    before, after = (_together(pair, chosen, side, kind) for side in BOTH)
    parts: dict[str, float] = {"pairs_left_out": len(pairs) - len(chosen)}
    for one, other in before:
        for name, first, last in zip(
            ("covariance", "correlation"), before[one, other], after[one, other], strict=True
        ):
            parts[f"{name}.{one}.{other}"] = last - first
            parts.update({f"original.{name}.{one}.{other}": first, f"candidate.{name}.{one}.{other}": last})
    return Measurement(
        max(abs(value) for name, value in parts.items() if name.startswith("correlation.")), parts
    )


def _together(
    pair: ReleasePair, pairs: Sequence[tuple[str, str]], side: Side, kind: Correlation
) -> dict[tuple[str, str], tuple[float, float]]:
    """Covariance and correlation of two variables at a time, over the records that have both values.

    Values are sorted once for each variable, and ranked once except for the records that only another
    variable lacks.
    """
    found = {chosen: together(*(pair.numbers(column, side) for column in chosen)) for chosen in pairs}
    if kind is Correlation.PEARSON:
        return found
    columns = dict.fromkeys(column for chosen in pairs for column in chosen)
    place = {column: places(pair.numbers(column, side)) for column in columns}
    if kind is Correlation.KENDALL:
        return {
            (one, other): (held, kendall(place[one], place[other]))
            for (one, other), (held, _) in found.items()
        }
    gaps = {column for column in columns if place[column].min() < 0}
    alone = {column: midranks(place[column], place[column]) for column in columns}

    def ranks(column: str, beside: str) -> Array:
        return midranks(place[column], place[beside]) if beside in gaps else alone[column]

    return {
        (one, other): (held, correlation(ranks(one, other), ranks(other, one)))
        for (one, other), (held, _) in found.items()
    }
