"""Would a user still come to the same decision about the shape of a distribution?"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, Measurement, Need, NotAssessed, NumberColumn, Unit, measure
from sdc.data.release_pair import ReleasePair
from sdc.measures.comparison import BOTH, comparable_numbers, observed
from sdc.statistics.distances.distribution_distance import one_sample_distance

Fitted = Literal["normal", "lognormal", "exponential"]
FAMILIES: tuple[Fitted, ...] = ("normal", "lognormal", "exponential")
GIVEN = "given"


class Law(BaseModel):
    """A law with its two parameters.

    Normal or lognormal: mean and standard deviation (of the logarithm, if lognormal). Exponential: start, and
    mean beyond it. Uniform: start and length.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
    law: Literal["normal", "lognormal", "exponential", "uniform"]
    location: float
    scale: Annotated[float, Field(gt=0)]

    def below(self, values: Array) -> Array:
        """The distribution function."""
        from scipy.special import ndtr

        if self.law == "lognormal":
            logs = np.full(values.size, -np.inf)
            np.log(values, out=logs, where=values > 0)
            values = logs
        standard: Array = (values - self.location) / self.scale
        if self.law == "exponential":
            return -np.expm1(-np.maximum(standard, 0))
        return np.clip(standard, 0, 1) if self.law == "uniform" else np.asarray(ndtr(standard))


@measure(
    family=Family.UTILITY,
    better=Better.HIGHER,
    unit=Unit.SHARE,
    against="1: nothing done",
    bounds=(0, 1),
    needs=(Need.NUMERIC,),
    parts=(
        "distance_original.VARIABLE.TEXT distance_candidate.VARIABLE.TEXT rejected_original.VARIABLE.TEXT"
        " rejected_candidate.VARIABLE.TEXT p_original.VARIABLE.TEXT p_candidate.VARIABLE.TEXT"
    ),
)
def distribution_agreement(
    pair: ReleasePair,
    *,
    families: Annotated[list[Fitted], Field(min_length=1)] | None = None,
    laws: dict[NumberColumn, Law] | None = None,
    level: Annotated[float, Field(gt=0, lt=1)] = 0.05,
    variables: list[Column] | None = None,
) -> Measurement | NotAssessed:
    """The share of (variable, family) on which the one-sample tests of both tables decide alike.

    The tests are those of Kolmogorov and Smirnov. Both tables are tested against one law of the family,
    fitted to the original; `rejected_original` and `rejected_candidate` are the decisions, `distance_...` the
    statistics. These are one-sample tests of each table, not a test between the two, so it does no harm that
    the tables depend on each other. The law was fitted to the original, which makes the original's own test
    lenient. Decisions are compared and no p-value is given. A lognormal or exponential law needs positive
    original values. Missing values are left out.

    `laws` gives a law of a variable with its parameters, as `income: {law: normal, location: 50, scale: 5}`:
    mean and standard deviation (of the logarithm, if lognormal), of an exponential law its start and the mean
    beyond it, of a uniform one its start and length. Such tests are not lenient: `p_original` and
    `p_candidate` are their asymptotic p-values, named `given`. Where laws are given, families are fitted only
    if they are named.

    Formula: (1 / |V × L|) Σ_{v, l} 1{reject_x(v, l) = reject_y(v, l)}, reject where √n sup |F_n − F_l|
    exceeds its critical value.

    Reference: Massey (1951), doi:10.1080/01621459.1951.10500769.
    """
    from scipy.special import kolmogi, kolmogorov

    columns = comparable_numbers(pair, variables)
    if isinstance(columns, NotAssessed):
        return columns
    given = laws or {}
    if strangers := [name for name in given if name not in columns]:
        return NotAssessed(f"a law is given of {strangers[0]}, which is not compared")
    critical = float(kolmogi(level))
    parts: dict[str, float] = {}
    agreed = []
    for column in columns:
        tables = {side.value: observed(pair, column, side) for side in BOTH}
        fitted: dict[str, Law | None] = {
            family: _fitted(family, tables["original"]) for family in families or (() if given else FAMILIES)
        }
        for name, law in {**fitted, GIVEN: given.get(column)}.items():
            if law is None:
                continue
            decisions = []
            for side, values in tables.items():
                distance = one_sample_distance(values, law.below)
                decisions.append(math.sqrt(values.size) * distance > critical)
                parts[f"distance_{side}.{column}.{name}"] = distance
                parts[f"rejected_{side}.{column}.{name}"] = decisions[-1]
                if name == GIVEN:
                    parts[f"p_{side}.{column}.{name}"] = float(kolmogorov(math.sqrt(values.size) * distance))
            agreed.append(decisions[0] == decisions[1])
    return (
        Measurement(sum(agreed) / len(agreed), parts)
        if agreed
        else NotAssessed("no numeric variable varies and fits any of the families")
    )


def _fitted(family: Fitted, values: Array) -> Law | None:
    """The family's law with the most likely parameters; None where the values cannot follow it."""
    if values.size < 2 or np.ptp(values) == 0 or (family != "normal" and values.min() <= 0):
        return None
    if family == "exponential":
        return Law(law=family, location=0.0, scale=float(values.mean()))
    logs = np.log(values) if family == "lognormal" else values
    return Law(law=family, location=float(logs.mean()), scale=float(logs.std()))
