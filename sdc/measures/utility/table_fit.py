"""Which tables of the candidate can users trust least?"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Annotated

from pydantic import Field

from sdc.catalogue import Better, Column, Family, Measurement, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.comparison import coded, comparable
from sdc.statistics.counts.contingency import TwoCounts, joint_counts

MOST_TABLES = 5_000


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.RATIO,
    against="0: nothing done; 1: a correct synthesis, on average",
    usual="10: Raab, Nowok and Dibben 2021",
    parts=(
        "mean variable.VARIABLE standardised.VARIABLES pmse.VARIABLES voas_williamson.VARIABLES"
        " freeman_tukey.VARIABLES standardised_freeman_tukey.VARIABLES jensen_shannon.VARIABLES"
        " standardised_jensen_shannon.VARIABLES likelihood_ratio.VARIABLES"
        " standardised_likelihood_ratio.VARIABLES specks.VARIABLES rank_sum_u.VARIABLES po50.VARIABLES"
        " mean_absolute_difference.VARIABLES weighted_absolute_difference.VARIABLES"
        " standardised_weighted_absolute_difference.VARIABLES bhattacharyya.VARIABLES degrees.VARIABLES"
    ),
    variants=({"ways": 1},),
)
def table_fit(
    pair: ReleasePair,
    *,
    ways: Annotated[int, Field(ge=1, le=3)] = 2,
    groups: Annotated[int, Field(ge=1, le=1000)] = 5,
    variables: list[Column] | None = None,
) -> Measurement | NotAssessed:
    """The largest standardised pMSE over all tables of `ways` variables: about 1 for a correct candidate.

    A correct candidate is one drawn from the original. The propensity score of a record is the candidate's
    share of its cell. `mean` is the mean over the tables, `variable.V` over those with V, `standardised.A+B`
    each one; all other statistics of a table follow by name, those with expectation 1 as `standardised_...`.
    Numbers are cut into `groups` of equal frequency on both tables pooled; a recoded variable is compared in
    the candidate's own categories; missing is a category. Distances: the tables are dependent, no p-value
    holds.

    Formula: max over tables of pMSE / E_0[pMSE], pMSE = (1 / N) Σ_c (o_c + s_c) (s_c / (o_c + s_c) − m / N)².

    Reference: Raab, Nowok and Dibben (2021), Assessing, visualizing and improving the utility of synthetic
    data, arXiv:2109.12717.
    """
    columns = comparable(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    if len(columns) < ways:
        return NotAssessed(f"tables of {ways} variables need as many, and {len(columns)} can be compared")
    if (tables := math.comb(len(columns), ways)) > MOST_TABLES:
        return NotAssessed(
            f"there are {tables} tables of {ways} variables, and {MOST_TABLES} is the limit: name fewer"
            " variables"
        )
    codes = {column: coded(pair, column, groups) for column in columns}
    parts: dict[str, float] = {}
    fit: dict[tuple[str, ...], float] = {}
    for chosen in combinations(columns, ways):
        held = [codes[column] for column in chosen]
        counts = joint_counts(
            [each.original for each in held], [each.candidate for each in held], [each.size for each in held]
        )
        fit[chosen] = counts.standardised(counts.voas_williamson)
        parts.update(
            {f"{statistic}.{'+'.join(chosen)}": value for statistic, value in _statistics(counts).items()}
        )
    by_variable = {column: [value for chosen, value in fit.items() if column in chosen] for column in columns}
    scores = {f"variable.{column}": math.fsum(values) / len(values) for column, values in by_variable.items()}
    return Measurement(max(fit.values()), {"mean": math.fsum(fit.values()) / len(fit), **scores, **parts})


def _statistics(counts: TwoCounts) -> dict[str, float]:
    return {
        "standardised": counts.standardised(counts.voas_williamson),
        "pmse": counts.propensity_mse,
        "voas_williamson": counts.voas_williamson,
        "freeman_tukey": counts.freeman_tukey,
        "standardised_freeman_tukey": counts.standardised(counts.freeman_tukey),
        "jensen_shannon": counts.jensen_shannon,
        "standardised_jensen_shannon": counts.standardised(counts.jensen_shannon_scaled),
        "likelihood_ratio": counts.likelihood_ratio,
        "standardised_likelihood_ratio": counts.standardised(counts.likelihood_ratio, counts.g_degrees),
        "specks": counts.total_variation,
        "rank_sum_u": counts.rank_sum,
        "po50": counts.percent_over_half,
        "mean_absolute_difference": counts.mean_absolute_difference,
        "weighted_absolute_difference": counts.weighted_absolute_difference,
        "standardised_weighted_absolute_difference": counts.standardised(counts.weighted_absolute_difference),
        "bhattacharyya": counts.bhattacharyya,
        "degrees": counts.degrees,
    }
