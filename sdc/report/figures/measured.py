"""Surfaces, shares and bands drawn from the parts of a measurement themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement
from sdc.report import wording
from sdc.report.drawing import Drawing, Mark, line, path, rect, text
from sdc.report.figures.figure_registry import CROWDS, MODELS, figure
from sdc.report.figures.pairs import breadth
from sdc.report.figures.plot import Plot, Scale, percent, said, short
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.catalogue.measurement import Assessment
    from sdc.report.figures.scene import Scene

CELL, GAP = 42, 70


@dataclass(frozen=True)
class AttributionGrid:
    """Chances of a right attribution by the number of classes of keys and of the target, in both tables."""

    keys: tuple[int, ...]
    targets: tuple[int, ...]
    original: Mapping[tuple[int, int], float]
    candidate: Mapping[tuple[int, int], float]


def grid(parts: Mapping[str, float]) -> AttributionGrid | None:
    """From parts named p.KEYS.TARGETS and p_original.KEYS.TARGETS."""
    found: dict[str, dict[tuple[int, int], float]] = {"p": {}, "p_original": {}}
    for name, value in parts.items():
        head, *rest = name.split(".")
        if head in found and len(rest) == 2 and all(part.isdigit() for part in rest):
            found[head][int(rest[0]), int(rest[1])] = value
    if not found["p"] or found["p"].keys() != found["p_original"].keys():
        return None
    keys, targets = (tuple(sorted({cell[place] for cell in found["p"]})) for place in (0, 1))
    return (
        AttributionGrid(keys, targets, found["p_original"], found["p"])
        if len(found["p"]) == len(keys) * len(targets)
        else None
    )


def attribution(assessment: Assessment) -> Figure | None:
    """Two squares: how the chance changed from original to candidate, and the candidate's."""
    held = grid(assessment.outcome.parts) if isinstance(assessment.outcome, Measurement) else None
    if held is None:
        return None
    changes = {cell: held.candidate[cell] - held.original[cell] for cell in held.candidate}
    largest = max(*map(abs, changes.values()), 0.05)
    marks: list[Mark] = []
    for block, (title, values, most, sign) in enumerate(
        (("change", changes, largest, "+"), ("candidate", held.candidate, 1.0, ""))
    ):
        x = 40 + block * (len(held.keys) * CELL + GAP)
        marks.append(
            text(x, 12, f"{title}, points" if sign else title, "strong" if sign else f"strong {title}")
        )
        marks += _square(held, values, x, most, sign)
    ways = str(assessment.options.get("binning", "equal_frequency")).replace("_", " ")
    caption = (
        "Chance in percent that an intruder names the right class of the target, by the number of classes of"
        f" the keys (across) and of the target (up), {ways}: candidate minus original, and the candidate's."
        f" {said(assessment)}"
    )
    cells = [(key, target) for key in held.keys for target in held.targets]
    rows = tuple(
        (f"{key} and {target}", percent(held.original[key, target]), percent(held.candidate[key, target]))
        for key, target in cells
    )
    width = 40 + 2 * (len(held.keys) * CELL + GAP)
    drawing = Drawing(
        width,
        64 + len(held.targets) * CELL,
        tuple(marks),
        "Change of the chance of a right attribution by the numbers of classes",
    )
    heads = ("classes of keys and target", "original", "candidate")
    title = f"Attribution by number of classes: {assessment.alias}"
    return Figure(
        wording.anchor("surface", assessment.alias), title, caption, drawing, heads, rows, wide=True
    )


def _square(
    held: AttributionGrid, values: Mapping[tuple[int, int], float], x: float, most: float, sign: str
) -> list[Mark]:
    marks = []
    foot = 24 + len(held.targets) * CELL
    for i, key in enumerate(held.keys):
        for j, target in enumerate(held.targets):
            value = values[key, target]
            words = f"{100 * value:{sign}.0f}".replace("+0", "0").replace("-0", "0").replace("-", "−")
            square = rect(
                x + i * CELL,
                foot - (j + 1) * CELL,
                CELL - 2,
                CELL - 2,
                "plus" if value >= 0 else "minus",
                tip=f"{key} and {target} classes: {words}",
            )
            shade = abs(value) / most
            marks.append(
                Mark(
                    square.kind,
                    square.style,
                    (*square.attributes, ("fill-opacity", f"{shade**1.2:.2f}")),
                    tip=square.tip,
                )
            )
            style = "tick middle" + (" inverse" if shade > 0.55 else " dark")
            marks.append(text(x + (i + 0.5) * CELL - 1, foot - (j + 0.5) * CELL + 3, words, style))
        marks.append(text(x + (i + 0.5) * CELL, foot + 14, str(key), "tick middle"))
    marks += [
        text(x - 8, foot - (j + 0.5) * CELL + 3, str(target), "tick end")
        for j, target in enumerate(held.targets)
    ]
    return [*marks, text(x + len(held.keys) * CELL / 2, foot + 30, "classes of a key", "axis middle")]


