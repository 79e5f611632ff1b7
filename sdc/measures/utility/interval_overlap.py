"""Would a regression on the candidate lead to the same conclusions?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.arrays import Array
from sdc.catalogue import Better, Family, Measurement, NotAssessed, Unit, measure
from sdc.catalogue.protection import combining_rule
from sdc.data.release_pair import ReleasePair
from sdc.measures.model_fits import FittedModels, TwoFits, fitted_models
from sdc.measures.model_frame import Formula
from sdc.measures.survey_sample import is_weighted
from sdc.statistics.estimates.intervals import expected_overlap, overlap, reach
from sdc.statistics.estimates.synthetic_inference import RULES, CombiningRule, combined, too_few

Errors = Literal["original", "population", "own", "synthetic", "simple", "proper", "partial", "full"]


@measure(
    family=Family.UTILITY,
    better=Better.HIGHER,
    unit=Unit.SHARE,
    against="1: nothing done; expected!: a correct synthesis, on average",
    bounds=(-math.inf, 1),
    combines=True,
    parts=(
        "smallest standardised_difference sign_agreement significance_agreement coefficients models_left_out"
        " weighted unweighted syntheses expected rule.TEXT overlap.NUMBER standardised_difference.NUMBER"
        " lack_of_fit.NUMBER overlap.NUMBER.TEXT original.TEXT.NUMBER.TEXT candidate.TEXT.NUMBER.TEXT"
    ),
    variants=(
        {"errors": "own", "models": ["income ~ age * sex + region", "health == bad ~ age + sqrt(spending)"]},
    ),
)
def interval_overlap(
    pair: ReleasePair,
    *,
    models: Annotated[list[Formula], Field(min_length=1)] | None = None,
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95,
    errors: Errors = "original",
) -> Measurement | NotAssessed:
    """The mean overlap of the confidence intervals of regression coefficients, over all models.

    The overlap of two intervals is the mean of the shares of either that they have in common: 1 where they
    agree, negative where they lie apart. Models are formulas such as `log(income) ~ age + sex` (least
    squares) or `health == bad ~ age * region` (logistic, as for a response of two categories); `+` adds
    terms, `a:b` is a product, `a * b` both and their product, factors may be log, log1p, sqrt, powers `x^2`
    or comparisons. Unless named, each sensitive variable is explained by the keys. The first category both
    tables have is the reference. Records with a missing value in a model, or whose logarithm is not finite,
    are left out. Fits are weighted where the release has a weight, with model-based standard errors;
    `unweighted` is the value without.

    `errors` says how long the candidate's intervals are. `original`: as the original's, to compare estimates.
    `population`: for inference from syntheses, with n / (k m) added to the original's variance for m
    syntheses of k records. `own`: by the candidate's own standard errors. With m syntheses that leave, their
    mean coefficients are judged (and their mean variances). `synthetic`: as a user who has the syntheses
    alone computes them, by the rule that fits the steps; or by the rule named. With v the mean of the
    syntheses' own variances and b the variance between their coefficients: `simple`, v (k/n + 1/m);
    `proper`, where parameters were drawn, v (k/n + (1 + k/n)/m); `partial`, where values were kept, v + b/m;
    `full`, (1 + 1/m) b - v; the last two with t quantiles, and from two syntheses on. `expected` is what the
    mean overlap would be for syntheses drawn from a correct model: 0.796 for one of the original's size at 95
    %; `partial` and `full` have none that is known.

    Parts: `smallest` overlap; `standardised_difference`, the mean of |candidate - original| over the
    original's standard error; `sign_agreement` and `significance_agreement`, shares of coefficients with the
    same sign and the same answer whether 0 lies in the interval; overlap and standardised_difference by model
    number, and overlap by term; coefficients and the ends of their intervals in each table
    (`original.coefficient.MODEL.TERM`, `original.low`, `original.high`, and the candidate's), numbered where
    a term has several; `lack_of_fit` by model, the squared distance of all coefficients in units of their
    covariance, n / (k m) times the original's. All are distances: no p-value is given, the tables being
    dependent.

    Formula: mean over coefficients of ½ (I / (U_x − L_x) + I / (U_y − L_y)), I = min(U_x, U_y) − max(L_x,
    L_y).

    Reference: Karr, Kohnen, Oganian, Reiter and Sanil (2006), doi:10.1198/000313006X124640; Raab, Nowok and
    Dibben (2016), doi:10.29012/jpc.v7i3.407; Raghunathan, Reiter and Rubin (2003), Journal of Official
    Statistics 19, 1-16; Reiter (2003), Survey Methodology 29, 181-188.
    """
    weighted, m = is_weighted(pair), len(pair.leaving)
    found = _fitted(pair, models, weighted=weighted)
    if isinstance(found, NotAssessed):
        return found
    lengths = Lengths.of(pair, errors, level)
    if lacking := too_few(lengths.rule, m):
        return NotAssessed(lacking)
    comparisons = {number: ModelComparison.of(fits, lengths) for number, fits in found.fits.items()}
    parts = _parts(comparisons)
    parts.update({"models_left_out": found.left_out, "weighted": weighted, "syntheses": m})
    if lengths.rule:
        parts[f"rule.{lengths.rule}"] = 1
    if (spread := lengths.spread) is not None:
        parts["expected"] = expected_overlap(level, *spread)
    if weighted and not isinstance(plain := _fitted(pair, models, weighted=False), NotAssessed):
        parts["unweighted"] = _mean(
            [ModelComparison.of(fits, lengths).overlap for fits in plain.fits.values()]
        )
    return Measurement(_mean([held.overlap for held in comparisons.values()]), parts)


@dataclass(frozen=True)
class Lengths:
    """How long the candidate's intervals are: `errors` as asked for, with the `rule` that combines syntheses.

    `ratio` is n / (k m), `size_ratio` k / n.
    """

    errors: Errors
    level: float
    rule: CombiningRule | None
    ratio: float
    size_ratio: float
    m: int

    @classmethod
    def of(cls, pair: ReleasePair, errors: Errors, level: float) -> Lengths:
        named: CombiningRule | None = None
        if errors == "synthetic":
            named = combining_rule(pair.steps)
        elif errors in RULES:
            named = errors
        n, k, m = pair.original.rows, pair.candidate.rows, len(pair.leaving)
        return cls(errors, level, named, n / (k * m), k / n, m)

    def halves(self, fits: TwoFits) -> Array:
        """Half the lengths of the candidate's intervals."""
        z, before, after = reach(self.level), fits.original, fits.candidate
        if self.rule:
            within = np.tile(after.errors**2, (len(fits.estimates), 1))
            held = combined(self.rule, fits.estimates, within, size_ratio=self.size_ratio)
            return held.halves(self.level)
        lengthened = {
            "original": before.errors,
            "population": before.errors * math.sqrt(1 + self.ratio),
            "own": after.errors,
        }
        return z * lengthened[self.errors]

    @property
    def spread(self) -> tuple[float, float] | None:
        """What a correct model gives, in units of the original's error: length of intervals, distance.

        None where the rule does not tell.
        """
        if self.rule in ("partial", "full"):
            return None
        if self.rule == "proper":
            drawn = (1 + 1 / self.size_ratio) / self.m
            return math.sqrt(1 + drawn), math.sqrt(drawn)
        spans = {"original": 1.0, "own": math.sqrt(1 / self.size_ratio)}
        return spans.get(self.errors, math.sqrt(1 + self.ratio)), math.sqrt(self.ratio)


@dataclass(frozen=True)
class ModelComparison:
    """Coefficients of one model in both tables."""

    names: tuple[str, ...]
    estimates: tuple[Array, Array]
    halves: tuple[Array, Array]
    overlap: Array
    difference: Array
    same_sign: Array
    same_significance: Array
    lack_of_fit: float

    @classmethod
    def of(cls, fits: TwoFits, lengths: Lengths) -> ModelComparison:
        before, after = fits.original, fits.candidate
        halves = reach(lengths.level) * before.errors, lengths.halves(fits)
        gap = after.coefficients - before.coefficients
        significant = [
            np.abs(fit.coefficients) > half for fit, half in zip((before, after), halves, strict=True)
        ]
        return cls(
            names=fits.names,
            estimates=(before.coefficients, after.coefficients),
            halves=halves,
            overlap=overlap(before.coefficients, halves[0], after.coefficients, halves[1]),
            difference=np.abs(gap) / before.errors,
            same_sign=np.sign(before.coefficients) == np.sign(after.coefficients),
            same_significance=significant[0] == significant[1],
            lack_of_fit=_distance(gap, before.covariance) / lengths.ratio,
        )

    def levels(self, number: int) -> dict[str, float]:
        """Coefficients and the ends of their intervals.

        Those of one term are numbered where there are several.
        """
        told = dict(zip(_numbered(self.names), range(len(self.names)), strict=True))
        found = {}
        for side, centre, half in zip(("original", "candidate"), self.estimates, self.halves, strict=True):
            for name, ends in (("coefficient", centre), ("low", centre - half), ("high", centre + half)):
                found.update(
                    {f"{side}.{name}.{number}.{term}": float(ends[place]) for term, place in told.items()}
                )
        return found


def _numbered(names: Sequence[str]) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield f"{name}.{seen[name]}" if names.count(name) > 1 else name


def _distance(gap: Array, covariance: Array) -> float:
    scale = np.sqrt(covariance.diagonal())
    return float(gap / scale @ np.linalg.solve(covariance / np.outer(scale, scale), gap / scale))


def _mean(arrays: list[Array]) -> float:
    values = np.concatenate(arrays)
    return math.fsum(values) / values.size


def _parts(comparisons: dict[int, ModelComparison]) -> dict[str, float]:
    held = list(comparisons.values())
    parts = {
        "smallest": min(float(each.overlap.min()) for each in held),
        "standardised_difference": _mean([each.difference for each in held]),
        "sign_agreement": _mean([each.same_sign for each in held]),
        "significance_agreement": _mean([each.same_significance for each in held]),
        "coefficients": sum(each.overlap.size for each in held),
    }
    for number, each in comparisons.items():
        parts.update(
            {
                f"overlap.{number}": _mean([each.overlap]),
                f"standardised_difference.{number}": _mean([each.difference]),
            }
        )
        parts[f"lack_of_fit.{number}"] = each.lack_of_fit
        parts.update(each.levels(number))
        for name in dict.fromkeys(each.names):
            parts[f"overlap.{number}.{name}"] = _mean(
                [each.overlap[[place for place, held in enumerate(each.names) if held == name]]]
            )
    return parts


def _fitted(pair: ReleasePair, models: list[str] | None, *, weighted: bool) -> FittedModels | NotAssessed:
    """The models fitted to original and candidate, or to the means over all syntheses that leave."""
    if len(pair.leaving) == 1:
        return fitted_models(pair, models, weighted=weighted)
    found = []
    for number in range(1, len(pair.leaving) + 1):
        one = fitted_models(pair.of_synthesis(number), models, weighted=weighted)
        if isinstance(one, NotAssessed):
            return one
        found.append(one)
    kinds = [{number: fits.names for number, fits in one.fits.items()} for one in found]
    if any(kind != kinds[0] for kind in kinds):
        return NotAssessed("the syntheses do not have the same categories in the variables of a model")
    return FittedModels(
        {number: TwoFits.mean([one.fits[number] for one in found]) for number in found[0].fits},
        found[0].left_out,
    )
