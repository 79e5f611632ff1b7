"""Would a user still come to the same decision about the shape of a distribution?"""

from __future__ import annotations

import math
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import Better, Column, Family, Need, measure
from sdc.comparison import comparable_numbers, observed
from sdc.measurement import Measurement, NotAssessed
from sdc.release_pair import ReleasePair, Side
from sdc.statistics.distribution_distance import one_sample_distance

Array = np.ndarray[Any, Any]
LawName = Literal["normal", "lognormal", "exponential"]


@measure(
    family=Family.UTILITY,
    better=Better.HIGHER,
    bounds=(0, 1),
    needs=(Need.NUMERIC,),
    parts="distance_original.VARIABLE.TEXT distance_candidate.VARIABLE.TEXT rejected_original.VARIABLE.TEXT rejected_candidate.VARIABLE.TEXT",
)
def distribution_agreement(
    pair: ReleasePair,
    *,
    families: Annotated[list[LawName], Field(min_length=1)] | None = None,
    level: Annotated[float, Field(gt=0, lt=1)] = 0.05,
    variables: list[Column] | None = None,
) -> Measurement | NotAssessed:
    """The share of (variable, family) on which the one-sample Kolmogorov-Smirnov tests of both tables decide alike.

    Both tables are tested against one law of the family, fitted to the original; `rejected_original` and
    `rejected_candidate` are the decisions, `distance_...` the statistics. These are one-sample tests of each table, not
    a test between the two, so that the tables depend on each other does no harm; that the law was fitted to the
    original makes its own test lenient. Decisions are compared and no p-value is given. A lognormal or exponential law
    needs positive original values. Missing values are left out.

    Reference: Massey (1951), doi:10.1080/01621459.1951.10500769.
    """
    from scipy.special import kolmogi

    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    critical = float(kolmogi(level))
    parts: dict[str, float] = {}
    agreed = []
    for column in columns:
        tables = {side: observed(pair, column, side) for side in (Side.ORIGINAL, Side.CANDIDATE)}
        for family in families or ("normal", "lognormal", "exponential"):
            law = _fitted(family, tables[Side.ORIGINAL])
            if law is None:
                continue
            decisions = []
            for side, values in tables.items():
                distance = one_sample_distance(values, partial(_distribution, law))
                decisions.append(math.sqrt(values.size) * distance > critical)
                parts[f"distance_{side.value}.{column}.{family}"] = distance
                parts[f"rejected_{side.value}.{column}.{family}"] = decisions[-1]
            agreed.append(decisions[0] == decisions[1])
    return Measurement(sum(agreed) / len(agreed), parts) if agreed else NotAssessed("no numeric variable varies and fits any of the families")


def _fitted(family: LawName, values: Array) -> tuple[LawName, float, float] | None:
    """Location and scale of the family's law with the most likely parameters; None where the values cannot follow it."""
    if values.size < 2 or np.ptp(values) == 0 or (family != "normal" and values.min() <= 0):
        return None
    if family == "exponential":
        return family, 0.0, float(values.mean())
    logs = np.log(values) if family == "lognormal" else values
    return family, float(logs.mean()), float(logs.std())


def _distribution(law: tuple[LawName, float, float], values: Array) -> Array:
    from scipy.special import ndtr

    family, location, scale = law
    if family == "exponential":
        return -np.expm1(-np.maximum(values, 0) / scale)
    logs = np.full(values.size, -np.inf)
    if family == "lognormal":
        np.log(values, out=logs, where=values > 0)
    else:
        logs = values
    below: Array = ndtr((logs - location) / scale)
    return below