def contributions(assessment: Assessment) -> Figure | None:
    """Which keys make records special: parts named contribution.KEY, in percent."""
    if not isinstance(assessment.outcome, Measurement):
        return None
    found = {
        name.partition(".")[2]: value
        for name, value in assessment.outcome.parts.items()
        if name.startswith("contribution.")
    }
    if not any(found.values()):
        return None
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    left, row = 20 + max(breadth(name) for name in found), 24
    scale = Scale(0, max(*found.values(), 1e-9), left, max(470, left + 150))
    marks: list[Mark] = []
    for place, (name, value) in enumerate(ordered):
        y = 4 + place * row
        marks += [
            text(left - 8, y + 14, name, "end"),
            rect(left, y + 4, scale(value) - left, 12, "candidate", tip=f"{name}: {short(value)} %"),
        ]
        marks.append(text(scale(value) + 6, y + 14, f"{short(value)}\u202f%", "tick"))
    caption = (
        f"Share of all scores that comes from sets of keys with this one in them. {ordered[0][0]} does most"
        f" to single records out. {said(assessment)}"
    )
    drawing = Drawing(
        int(scale.end) + 50,
        10 + row * len(found),
        tuple(marks),
        "Contributions of keys to special uniqueness",
    )
    rows = tuple((name, f"{short(value)} %") for name, value in ordered)
    heads = ("key", "contribution")
    return Figure(
        wording.anchor("contributions", assessment.alias),
        "Keys that single records out",
        caption,
        drawing,
        heads,
        rows,
        wide=True,
        categories_of=(),
    )


def bands(assessment: Assessment) -> Figure | None:
    """A statistic against the number of groups it was computed with: parts named STATISTIC.GROUPS."""
    if not isinstance(assessment.outcome, Measurement):
        return None
    found: dict[str, dict[int, float]] = {}
    for name, value in assessment.outcome.parts.items():
        head, _, groups = name.partition(".")
        if groups.isdigit() and head in ("jensen_shannon", "cell_ks"):
            found.setdefault(head, {})[int(groups)] = value
    if not found:
        return None
    numbers = sorted({number for held in found.values() for number in held})
    plot = Plot.of(
        (520, 240),
        (0, len(numbers) - 1),
        (0, max(value for held in found.values() for value in held.values()) * 1.15 or 1.0),
    )
    marks = plot.side("divergence")
    for name, held, style in (
        (name, held, style)
        for (name, held), style in zip(sorted(found.items()), ("strong-line", "same-line"), strict=False)
    ):
        points = [(plot.x(numbers.index(number)), plot.y(value)) for number, value in sorted(held.items())]
        marks += [path(points, style), text(points[-1][0] - 4, points[-1][1] - 7, name, "end strong")]
    marks += [
        text(plot.x(place), plot.y.start + 14, str(number), "tick middle")
        for place, number in enumerate(numbers)
    ]
    marks += [
        line(plot.x.start, plot.y.start, plot.x.end, plot.y.start, "base"),
        text(260, 236, "groups a number is cut into", "axis middle"),
    ]
    rows = tuple(
        (
            str(number),
            *(short(found[name][number]) if number in found[name] else "–" for name in sorted(found)),
        )
        for number in numbers
    )
    caption = (
        "One group finds no difference, many find one in every record: what lies between is what a single"
        f" number hides. {said(assessment)}"
    )
    drawing = Drawing(520, 240, tuple(marks), "Divergence against the number of groups")
    return Figure(
        wording.anchor("bands", assessment.alias),
        "Sensitivity to grouping",
        caption,
        drawing,
        ("groups", *sorted(found)),
        rows,
        wide=True,
        categories_of=(),
    )


@figure(chapter=CROWDS, order=40, measures=("attribution_surface",))
def attribution_squares(scene: Scene) -> Iterator[Figure | None]:
    yield from map(attribution, scene.believed("attribution_surface"))


@figure(chapter=CROWDS, order=50, measures=("special_uniques",))
def key_contributions(scene: Scene) -> Iterator[Figure | None]:
    yield from map(contributions, scene.believed("special_uniques"))


@figure(chapter=MODELS, order=30, measures=("grouping_sensitivity",))
def grouping_bands(scene: Scene) -> Iterator[Figure | None]:
    yield from map(bands, scene.drawer.taken("grouping_sensitivity"))
