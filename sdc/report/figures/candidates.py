"""The map of the candidates between risk and utility, on two measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Interval, Measurement
from sdc.catalogue.units import Better
from sdc.gate.pareto import MapAxis, axes, front
from sdc.report import wording
from sdc.report.drawing import Drawing, Mark, circle, line, path, rect, text
from sdc.report.figures.figure_registry import MAP, figure
from sdc.report.figures.label_places import Box, boxes, free, is_nearest
from sdc.report.figures.pairs import breadth
from sdc.report.figures.plot import Plot
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sdc.gate.decision import Decision
    from sdc.gate.judged import JudgedCandidate
    from sdc.profile import Profile
    from sdc.report.facts import RunFacts
    from sdc.report.figures.scene import Scene

SIZE = (620, 330)
STYLES = {"passes": "good", "would be referred": "refer", "not judged": "candidate"}
Limits = tuple[float | None, float | None]


@dataclass(frozen=True)
class Place:
    """A number of a candidate on one axis, with its interval where the number is a measurement's value."""

    value: float
    interval: Interval | None = None

    @property
    def ends(self) -> tuple[float, ...]:
        return (self.value, self.interval.low, self.interval.high) if self.interval else (self.value,)


@dataclass(frozen=True)
class Point:
    """A candidate by its risk and its utility, as measured."""

    name: str
    risk: Place
    utility: Place
    gate: str
    chosen: bool


def points(facts: RunFacts, chosen: tuple[MapAxis, MapAxis]) -> list[Point]:
    """Candidates that have both numbers."""
    found = []
    for candidate in facts.candidates:
        risk, utility = (_place(candidate, axis) for axis in chosen)
        if risk is not None and utility is not None:
            found.append(
                Point(
                    candidate.name,
                    risk,
                    utility,
                    candidate.decision.standing,
                    candidate.name == facts.chosen,
                )
            )
    return found


def _place(candidate: JudgedCandidate, axis: MapAxis) -> Place | None:
    held: Measurement | None = axis.measured(candidate.assessments)
    value = axis.value(candidate.assessments)
    return (
        None if held is None or value is None else Place(value, held.interval if axis.part is None else None)
    )


def risk_utility_map(facts: RunFacts) -> Figure | None:
    """All candidates on one sheet; only where there are several."""
    chosen = axes(facts.profile, [candidate.name for candidate in facts.candidates])
    found = points(facts, chosen) if chosen else []
    if chosen is None or len(found) < 2:
        return None
    risk, utility = chosen
    limits = [_limits(facts.profile, axis) for axis in chosen]
    ends = [
        [end for point in found for end in point.risk.ends],
        [end for point in found for end in point.utility.ends],
    ]
    ranges = [
        _around([*values, *(limit for limit in bounds if limit is not None)])
        for values, bounds in zip(ends, limits, strict=True)
    ]
    plot = Plot.of(SIZE, ranges[0], ranges[1], left=58)
    best = _unbeaten(found, risk, utility)
    marks = [
        *_shades(plot, limits),
        *plot.side(f"utility: {_said(utility)}"),
        *plot.bottom(f"risk: {_said(risk)}"),
    ]
    if len(best) > 1:
        marks.append(
            path([(plot.x(point.risk.value), plot.y(point.utility.value)) for point in best], "same")
        )
    marks += [mark for point in found for mark in _marks(point, plot)]
    marks += _labels(found, plot)
    heads = ("candidate", risk.label, utility.label, "gate")
    rows = tuple(
        (
            point.name,
            _told(point.risk),
            _told(point.utility),
            f"{point.gate}{', chosen' if point.chosen else ''}",
        )
        for point in found
    )
    drawing = Drawing(*SIZE, tuple(marks), f"Candidates by {risk.label} and {utility.label}")
    caption = _caption(facts, best, chosen)
    if any(limit is not None for bounds in limits for limit in bounds):
        caption += " Shaded: beyond a limit."
    if any(place.interval for point in found for place in (point.risk, point.utility)):
        caption += " Thin lines: intervals."
    return Figure(
        "risk-utility-map",
        "Risk and utility of the candidates",
        caption,
        drawing,
        heads,
        rows,
        wide=True,
        categories_of=(),
    )


def _unbeaten(found: Sequence[Point], risk: MapAxis, utility: MapAxis) -> list[Point]:
    """Candidates no other beats on the two axes, from left to right."""
    names = front(
        {
            point.name: (risk.badness(point.risk.value), utility.badness(point.utility.value))
            for point in found
        }
    )
    return sorted(
        (point for point in found if point.name in names),
        key=lambda point: (point.risk.value, point.utility.value),
    )


def _caption(facts: RunFacts, best: Sequence[Point], chosen: tuple[MapAxis, MapAxis]) -> str:
    """What the two axes say, and on which other criteria the same candidates are the worst."""
    on = f"{chosen[0].label} and {chosen[1].label}"
    names = wording.listed([f"“{point.name}”" for point in best])
    said = [f"On {on} no candidate beats {names}{' (dotted line)' if len(best) > 1 else ''}."]
    shown = {axis.label for axis in chosen}
    for point in best:
        worst = worst_on(
            {candidate.name: candidate.decision for candidate in facts.candidates}, point.name, besides=shown
        )
        if worst:
            said.append(
                f"“{point.name}” is the worst of all on {wording.listed(worst)}, which the map does not show."
            )
    return " ".join(said)


