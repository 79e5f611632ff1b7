"""Which candidate is safest, which most useful, and which are beaten by another in both?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue import Better, Family, find_measure
from sdc.measurement import Measurement
from sdc.report import wording
from sdc.report.drawing import Drawing, Mark, circle, path, text
from sdc.report.figures.plot import Plot, short
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.profile.plan import Criterion
    from sdc.report.facts import CandidateFacts, RunFacts

SIZE = (620, 330)


@dataclass(frozen=True)
class Point:
    """A candidate by its risk and its utility, as measured."""

    name: str
    risk: float
    utility: float
    verdict: str
    chosen: bool


@dataclass(frozen=True)
class Axes:
    """The two measurements of the map, and which direction of each is good."""

    risk: Criterion
    utility: Criterion

    def goodness(self, point: Point) -> tuple[float, float]:
        """Both numbers so that more is better."""
        signs = (_sign(self.risk), _sign(self.utility))
        return signs[0] * point.risk, signs[1] * point.utility


def _sign(criterion: Criterion) -> int:
    if criterion.part and criterion.is_judged:
        return 1 if criterion.at_least is not None else -1
    return 1 if find_measure(criterion.measure).better is Better.HIGHER else -1


def axes(facts: RunFacts) -> Axes | None:
    """Risk: the judged measurement that differs most between candidates; utility: the one the profile prefers, else the same way."""
    risk = _most_telling(facts, Family.RISK)
    utility = _most_telling(facts, Family.UTILITY)
    prefer = facts.profile.prefer
    if prefer and find_measure(prefer.measure).family is Family.UTILITY:
        preferred = [criterion for criterion in facts.profile.utility if prefer.measure in (criterion.alias, criterion.measure)]
        utility = next(iter(preferred), utility)
    return Axes(risk, utility) if risk and utility else None


def _most_telling(facts: RunFacts, family: Family) -> Criterion | None:
    criteria = facts.profile.risk if family is Family.RISK else facts.profile.utility
    known = [criterion for criterion in criteria if all(_value(candidate, criterion) is not None for candidate in facts.candidates)]
    return max(known, key=lambda criterion: (len({_value(held, criterion) for held in facts.candidates}), criterion.is_judged), default=None)


def _value(candidate: CandidateFacts, criterion: Criterion) -> float | None:
    held = next((assessment.outcome for assessment in candidate.assessments if assessment.alias == criterion.alias), None)
    if not isinstance(held, Measurement):
        return None
    return held.parts.get(criterion.part) if criterion.part else held.value


def points(facts: RunFacts, chosen: Axes) -> list[Point]:
    """Candidates that have both numbers."""
    found = []
    for candidate in facts.candidates:
        risk, utility = _value(candidate, chosen.risk), _value(candidate, chosen.utility)
        if risk is not None and utility is not None:
            found.append(Point(candidate.name, risk, utility, candidate.decision.verdict.value, candidate.name == facts.chosen))
    return found


def front(found: Sequence[Point], chosen: Axes) -> list[Point]:
    """Candidates no other beats: at least as good in both, better in one (Pareto)."""
    good = {point.name: chosen.goodness(point) for point in found}

    def beaten(point: Point) -> bool:
        own = good[point.name]
        return any(other[0] >= own[0] and other[1] >= own[1] and other != own for other in good.values())

    kept = [point for point in found if not beaten(point)]
    return sorted(kept, key=lambda point: (point.risk, point.utility))


def risk_utility_map(facts: RunFacts) -> Figure | None:
    """All candidates on one sheet; only where there are several."""
    chosen = axes(facts)
    found = points(facts, chosen) if chosen else []
    if chosen is None or len(found) < 2:
        return None
    plot = Plot.of(SIZE, _around([point.risk for point in found]), _around([point.utility for point in found]), left=58)
    risk, utility = _axis(chosen.risk), _axis(chosen.utility)
    marks = [*plot.side(f"utility: {utility}"), *plot.bottom(f"risk: {risk}")]
    best = front(found, chosen)
    if len(best) > 1:
        marks.append(path([(plot.x(point.risk), plot.y(point.utility)) for point in best], "same"))
    for point in found:
        marks += _marks(point, plot)
    names = wording.listed([f"“{point.name}”" for point in best])
    caption = f"No candidate beats {names} in both (dotted line)." if len(best) > 1 else f"{names} is the best in both."
    rows = tuple((point.name, short(point.risk), short(point.utility), "chosen" if point.chosen else point.verdict) for point in found)
    heads = ("candidate", chosen.risk.alias, chosen.utility.alias, "verdict")
    drawing = Drawing(*SIZE, tuple(marks), f"Candidates by {chosen.risk.alias} and {chosen.utility.alias}")
    return Figure("risk-utility-map", "Risk and utility of the candidates", caption, drawing, heads, rows, wide=True, categories_of=())


def _axis(criterion: Criterion) -> str:
    name = f"{criterion.alias}, {criterion.part}" if criterion.part else criterion.alias
    return f"{name} ({'higher' if _sign(criterion) > 0 else 'lower'} is better)"


def _around(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    slack = (high - low) * 0.2 or abs(high) * 0.2 or 1.0
    return (max(low - slack, 0.0) if low >= 0 else low - slack), high + slack


def _marks(point: Point, plot: Plot) -> list[Mark]:
    x, y = plot.x(point.risk), plot.y(point.utility)
    style = {"published": "good", "referred": "refer"}.get(point.verdict, "bad")
    tip = f"{point.name}: risk {short(point.risk)}, utility {short(point.utility)}, {'chosen' if point.chosen else point.verdict}"
    ring = [circle(x, y, 11, "ring")] if point.chosen else []
    beside = x > plot.x.end - 110
    label = text(x - 15 if beside else x + 15, y + 4, f"{point.name}{', chosen' if point.chosen else ''}", "strong end" if beside else "strong")
    return [*ring, circle(x, y, 6.5, style, tip=tip), label]
