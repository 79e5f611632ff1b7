"""Would the figures that matter come out the same?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import Better, Column, Family, Measurement, NotAssessed, NumberColumn, Unit, measure
from sdc.catalogue.protection import combining_rule
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.comparison import comparable, comparable_numbers, is_number
from sdc.measures.indicator_enquiry import IndicatorEnquiry
from sdc.measures.indicator_pair import IndicatorPair, over_syntheses
from sdc.measures.survey_sample import SurveyDesign, is_weighted
from sdc.statistics.estimates.indicators import Estimator, estimator
from sdc.statistics.estimates.synthetic_inference import CombiningRule, too_few

Indicator = Literal["mean", "total", "quantile", "gini", "at_risk_of_poverty", "quintile_share", "rate"]

BY_DEFAULT: tuple[Indicator, ...] = ("mean", "gini")


@measure(
    family=Family.UTILITY,
    better=Better.LOWER,
    unit=Unit.PER_CENT,
    against="0: nothing done",
    combines=True,
    parts=(
        "unweighted syntheses rule.TEXT figures zero_in_original not_defined weighted domains_left_out"
        " smallest_overlap draws_left_out strata_of_one_unit original.INDICATOR value.INDICATOR"
        " change.INDICATOR original_variance.INDICATOR variance.INDICATOR variance_change.INDICATOR"
        " mse.INDICATOR original_low.INDICATOR original_high.INDICATOR low.INDICATOR high.INDICATOR"
        " overlap.INDICATOR not_compared:lower not_compared.VARIABLE"
    ),
    variants=({"indicators": ["mean", "quantile"], "by": "region"},),
)
def indicator_change(
    pair: ReleasePair,
    *,
    indicators: Annotated[list[Indicator], Field(min_length=1)] | None = None,
    variables: list[Column] | None = None,
    by: Column | list[Column] | None = None,
    quantiles: Annotated[list[Annotated[float, Field(gt=0, lt=1)]], Field(min_length=1)] | None = None,
    bootstraps: Annotated[int, Field(ge=2, le=100_000)] = 100,
    strata: Column | None = None,
    units: Column | None = None,
    totals: dict[Column, dict[str, Annotated[float, Field(ge=0)]]] | None = None,
    replicates: Annotated[list[NumberColumn], Field(min_length=1)] | None = None,
    replicate_factor: Annotated[float, Field(gt=0)] | None = None,
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95,
    least: Annotated[int, Field(ge=1)] = 10,
    rule: CombiningRule | None = None,
    rng: np.random.Generator,
) -> Measurement | NotAssessed:
    """The largest relative change of an indicator, in percent, over indicators, variables and domains.

    Indicators of numbers are mean, total, quantile (`quantiles`, the median unless named), gini (0 to 1),
    at_risk_of_poverty (share strictly below 60 % of the whole table's median) and quintile_share (what lies
    above the 80 % quantile over what lies at or below the 20 % quantile); rate is the share of each category.
    Mean and gini are taken unless named. `by` names variables whose categories are domains; those with fewer
    than `least` original records are left out and counted. Quantiles are the smallest value whose cumulative
    weight exceeds the share, or the mean of it and the next where it equals it.

    Weighted where the release has a weight: `unweighted` is the value without. Records without the value or a
    positive weight are left out. For each figure, named INDICATOR.VARIABLE and .BY.DOMAIN: `original` and
    (the candidate's) `value`, `change` in percent, `original_variance` and `variance` over `bootstraps`
    samples (records drawn with replacement; where `units` or `strata` are named, n - 1 of the n units of a
    stratum, their weights raised by n / (n - 1)), both tables meeting the same draws, `variance_change` in
    percent, and `mse`, the squared difference plus the absolute difference of variances; where both variances
    are above 0, the ends `original_low`, `original_high`, `low` and `high` of normal intervals at `level` and
    their `overlap`, the mean of the shares of either that they have in common. With `totals`, as `region:
    {north: 1200, south: 800}`, the weights of each sample are raked to these sums; samples that cannot meet
    them are left out, and `draws_left_out` is the largest number of them. `strata_of_one_unit` have no
    variance. With `replicates`, columns of replicate weights, the variances are `replicate_factor` (one over
    their number unless given) times the sum of squared differences from the figure.

    Where m syntheses leave, `value` is the mean over them and `variance` that of a user who combines them, by
    the rule of the steps or by `rule`: with v the mean of their variances, b the variance between them, n and
    k the records of original and synthesis, `simple` is v (k/n + 1/m), `proper` v (k/n + (1 + k/n)/m),
    `partial` v + b/m, `full` (1 + 1/m) b - v; the last two have t intervals and need two syntheses. Of one
    synthesis `variance` is its own unless `rule` is given.

    Figures that are 0 in the original have no relative change and are counted in `zero_in_original`; one that
    is not defined there is left out if it was not asked for by name. No p-value is given: the tables are
    dependent.

    Formula: 100 max |θ(y) − θ(x)| / |θ(x)| over the figures θ.

    Reference: Templ (2017), Statistical Disclosure Control for Microdata, doi:10.1007/978-3-319-50272-4;
    Alfons and Templ (2013), doi:10.18637/jss.v054.i15; Raab, Nowok and Dibben (2016),
    doi:10.29012/jpc.v7i3.407; Rao and Wu (1988), doi:10.1080/01621459.1988.10478591; Reiter (2003), Survey
    Methodology 29, 181-188; Raghunathan, Reiter and Rubin (2003), Journal of Official Statistics 19, 1-16.
    """
    grouping = (by,) if isinstance(by, str) else tuple(by or ())
    design = SurveyDesign(strata, units, totals or {}, tuple(replicates or ()), replicate_factor)
    if problem := design.problem(pair):
        return problem
    columns = _columns(pair, indicators, variables, grouping, design.replicates)
    if isinstance(columns, NotAssessed):
        return columns
    asked = IndicatorEnquiry(
        pair,
        columns,
        _wanted(indicators or BY_DEFAULT, quantiles or [0.5]),
        grouping,
        tuple(_domains(pair, grouping, least)),
        design,
    )
    weighted, m = is_weighted(pair), len(pair.leaving)
    if lacking := too_few(rule, m):
        return NotAssessed(lacking)
    combining = rule or (combining_rule(pair.steps) if m > 1 else None)
    seed = int(rng.integers(2**63))
    each = [replace(asked, pair=pair.of_synthesis(number)) for number in range(1, m + 1)]
    taken = [one.with_variances(weighted=weighted, draws=bootstraps, seed=seed) for one in each]
    lost = max(left_out for _, left_out in taken)
    figures = _together([found for found, _ in taken], combining, pair)
    if isinstance(figures, NotAssessed):
        return figures
    defined = [figure for figure in figures if not np.isnan(figure.before)]
    relative = [figure for figure in defined if figure.has_change]
    if problem := _problem(figures, strict=indicators is not None):
        return problem
    parts = {name: number for figure in defined for name, number in figure.parts(level).items()}
    if overlaps := [number for name, number in parts.items() if name.startswith("overlap.")]:
        parts["smallest_overlap"] = min(overlaps)
    parts.update(
        {
            "figures": len(relative),
            "zero_in_original": len(defined) - len(relative),
            "not_defined": len(figures) - len(defined),
        }
    )
    parts.update(
        {
            "weighted": weighted,
            "domains_left_out": (sum(len(pair.labels(name)) for name in grouping) - len(asked.domains)),
        }
    )
    if design.totals:
        parts["draws_left_out"] = lost
    if design.strata:
        parts["strata_of_one_unit"] = asked.strata_of_one_unit
    if combining:
        parts |= {"syntheses": m, f"rule.{combining}": 1}
    if weighted:
        bare = _together([one.figures(weighted=False) for one in each], combining, pair)
        plain = [
            figure.change
            for figure in (() if isinstance(bare, NotAssessed) else bare)
            if figure.has_change and not np.isnan(figure.after)
        ]
        parts["unweighted"] = max(plain, default=0.0)
    return Measurement(max(figure.change for figure in relative), parts)


def _together(
    several: list[list[IndicatorPair]], rule: CombiningRule | None, pair: ReleasePair
) -> list[IndicatorPair] | NotAssessed:
    """The figures of one table as they are, or those of syntheses by a rule."""
    if rule is None:
        return several[0]
    return over_syntheses(several, rule, pair.candidate.rows / pair.original.rows)


def _problem(figures: Sequence[IndicatorPair], *, strict: bool) -> NotAssessed | None:
    """Why figures cannot be compared. `strict`: all that were asked for must be defined."""
    lost = [figure.name for figure in figures if np.isnan(figure.before)]
    if (lost and strict) or len(lost) == len(figures):
        return NotAssessed(f"not defined in the original: {_few(lost)}")
    if lacking := [
        figure.name for figure in figures if np.isnan(figure.after) and not np.isnan(figure.before)
    ]:
        return NotAssessed(f"not defined in the candidate: {_few(lacking)}")
    if not any(figure.has_change for figure in figures):
        return NotAssessed(
            "0 in the original, so that no change has a relative size:"
            f" {_few([figure.name for figure in figures])}"
        )
    return None


def _few(names: Sequence[str]) -> str:
    """Figures by indicator and variable; their categories and domains are values."""
    short = list(dict.fromkeys(" of ".join(name.split(".")[:2]) for name in names))
    return ", ".join(short[:3]) + (f" and {len(short) - 3} more" if len(short) > 3 else "")


def _columns(
    pair: ReleasePair,
    indicators: Sequence[Indicator] | None,
    variables: Sequence[str] | None,
    grouping: Sequence[str],
    replicates: Sequence[str],
) -> tuple[str, ...] | NotAssessed:
    """The numbers that the indicators are taken of and, where rates are wanted, the categorical variables."""
    asked = indicators or BY_DEFAULT
    if grouping and isinstance(known := comparable(pair, grouping), NotAssessed):
        return known
    shared = comparable(pair, variables)
    if isinstance(shared, NotAssessed):
        return shared
    categories = (
        [name for name in shared if not is_number(pair, name) and name not in grouping]
        if "rate" in asked
        else []
    )
    if set(asked) == {"rate"}:
        return tuple(categories) or NotAssessed("a rate needs a categorical variable in both tables")
    numbers = comparable_numbers(
        pair, [name for name in shared if name not in categories] if variables else None
    )
    if isinstance(numbers, NotAssessed):
        return numbers
    return (*(name for name in numbers if name not in replicates), *categories) or NotAssessed(
        "all numeric variables are replicate weights"
    )


def _wanted(indicators: Sequence[Indicator], quantiles: Sequence[float]) -> dict[str, Estimator]:
    made: dict[str, Estimator] = {}
    for indicator in indicators:
        if indicator == "quantile":
            made.update({f"quantile_{100 * share:g}": estimator("quantile", share) for share in quantiles})
        elif indicator != "rate":
            made[indicator] = estimator(indicator)
    return made


def _domains(pair: ReleasePair, grouping: Sequence[str], least: int) -> Iterator[tuple[int, int]]:
    for place, name in enumerate(grouping):
        places = pair.places(name, Side.ORIGINAL)
        counts = np.bincount(places[places >= 0], minlength=len(pair.labels(name)))
        yield from ((place, code) for code in np.flatnonzero(counts >= least).tolist())
