"""Can what was published before still be computed from the candidate?"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from sdc.arrays import Array
from sdc.catalogue import Better, Column, Family, FromFile, Measurement, NotAssessed, Unit, measure
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.survey_sample import is_weighted, survey_weights
from sdc.statistics.estimates.indicators import Sample, estimator


class Span(BaseModel):
    """Numbers from one to another, both included; an end not given is open."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    at_least: float | None = None
    at_most: float | None = None

    def holds(self, numbers: Array) -> Array:
        """Which numbers lie in it; a missing one lies nowhere."""
        low, high = (
            -math.inf if self.at_least is None else self.at_least,
            math.inf if self.at_most is None else self.at_most,
        )
        return (numbers >= low) & (numbers <= high)


Value = str | int | float


class PublishedFigure(BaseModel):
    """A published figure: what it is, of which records, and what may be found instead."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: Annotated[str, Field(min_length=1)]
    indicator: Literal["mean", "total", "quantile", "gini", "at_risk_of_poverty", "quintile_share", "rate"]
    variable: Column
    category: str | None = None
    share: Annotated[float, Field(gt=0, lt=1)] = 0.5
    domain: dict[Column, Value | list[Value] | Span] = Field(default_factory=dict)
    value: float | None = None
    tolerance: Annotated[float, Field(ge=0)] | None = None
    low: float | None = None
    high: float | None = None
    source: str = ""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        by_tolerance, by_ends = (
            self.value is not None and self.tolerance is not None,
            self.low is not None and self.high is not None,
        )
        if by_tolerance == by_ends:
            message = "a figure has a value with a tolerance, or low and high"
            raise ValueError(message)
        if (self.indicator == "rate") != (self.category is not None):
            message = "a rate has a category, and no other indicator has"
            raise ValueError(message)
        return self

    def holds(self, found: float) -> bool:
        """Whether what was found is as good as what was published."""
        if self.value is not None and self.tolerance is not None:
            # A difference that equals the tolerance but for rounding is within it.
            return abs(found - self.value) <= self.tolerance * (1 + 1e-12) + 1e-15 * abs(self.value)
        assert self.low is not None
        assert self.high is not None
        return self.low <= found <= self.high


def _distinct(figures: list[PublishedFigure]) -> list[PublishedFigure]:
    if len({figure.name for figure in figures}) < len(figures):
        message = "two figures have the same name"
        raise ValueError(message)
    return figures


Figures = Annotated[list[PublishedFigure], AfterValidator(_distinct), FromFile()]


EXAMPLE: list[dict[str, Any]] = [
    {"name": "mean age", "indicator": "mean", "variable": "age", "low": 50, "high": 58},
    {"name": "women", "indicator": "rate", "variable": "sex", "category": "female", "low": 0.4, "high": 0.6},
    {
        "name": "old in the East",
        "indicator": "quantile",
        "share": 0.9,
        "variable": "age",
        "domain": {"region": "East"},
        "low": 80,
        "high": 90,
    },
    {
        "name": "bad health",
        "indicator": "rate",
        "variable": "health",
        "category": "bad",
        "domain": {"age": {"at_least": 65}},
        "low": 0.65,
        "high": 0.75,
    },
]
"""Figures that can be computed from the demonstration data."""


@measure(
    family=Family.UTILITY,
    better=Better.HIGHER,
    unit=Unit.SHARE,
    against="original: nothing done",
    bounds=(0, 1),
    parts="original figures not_computable reproduced.TEXT value.TEXT difference.TEXT",
    example={"figures": EXAMPLE},
)
def published_figures(
    pair: ReleasePair,
    *,
    figures: Annotated[list[PublishedFigure], AfterValidator(_distinct), FromFile()] | None = None,
) -> Measurement | NotAssessed:
    """The share of published figures that the candidate reproduces within their tolerance.

    `figures` is a list in the profile, or the path of a file with one: YAML with the key `figures`, or CSV
    with a column for each key (`domain.region`, `domain.age.at_least`); what it says is on record with the
    run. Each figure has a `name`, an `indicator` (mean, total, quantile with its `share`, gini,
    at_risk_of_poverty, quintile_share, or rate with its `category`), a `variable`, and either `value` with
    `tolerance` (absolute, in the unit of the figure) or the ends `low` and `high` of its interval. Optional
    are `domain`, which maps variables to a value, a list of values or `{at_least, at_most}`, and `source`,
    where it was published. Gini coefficients and rates are shares, 0 to 1:

    `figures: [{name: poverty_65, indicator: at_risk_of_poverty, variable: income, domain: {age: {at_least:
    65}}, value:
    0.163, tolerance: 0.005, source: "Yearbook 2024, table 7"}]`

    Figures are computed as in indicator_change: weighted where the release has a weight, records without the
    value or a positive weight left out, the poverty threshold that of the whole table. `reproduced.NAME` is 1
    or 0, `value.NAME` the candidate's figure and `difference.NAME` its distance from the value published. A
    figure that cannot be computed from the candidate, for want of a variable or because its values are
    coarser, is not reproduced; `not_computable` counts these. `original` is the share that the original
    itself reproduces. No p-value is given: the tables are dependent.

    Formula: (1 / F) Σ_f 1{low_f ≤ θ_f(y) ≤ high_f}.

    Reference: Templ (2017), Statistical Disclosure Control for Microdata, doi:10.1007/978-3-319-50272-4.
    """
    if not figures:
        return NotAssessed("no published figures are given: name them in the option figures")
    if empty := [side.value for side in (Side.ORIGINAL, Side.CANDIDATE) if not pair.table(side).rows]:
        return NotAssessed(f"no records in the {' and the '.join(empty)}")
    before, after = (
        [_estimate(pair, figure, side) for figure in figures] for side in (Side.ORIGINAL, Side.CANDIDATE)
    )
    if lacking := [figure.name for figure, found in zip(figures, before, strict=True) if found is None]:
        return NotAssessed(f"not computable from the original itself: {', '.join(lacking[:5])}")
    parts: dict[str, float] = {}
    for figure, found in zip(figures, after, strict=True):
        parts[f"reproduced.{figure.name}"] = found is not None and figure.holds(found)
        if found is not None:
            parts[f"value.{figure.name}"] = found
        if found is not None and figure.value is not None:
            parts[f"difference.{figure.name}"] = abs(found - figure.value)
    reproduced = [parts[f"reproduced.{figure.name}"] for figure in figures]
    parts["original"] = sum(
        found is not None and figure.holds(found) for figure, found in zip(figures, before, strict=True)
    ) / len(figures)
    return Measurement(
        sum(reproduced) / len(figures),
        {**parts, "figures": len(figures), "not_computable": after.count(None)},
    )


def _estimate(pair: ReleasePair, figure: PublishedFigure, side: Side) -> float | None:
    """The figure as one table gives it, None where that table cannot."""
    table = pair.table(side)
    if any(name not in table.columns for name in (figure.variable, *figure.domain)):
        return None
    inside = np.ones(table.rows, dtype=bool)
    for name, selection in figure.domain.items():
        chosen = _chosen(pair, name, side, selection)
        if chosen is None:
            return None
        inside &= chosen
    weights = survey_weights(pair, side, weighted=is_weighted(pair))
    if figure.indicator == "rate":
        assert figure.category is not None
        given = pair.codes(figure.variable, side) >= 0
        values = _chosen(pair, figure.variable, side, figure.category)
    elif table.is_numeric(figure.variable):
        values = pair.numbers(figure.variable, side)
        given = ~np.isnan(values)
    else:
        return None
    assert values is not None
    held = given & (weights > 0)
    sample = Sample.of(values[held].astype(float), weights[held], [inside[held]], [(0, 1)])
    found = float(
        sample.estimates(
            [estimator("mean" if figure.indicator == "rate" else figure.indicator, figure.share)]
        )[0, 1]
    )
    return found if math.isfinite(found) and bool((inside & held).any()) else None


def _chosen(pair: ReleasePair, name: str, side: Side, selection: Value | list[Value] | Span) -> Array | None:
    """Which records a selection takes, None where it asks for numbers and the table has none."""
    numeric = pair.table(side).is_numeric(name)
    if isinstance(selection, Span):
        return selection.holds(pair.numbers(name, side)) if numeric else None
    wanted = selection if isinstance(selection, list) else [selection]
    if numeric and (asked := [_number(value) for value in wanted]):
        return np.isin(pair.numbers(name, side), asked)
    levels = pair.levels(name)
    return np.isin(
        pair.codes(name, side), [levels.index(str(value)) for value in wanted if str(value) in levels]
    )


def _number(value: Value) -> float:
    try:
        return float(value)
    except ValueError:
        return math.nan