def worst_on(
    decisions: Mapping[str, Decision], name: str, besides: frozenset[str] | set[str] = frozenset()
) -> list[str]:
    """Criteria on which a candidate has a smaller margin than every other that is judged by them."""
    margins: dict[str, dict[str, float]] = {}
    for candidate, decision in decisions.items():
        for finding in decision.findings:
            if finding.family in ("risk", "utility") and finding.criterion not in besides:
                margins.setdefault(finding.criterion, {})[candidate] = finding.relative_margin
    return [
        criterion
        for criterion, held in margins.items()
        if name in held
        and len(held) > 1
        and all(held[name] < margin for other, margin in held.items() if other != name)
    ]


def _limits(profile: Profile, axis: MapAxis) -> Limits:
    """The limits a profile sets to the number on an axis, the strictest of each side."""
    judged = [
        each
        for each in profile.criteria
        if each.alias == axis.alias and each.part == axis.part and each.is_judged
    ]
    lows = [each.at_least for each in judged if each.at_least is not None]
    highs = [each.at_most for each in judged if each.at_most is not None]
    return max(lows, default=None), min(highs, default=None)


def _shades(plot: Plot, limits: Sequence[Limits]) -> list[Mark]:
    """Where a value would miss a limit."""
    left, right, top, foot = plot.x.start, plot.x.end, plot.y.end, plot.y.start
    marks: list[Mark] = []
    (risk_low, risk_high), (use_low, use_high) = limits
    for x, beyond in ((risk_low, left), (risk_high, right)):
        if x is not None:
            marks += [
                rect(min(plot.x(x), beyond), top, abs(beyond - plot.x(x)), foot - top, "beyond"),
                line(plot.x(x), top, plot.x(x), foot, "limit"),
            ]
    for y, beyond in ((use_low, foot), (use_high, top)):
        if y is not None:
            marks += [
                rect(left, min(plot.y(y), beyond), right - left, abs(beyond - plot.y(y)), "beyond"),
                line(left, plot.y(y), right, plot.y(y), "limit"),
            ]
    return marks


def _said(axis: MapAxis) -> str:
    return f"{axis.label} ({'higher' if axis.better is Better.HIGHER else 'lower'} is better)"


def _told(place: Place) -> str:
    return wording.reading(place.value, place.interval)


def _around(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    slack = (high - low) * 0.2 or abs(high) * 0.2 or 1.0
    return (max(low - slack, 0.0) if low >= 0 else low - slack), high + slack


def _marks(point: Point, plot: Plot) -> list[Mark]:
    x, y = plot.x(point.risk.value), plot.y(point.utility.value)
    tip = (
        f"{point.name}: risk {_told(point.risk)}, utility {_told(point.utility)},"
        f" {point.gate}{', chosen' if point.chosen else ''}"
    )
    marks = [circle(x, y, 11, "ring")] if point.chosen else []
    if point.risk.interval:
        marks.append(line(plot.x(point.risk.interval.low), y, plot.x(point.risk.interval.high), y, "whisker"))
    if point.utility.interval:
        marks.append(
            line(x, plot.y(point.utility.interval.low), x, plot.y(point.utility.interval.high), "whisker")
        )
    return [*marks, circle(x, y, 6.5, STYLES.get(point.gate, "bad"), tip=tip)]


def _labels(found: Sequence[Point], plot: Plot) -> list[Mark]:
    """Names beside their points.

    Each name takes the first of several places where it meets no name, point, interval or border. If it is
    far from its point, a line joins them.
    """
    dots = [(plot.x(point.risk.value), plot.y(point.utility.value)) for point in found]
    taken = [(x - 12, y - 12, x + 12, y + 12) for x, y in dots]
    lines = [
        box for (x, y), point in zip(dots, found, strict=True) for box in _whisker_boxes(x, y, point, plot)
    ]
    marks: list[Mark] = []
    for (x, y), point in zip(dots, found, strict=True):
        words = f"{point.name}{', chosen' if point.chosen else ''}"
        own = [box for box in boxes(x, y, breadth(words) + 8, plot) if is_nearest(box, (x, y), dots)]
        box = (
            free(own, [*taken, *lines])
            or free(own, taken)
            or free(boxes(x, y, breadth(words) + 8, plot), taken)
            or boxes(x, y, breadth(words) + 8, plot)[0]
        )
        taken.append(box)
        left, top, right, foot = box
        far = max(x - right, left - x, top - y, y - foot) > 20
        marks += [line(x, y, min(max(x, left), right), min(max(y, top), foot), "rule")] if far else []
        marks.append(text(left + 2, foot - 4, words, "strong halo"))
    return marks


def _whisker_boxes(x: float, y: float, point: Point, plot: Plot) -> list[Box]:
    across, up = point.risk.interval, point.utility.interval
    found = [(plot.x(across.low), y - 2, plot.x(across.high), y + 2)] if across else []
    return [*found, *([(x - 2, plot.y(up.high), x + 2, plot.y(up.low))] if up else [])]


@figure(chapter=MAP, from_tables=True)
def map_of_candidates(scene: Scene) -> Iterator[Figure | None]:
    yield risk_utility_map(scene.facts)
