"""How a measurement runs along an option that was swept over several values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc.catalogue.measurement import Measurement
from sdc.report import wording
from sdc.report.drawing import Drawing, circle, line, path, text
from sdc.report.figures.figure_registry import SWEEP, figure
from sdc.report.figures.plot import Plot, short
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sdc.gate.judged import JudgedCandidate
    from sdc.report.figures.scene import Scene

SIZE = (310, 220)
FEWEST, MOST_CURVES = 3, 12


@dataclass(frozen=True)
class Curve:
    """A measurement of candidates that differ in one numeric option, by its values in ascending order."""

    option: str
    alias: str
    values: tuple[float, ...]
    measured: tuple[float, ...]
    names: tuple[str, ...]
    part: str = ""


@figure(chapter=SWEEP, order=10, from_tables=True)
def sweep_curves(scene: Scene) -> Iterator[Figure | None]:
    """A curve for each criterion, on every group of candidates that a sweep made."""
    criteria = scene.facts.profile.criteria
    wanted = list(dict.fromkeys((criterion.alias, criterion.part or "") for criterion in criteria))
    drawn = 0
    for option, group in swept(scene.facts.candidates):
        for alias, part in wanted:
            held = curve(option, group, alias, part)
            if held is not None and drawn < MOST_CURVES:
                drawn += 1
                yield curve_figure(held, _limits(scene, alias, part))


def swept(candidates: Sequence[JudgedCandidate]) -> Iterator[tuple[str, dict[float, JudgedCandidate]]]:
    """Groups of three candidates or more whose steps differ in one numeric option, by its value."""
    groups: dict[Any, dict[float, JudgedCandidate]] = {}
    for candidate in candidates:
        steps = candidate.made.steps if candidate.made else ()
        for place, step in enumerate(steps):
            for option, value in _numbers(step.options):
                others = tuple(
                    (each.method, repr(_without(each.options, option if at == place else "")))
                    for at, each in enumerate(steps)
                )
                groups.setdefault((place, option, others), {})[value] = candidate
    for (_, option, _), group in groups.items():
        if len(group) >= FEWEST:
            yield option, dict(sorted(group.items()))


def _numbers(options: Mapping[str, Any], head: str = "") -> Iterator[tuple[str, float]]:
    """Numeric options, also those of a variable within an option."""
    for name, value in options.items():
        if isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            yield f"{head}{name}", float(value)
        elif isinstance(value, dict) and not head:
            yield from _numbers(value, f"{name}.")


def _without(options: Mapping[str, Any], option: str) -> dict[str, Any]:
    first, _, inner = option.partition(".")
    return {
        name: {key: held for key, held in value.items() if key != inner}
        if inner and name == first and isinstance(value, dict)
        else value
        for name, value in options.items()
        if inner or name != first
    }


def curve(option: str, group: Mapping[float, JudgedCandidate], alias: str, part: str = "") -> Curve | None:
    """The measurement of every candidate of a group; None where one of them has none."""
    found = []
    for candidate in group.values():
        outcome = next((each.outcome for each in candidate.assessments if each.alias == alias), None)
        if not isinstance(outcome, Measurement) or (part and part not in outcome.parts):
            return None
        found.append(outcome.parts[part] if part else outcome.value)
    names = tuple(candidate.name for candidate in group.values())
    return Curve(option, alias, tuple(group), tuple(found), names, part)


def _limits(scene: Scene, alias: str, part: str) -> list[float]:
    return [
        limit
        for criterion in scene.facts.profile.criteria
        if criterion.alias == alias and (criterion.part or "") == part
        for limit in (criterion.at_least, criterion.at_most)
        if limit is not None
    ]


def curve_figure(held: Curve, limits: Sequence[float] = ()) -> Figure:
    """The values as points on a line; limits of the profile as rules."""
    every = [*held.measured, *limits]
    reach = (max(every) - min(every)) * 0.08 or abs(every[0]) * 0.1 or 1.0
    plot = Plot.of(SIZE, (held.values[0], held.values[-1]), (min(every) - reach, max(every) + reach), left=58)
    name = f"{held.alias} {held.part}".strip()
    marks = [*plot.side(name), *plot.bottom(held.option.replace(".", " of "))]
    for limit in limits:
        y = plot.y(limit)
        marks += [
            line(plot.x.start, y, plot.x.end, y, "limit"),
            text(plot.x.end, y - 4, f"limit {short(limit)}", "tick end"),
        ]
    places = [(plot.x(x), plot.y(y)) for x, y in zip(held.values, held.measured, strict=True)]
    marks.append(path(places, "candidate solid"))
    for (x, y), candidate, value in zip(places, held.names, held.measured, strict=True):
        marks.append(circle(x, y, 4, "candidate", tip=f"{candidate}: {short(value)}"))
    lowest, highest = min(held.measured), max(held.measured)
    caption = f"{name} of the candidates of a sweep runs from {short(lowest)} to {short(highest)}."
    drawing = Drawing(*SIZE, tuple(marks), f"{name} against {held.option}")
    rows = tuple((short(x), short(y)) for x, y in zip(held.values, held.measured, strict=True))
    anchor = wording.anchor("curve", held.option, held.alias, held.part, held.names[0])
    return Figure(anchor, f"{name} along {held.option}", caption, drawing, (held.option, name), rows)
