"""The law of a Kolmogorov-Smirnov distance under dependence, and where the measured distance lies in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Assessment, Measurement
from sdc.report import wording
from sdc.report.drawing import Drawing, line, path, text
from sdc.report.figures.figure_registry import MODELS, figure
from sdc.report.figures.plot import Plot, said, short
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.report.figures.scene import Scene

SIZE = (400, 240)
MOST_VARIABLES = 4
EXAMPLE = Measurement(
    0.125,
    {
        "distance.income": 0.125,
        "critical_if_independent.income": 0.25,
        "exceeded.income": 0.03125,
        **{f"law.income.{share}": share / 1000 for share in (5, 25, 50, 75, 90, 95, 99)},
    },
)


@figure(chapter=MODELS, order=60, measures=("ks_distance",), example=EXAMPLE)
def distance_law(scene: Scene) -> Iterator[Figure | None]:
    """One for each of the variables that are furthest apart."""
    for held in scene.drawer.taken("ks_distance"):
        parts = held.outcome.parts if isinstance(held.outcome, Measurement) else {}
        named = [part.removeprefix("exceeded.") for part in parts if part.startswith("exceeded.")]
        for name in sorted(named, key=lambda each: -parts[f"distance.{each}"])[:MOST_VARIABLES]:
            yield law_of(held, name)


def law_of(held: Assessment, name: str) -> Figure:
    """The quantiles of the law as a line; measured and independent samples' distance as rules."""
    parts = held.outcome.parts if isinstance(held.outcome, Measurement) else {}
    pattern = re.compile(rf"law\.{re.escape(name)}\.(\d+)")
    law = {int(found[1]): value for part, value in parts.items() if (found := pattern.fullmatch(part))}
    rules = {
        "measured": parts[f"distance.{name}"],
        "independent": parts[f"critical_if_independent.{name}"],
    }
    plot = Plot.of(SIZE, (0, max(*law.values(), *rules.values()) * 1.1), (0, 100))
    marks = [*plot.side("per cent of the law below"), *plot.bottom("distance")]
    marks.append(path([(plot.x(value), plot.y(share)) for share, value in sorted(law.items())], "original"))
    for height, (label, value) in enumerate(rules.items()):
        style = "candidate" if label == "measured" else "limit"
        x, y = plot.x(value), plot.y(40 - 12 * height)
        marks.append(line(x, plot.y.start, x, plot.y.end, style))
        far = value > plot.x.high / 2
        marks.append(text(x - 4 if far else x + 4, y, label, "tick end" if far else "tick"))
    exceeded = 100 * parts[f"exceeded.{name}"]
    caption = (
        f"{said(held)} Of {name} alone it is {short(rules['measured'])}: in {exceeded:.3g} % of the draws in"
        f" which original and candidate were exchanged within records, {name} was as far apart or further."
    )
    rows = tuple((f"{share} %", short(value)) for share, value in sorted(law.items()))
    drawing = Drawing(*SIZE, tuple(marks), f"The law of the distance of {name} under dependence")
    title = f"Law of the distance of {name}"
    return Figure(
        wording.anchor("law", held.alias, name), title, caption, drawing, ("law below", "distance"), rows
    )
