"""How much does the verdict of a table depend on the number of groups?"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, Unit, measure
from sdc.data.classes import Classed
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.comparison import classed, comparable_numbers, ordered
from sdc.statistics.counts.contingency import TwoCounts, class_counts

Groups = Annotated[int, Field(ge=1, le=1000)]


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.BITS_OR_SHARE,
    against="0: nothing done",
    bounds=(0, 1),
    needs=(Need.NUMERIC,),
    parts=(
        "spread.voas_williamson spread.jensen_shannon spread.cell_ks voas_williamson.NUMBER"
        " jensen_shannon.NUMBER cell_ks.NUMBER"
    ),
)
def grouping_sensitivity(
    pair: ReleasePair,
    *,
    groups: Annotated[list[Groups], Field(min_length=1)] | None = None,
    variables: list[Column] | None = None,
) -> Measurement | NotAssessed:
    """The spread of two divergences of the numeric variables over numbers of groups, the larger of the two.

    The divergences are jensen_shannon and cell_ks. One group finds no difference whatever the data, many
    groups find one in every record: the band between is what a single number hides. For each number of groups
    every numeric variable has its table; the parts `voas_williamson.G`, `jensen_shannon.G` and `cell_ks.G`
    are the largest over the variables, `spread` of each the largest less the smallest over G. Missing values
    are left out. Distances: no p-value holds for dependent tables.

    Formula: max over D of (max_G D_G − min_G D_G), D_G a divergence with G groups.

    Reference: Raab, Nowok and Dibben (2021), Assessing, visualizing and improving the utility of synthetic
    data, arXiv:2109.12717.
    """
    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    parts, spread = {}, {}
    values = {
        column: [ordered(pair, column, side) for side in (Side.ORIGINAL, Side.CANDIDATE)]
        for column in columns
    }
    by_groups = {number: _worst(pair, values, number) for number in groups or [1, 2, 3, 5, 10, 20, 50]}
    for statistic in ("voas_williamson", "jensen_shannon", "cell_ks"):
        by_number = {number: found[statistic] for number, found in by_groups.items()}
        parts.update({f"{statistic}.{number}": value for number, value in by_number.items()})
        spread[f"spread.{statistic}"] = max(by_number.values()) - min(by_number.values())
    return Measurement(max(spread["spread.jensen_shannon"], spread["spread.cell_ks"]), {**spread, **parts})


def _worst(pair: ReleasePair, values: dict[str, list[Array]], groups: int) -> dict[str, float]:
    counts = []
    for column, (original, candidate) in values.items():
        margin = classed(pair, column, groups)
        edges = margin.edges if isinstance(margin, Classed) else ()
        counts.append(TwoCounts.of(class_counts(original, edges), class_counts(candidate, edges)))
    return {
        "voas_williamson": max(table.voas_williamson for table in counts),
        "jensen_shannon": max(table.jensen_shannon for table in counts),
        "cell_ks": max(table.cumulative for table in counts),
    }
