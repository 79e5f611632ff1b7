"""The front of a search as a picture: every candidate between risk and utility, the unbeaten ones joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.units import Better
from sdc.report import wording
from sdc.report.drawing import Drawing, Mark, circle, path, text
from sdc.report.figures.plot import Plot

if TYPE_CHECKING:
    from flows.plan import Planned
    from sdc.gate.pareto import MapAxis

SIZE = (640, 340)
STYLES = {"passes": "good", "would be referred": "refer", "not judged": "candidate"}


@dataclass(frozen=True)
class FrontPoint:
    """One candidate of the front, with the number it has in the picture."""

    number: int
    name: str
    risk: str
    utility: str
    standing: str
    steps: str
    is_recommended: bool


def front_points(planned: Planned) -> list[FrontPoint]:
    """Those that no other beats, from less risk to more."""
    tried, by_name = planned.tried, {each.name: each for each in planned.tried.judged}
    axes = tried.axes
    names = [name for name in by_name if name in planned.front]
    if axes is not None:
        names.sort(key=lambda name: axes[0].badness(tried.points[name][0]) if name in tried.points else 0.0)
    return [
        FrontPoint(
            number,
            name,
            wording.number(tried.points[name][0]) if name in tried.points else "–",
            wording.number(tried.points[name][1]) if name in tried.points else "–",
            by_name[name].decision.standing,
            ", ".join(step.method for step in tried.profile.candidates[name]),
            name == planned.recommended,
        )
        for number, name in enumerate(names, start=1)
    ]


def front_picture(planned: Planned) -> Drawing | None:
    """All that were tried on one sheet; None where the profile has not both a risk and a utility."""
    tried = planned.tried
    if tried.axes is None or not tried.points:
        return None
    risk, utility = tried.axes
    plot = Plot.of(
        SIZE,
        _around([point[0] for point in tried.points.values()]),
        _around([point[1] for point in tried.points.values()]),
        left=58,
    )
    marks: list[Mark] = [*plot.side(f"utility: {_said(utility)}"), *plot.bottom(f"risk: {_said(risk)}")]
    front = [point for point in front_points(planned) if point.name in tried.points]
    places = {name: (plot.x(point[0]), plot.y(point[1])) for name, point in tried.points.items()}
    if len(front) > 1:
        marks.append(path([places[point.name] for point in front], "same"))
    standing = {each.name: each.decision.standing for each in tried.judged}
    for name, (x, y) in places.items():
        tip = f"{name}: {risk.label} {wording.number(tried.points[name][0])}, {utility.label} "
        tip += f"{wording.number(tried.points[name][1])}, {standing[name]}"
        marks += [circle(x, y, 10, "ring")] if name == planned.recommended else []
        marks.append(circle(x, y, 5.5, STYLES.get(standing[name], "bad"), tip=tip))
    numbers: dict[tuple[float, float], list[str]] = {}
    for point in front:
        numbers.setdefault(places[point.name], []).append(str(point.number))
    marks += [text(x + 9, y - 7, ", ".join(many), "strong halo") for (x, y), many in numbers.items()]
    label = (
        f"{len(places)} candidates by {risk.label} and {utility.label}; {len(front)} are beaten by no other"
    )
    return Drawing(*SIZE, tuple(marks), label)


def _said(axis: MapAxis) -> str:
    return f"{axis.label} ({'higher' if axis.better is Better.HIGHER else 'lower'} is better)"


def _around(values: list[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    slack = (high - low) * 0.12 or abs(high) * 0.1 or 1.0
    return (max(low - slack, 0.0) if low >= 0 else low - slack), high + slack
