"""How far apart are the distribution functions of the tables, at worst and on average?"""

from __future__ import annotations

from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.comparison import BOTH, comparable_numbers, ordered
from sdc.measures.complete_records import complete_records
from sdc.statistics.distances.dominance import joint_distance, line_distance

MOST_RECORDS = 1_000_000
"""In three dimensions and more, where the work grows with the square."""


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.SHARE,
    against="0: nothing done",
    bounds=(0, 1),
    needs=(Need.NUMERIC,),
    parts="u_a mcm variables original_records candidate_records u_m.VARIABLE u_a.VARIABLE mcm.VARIABLE",
    variants=({"one_way": True},),
)
def ecdf_distance(
    pair: ReleasePair, *, variables: list[Column] | None = None, one_way: bool = False
) -> Measurement | NotAssessed:
    """The largest difference U_m (Woo's MD) of the joint distribution functions of the numeric variables.

    The functions are compared at all n + m points of both tables, exactly, each point as often as it occurs;
    a record is below a point when it is at or below it in every variable. `mcm` is the sum of the squared
    differences and `u_a` that sum over n + m. With `one_way` every variable is compared by itself: the value
    and its parts are the largest ones, and `u_m`, `u_a` and `mcm` come by variable. Unless named, the
    variables are those of which both tables have at least half of the values. Records with a missing value
    are left out; `variables`, `original_records` and `candidate_records` count what was used. Time grows as N
    log N for one or two variables; for more it grows with the square, and beyond a million records the
    measure is not assessed.

    A distance, not a test: the candidate is made from the original, so no p-value of a two-sample test would
    hold.

    Formula: U_m = max_i |F(z_i) − G(z_i)| over the n + m points z of both tables; mcm = Σ_i (F(z_i) −
    G(z_i))², u_a = mcm / (n + m).

    Reference: Woo, Reiter, Oganian and Karr (2009), doi:10.29012/jpc.v1i1.568.
    """
    if one_way:
        return _one_way(pair, variables)
    records = complete_records(pair, variables)
    if isinstance(records, NotAssessed):
        return records
    pooled = len(records.original) + len(records.candidate)
    if len(records.columns) > 2 and pooled > MOST_RECORDS:
        return NotAssessed(
            f"{pooled} records in {len(records.columns)} dimensions take too long: name two variables, or"
            " compare one_way"
        )
    distance = joint_distance(records.original, records.candidate)
    return Measurement(
        distance.largest, {"u_a": distance.mean_square, "mcm": distance.squares, **records.parts()}
    )


def _one_way(pair: ReleasePair, variables: list[str] | None) -> Measurement | NotAssessed:
    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    parts: dict[str, float] = {}
    for column in columns:
        distance = line_distance(*(ordered(pair, column, side) for side in BOTH))
        parts.update(
            {
                f"u_m.{column}": distance.largest,
                f"u_a.{column}": distance.mean_square,
                f"mcm.{column}": distance.squares,
            }
        )
    largest = {part: max(parts[f"{part}.{column}"] for column in columns) for part in ("u_m", "u_a", "mcm")}
    return Measurement(largest["u_m"], {"u_a": largest["u_a"], "mcm": largest["mcm"], **parts})
