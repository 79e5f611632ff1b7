"""Key and target of both tables on the grid of classes by which attribution was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Assessment, Measurement, NotAssessed
from sdc.data.classes import Classed
from sdc.measures.key_matching import compared_by
from sdc.report import wording
from sdc.report.drawing import Drawing, line
from sdc.report.figures.figure_registry import CROWDS, figure
from sdc.report.figures.plot import said
from sdc.report.figures.scatter import SIZE, plotted
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.data.release_pair import ReleasePair
    from sdc.report.figures.scene import Drawer, Scene


@figure(chapter=CROWDS, order=80, measures=("class_attribution",))
def class_grid(scene: Scene) -> Iterator[Figure | None]:
    """One grid for each measurement whose key and target are one number each."""
    for held in scene.drawer.taken("class_attribution"):
        yield grid_of(scene.pair, held, scene.drawer)


def grid_of(pair: ReleasePair, held: Assessment, drawer: Drawer) -> Figure | None:
    """The records as points, and the borders of the classes as rules."""
    target = held.options.get("target") or _target(held, pair)
    keys = list(held.options.get("keys") or pair.roles.quasi_identifiers)
    if target is None or len(keys) != 1:
        return None
    both = (keys[0], str(target))
    classes = [_classes(pair, name, held) for name in both]
    made = plotted(pair, both, drawer)
    if made is None or any(each is None for each in classes):
        return None
    plot, marks = made
    rules = [
        *(line(plot.x(edge), plot.y.start, plot.x(edge), plot.y.end, "limit") for edge in classes[0] or ()),
        *(line(plot.x.start, plot.y(edge), plot.x.end, plot.y(edge), "limit") for edge in classes[1] or ()),
    ]
    name = f"{both[0]} and {both[1]}"
    caption = f"Records of both tables on the classes that were compared. {said(held)}"
    drawing = Drawing(*SIZE, (*rules, *marks), f"Records by {name} on the grid of their classes")
    return Figure(
        wording.anchor("class_grid", held.alias), f"{name} on the grid of classes", caption, drawing
    )


def _target(held: Assessment, pair: ReleasePair) -> str | None:
    """The riskiest target, which gave the value."""
    outcome = held.outcome
    parts = outcome.parts if isinstance(outcome, Measurement) else {}
    values = {name: parts[f"value.{name}"] for name in pair.roles.sensitive if f"value.{name}" in parts}
    return max(values, key=lambda name: values[name]) if values else None


def _classes(pair: ReleasePair, name: str, held: Assessment) -> tuple[float, ...] | None:
    """The borders of a numeric variable's classes, by the options of the measurement."""
    asked = {key: held.options[key] for key in ("bins", "binning", "edges", "classes") if key in held.options}
    found = compared_by(pair, [name], **{"bins": 5, "binning": "equal_frequency", "edges": None, **asked})
    if isinstance(found, NotAssessed) or not isinstance(found[0], Classed):
        return None
    limits = found[0].limits or ()
    return tuple(sorted({*found[0].edges, *limits}))
