"""Coefficients and indicators of both tables, with their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement, NotAssessed
from sdc.catalogue.registry import find_measure
from sdc.measures.model_fits import fitted_models
from sdc.measures.survey_sample import is_weighted
from sdc.report import wording
from sdc.report.drawing import Drawing, Mark, circle, line, rect, text
from sdc.report.figures.figure_registry import INDICATORS, MODELS, figure
from sdc.report.figures.plot import Scale, said, short
from sdc.report.views import Figure
from sdc.statistics.estimates.intervals import reach

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sdc.catalogue.measurement import Assessment
    from sdc.data.release_pair import ReleasePair
    from sdc.profile import Profile
    from sdc.profile.plan import VariablePlan
    from sdc.report.figures.scene import Scene

MOST_ROWS = 30
REACH = 1.959964
ROW, WIDTH, RIGHT = 26, 720, 700


@dataclass(frozen=True)
class Estimates:
    """One quantity in both tables on a common scale: estimates and the half lengths of their intervals."""

    name: str
    original: float
    candidate: float
    half_original: float
    half_candidate: float

    @property
    def apart(self) -> float:
        return abs(self.candidate - self.original)


def estimates(
    pair: ReleasePair, assessment: Assessment, variables: Mapping[str, VariablePlan]
) -> list[Estimates]:
    """Coefficients of the models an interval_overlap was measured on, in standard errors of the original.

    Intervals have the level and the length that were measured. Of several syntheses their means were
    measured: none is drawn.
    """
    options = find_measure("interval_overlap").arguments(assessment.options)
    found = fitted_models(pair, options["models"], weighted=is_weighted(pair))
    if isinstance(found, NotAssessed) or len(pair.leaving) > 1:
        return []
    half = reach(options["level"])
    wider = {"original": 1.0, "population": sqrt(1 + pair.original.rows / pair.candidate.rows)}.get(
        options["errors"]
    )
    return [
        Estimates(
            _term(name, level, number, variables),
            before / error,
            after / error,
            half,
            half * (own / error if wider is None else wider),
        )
        for number, fits in found.fits.items()
        for name, level, before, after, error, own in zip(
            fits.names,
            fits.levels,
            fits.original.coefficients.tolist(),
            fits.candidate.coefficients.tolist(),
            fits.original.errors.tolist(),
            fits.candidate.errors.tolist(),
            strict=True,
        )
    ]


def _term(name: str, level: str, number: int, variables: Mapping[str, VariablePlan]) -> str:
    """A term of a model, with the level its coefficient stands for in words, and the number of the model."""
    plan = variables.get(name)
    return f"{name}: {plan.words(level) if plan else level} ({number})" if level else f"{name} ({number})"


def coefficients(
    pair: ReleasePair, assessment: Assessment, variables: Mapping[str, VariablePlan]
) -> Figure | None:
    """The coefficients of both tables, with the intervals whose overlap was measured."""
    outcome = assessment.outcome
    if not isinstance(outcome, Measurement):
        return None
    level = find_measure("interval_overlap").arguments(assessment.options)["level"]
    worst = f", at worst {wording.number(outcome.parts['smallest'])}" if "smallest" in outcome.parts else ""
    caption = (
        f"Estimates with {wording.number(100 * level)} % intervals, by model (in brackets). Where a line"
        f" crosses zero, so could the coefficient. The mean overlap {assessment.alias} is"
        f" {wording.number(outcome.value)}{worst}."
    )
    held, anchor = estimates(pair, assessment, variables), wording.anchor("coefficients", assessment.alias)
    return forest(
        held, f"Coefficients: {assessment.alias}", caption, "standard errors of the original", anchor
    )


def indicators(
    assessment: Assessment, variables: Mapping[str, VariablePlan], tolerance: float | None = None
) -> Figure | None:
    """Indicators by domain, in percent of the original's value.

    They come from parts original.NAME, value.NAME and their variances. `tolerance` is the change in percent
    that is allowed: its band is shaded.
    """
    if not isinstance(assessment.outcome, Measurement):
        return None
    held = _indicators(assessment.outcome.parts, variables)
    caption = (
        "Estimates in percent of the original's, with 95 % intervals where variances were estimated. The"
        f" largest change {said(assessment)}"
    )
    caption += f" Shaded: the {wording.number(tolerance)} % that is allowed." if tolerance is not None else ""
    band = None if tolerance is None else (100 - tolerance, 100 + tolerance)
    anchor = wording.anchor("indicators", assessment.alias)
    return forest(
        held, f"Indicators: {assessment.alias}", caption, "percent of the original's value", anchor, band
    )


def _indicators(parts: Mapping[str, float], variables: Mapping[str, VariablePlan]) -> list[Estimates]:
    held = []
    for part, before in parts.items():
        head, _, rest = part.partition(".")
        if head == "original" and before and f"value.{rest}" in parts:
            halves = [
                100 * REACH * sqrt(parts.get(f"{variance}.{rest}", 0.0)) / abs(before)
                for variance in ("original_variance", "variance")
            ]
            name = ", ".join(wording.worded(wording.pieces(rest, variables), variables))
            held.append(Estimates(name, 100.0, 100 * parts[f"value.{rest}"] / before, *halves))
    return held


def forest(
    held: Sequence[Estimates],
    title: str,
    caption: str,
    unit: str,
    anchor: str,
    band: tuple[float, float] | None = None,
) -> Figure | None:
    """A row for each quantity, the furthest apart first: the original above, the candidate below.

    `band` is shaded.
    """
    if not held:
        return None
    shown = sorted(held, key=lambda each: (-each.apart, each.name))[:MOST_ROWS]
    ends = [*(end for each in shown for end in _ends(each)), *(band or ())]
    left = 20 + min(max(len(each.name) for each in shown), 44) * 6.6
    low, high = min(ends), max(ends)
    slack = (high - low) * 0.04 or 1.0
    scale = Scale(low - slack, high + slack, left, RIGHT)
    foot = 26 + ROW * len(shown)
    marks: list[Mark] = (
        []
        if band is None
        else [rect(scale(band[0]), 20, scale(band[1]) - scale(band[0]), foot - 20, "within")]
    )
    for tick in scale.ticks():
        marks += [
            line(scale(tick), 20, scale(tick), foot, "rule"),
            text(scale(tick), 14, short(tick), "tick middle"),
        ]
    for place, each in enumerate(shown):
        marks += _row(each, 26 + ROW * place, left, scale)
    marks.append(text((left + RIGHT) / 2, foot + 16, unit, "axis middle"))
    rest = f" The {len(shown)} furthest apart of {len(held)}." if len(held) > len(shown) else ""
    drawing = Drawing(WIDTH, foot + 24, tuple(marks), title)
    rows = tuple((each.name, short(each.original), short(each.candidate)) for each in shown)
    return Figure(anchor, title, caption + rest, drawing, (unit, "original", "candidate"), rows, wide=True)


def _ends(each: Estimates) -> tuple[float, ...]:
    return (
        each.original - each.half_original,
        each.original + each.half_original,
        each.candidate - each.half_candidate,
        each.candidate + each.half_candidate,
    )


def _row(each: Estimates, top: float, left: float, scale: Scale) -> list[Mark]:
    name = each.name if len(each.name) <= 44 else each.name[:43] + "…"
    marks = [text(left - 8, top + ROW / 2 + 4, name, "end")]
    for value, half, y, style in (
        (each.original, each.half_original, top + 9, "original"),
        (each.candidate, each.half_candidate, top + 17, "candidate"),
    ):
        tip = f"{each.name}, {style}: {short(value)}" + (
            f", {short(value - half)} to {short(value + half)}" if half else ""
        )
        marks += [line(scale(value - half), y, scale(value + half), y, style, tip=tip)] if half else []
        marks.append(circle(scale(value), y, 3.4, style, tip=tip))
    return marks


@figure(chapter=INDICATORS, order=10, measures=("indicator_change",))
def indicator_changes(scene: Scene) -> Iterator[Figure | None]:
    """The figures that matter: they come right after the criteria."""
    profile = scene.drawer.profile
    for held in scene.drawer.taken("indicator_change"):
        yield indicators(held, profile.variables, _tolerance(held, profile))


def _tolerance(assessment: Assessment, profile: Profile) -> float | None:
    """The change in per cent that a profile allows for an indicator, where it says so."""
    limits = [
        each.at_most for each in profile.criteria if each.alias == assessment.alias and each.part is None
    ]
    return next((limit for limit in limits if limit is not None), None)


@figure(chapter=MODELS, order=40, measures=("interval_overlap",))
def model_coefficients(scene: Scene) -> Iterator[Figure | None]:
    for held in scene.drawer.taken("interval_overlap"):
        yield coefficients(scene.pair, held, scene.drawer.profile.variables)
