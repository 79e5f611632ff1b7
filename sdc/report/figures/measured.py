"""What do the parts of a measurement look like? Surfaces, shares and bands drawn from the numbers themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.measurement import Measurement
from sdc.report import wording
from sdc.report.drawing import Drawing, Mark, line, outline, path, rect, text
from sdc.report.figures.pairs import breadth
from sdc.report.figures.plot import Plot, Scale, percent, short
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.assess import Assessment

CELL, GAP = 42, 70
TALL, DEEP, WIDE = 110, 70, 190


@dataclass(frozen=True)
class Grid:
    """Chances of a right attribution by the number of classes of keys and of the target, in both tables."""

    keys: tuple[int, ...]
    targets: tuple[int, ...]
    original: Mapping[tuple[int, int], float]
    candidate: Mapping[tuple[int, int], float]


def grid(parts: Mapping[str, float]) -> Grid | None:
    """From parts named p.KEYS.TARGETS and p_original.KEYS.TARGETS."""
    found: dict[str, dict[tuple[int, int], float]] = {"p": {}, "p_original": {}}
    for name, value in parts.items():
        head, *rest = name.split(".")
        if head in found and len(rest) == 2 and all(part.isdigit() for part in rest):
            found[head][int(rest[0]), int(rest[1])] = value
    if not found["p"] or found["p"].keys() != found["p_original"].keys():
        return None
    keys, targets = (tuple(sorted({cell[place] for cell in found["p"]})) for place in (0, 1))
    return Grid(keys, targets, found["p_original"], found["p"]) if len(found["p"]) == len(keys) * len(targets) else None


def attribution(assessment: Assessment) -> Figure | None:
    """A surface seen from above and from the side, of both tables."""
    held = grid(assessment.outcome.parts) if isinstance(assessment.outcome, Measurement) else None
    if held is None:
        return None
    marks: list[Mark] = []
    side = len(held.keys) * CELL
    for block, (title, values) in enumerate((("original", held.original), ("candidate", held.candidate))):
        x = 40 + block * (side + GAP)
        marks.append(text(x, 12, title, f"strong {title}"))
        marks += _from_above(held, values, x, title)
    right = 40 + 2 * (side + GAP) + 20
    marks += _from_the_side(held, right)
    height = max(70 + len(held.targets) * CELL, 60 + TALL + DEEP)
    ways = str(assessment.options.get("binning", "equal_frequency")).replace("_", " ")
    caption = (
        f"Chance that an intruder names the right class of the target, by the number of classes of the keys (across) and of the target "
        f"(up), {ways}. The darker and the higher, the more is learnt."
    )
    cells = [(key, target) for key in held.keys for target in held.targets]
    rows = tuple((f"{key} and {target}", percent(held.original[key, target]), percent(held.candidate[key, target])) for key, target in cells)
    drawing = Drawing(right + WIDE + DEEP + 20, height, tuple(marks), "Chance of a right attribution by the numbers of classes")
    heads = ("classes of keys and target", "original", "candidate")
    title = f"Attribution by number of classes: {assessment.alias}"
    return Figure(wording.anchor("surface", assessment.alias), title, caption, drawing, heads, rows, wide=True)


def _from_above(held: Grid, values: Mapping[tuple[int, int], float], x: float, title: str) -> list[Mark]:
    marks = []
    foot = 24 + len(held.targets) * CELL
    for i, key in enumerate(held.keys):
        for j, target in enumerate(held.targets):
            value = values[key, target]
            tip = f"{key} and {target} classes, {title}: {percent(value)}"
            square = rect(x + i * CELL, foot - (j + 1) * CELL, CELL - 2, CELL - 2, "plus", tip=tip)
            marks.append(Mark(square.kind, square.style, (*square.attributes, ("fill-opacity", f"{value**1.2:.2f}")), tip=square.tip))
            style = "tick middle" + (" inverse" if value > 0.55 else " dark")
            marks.append(text(x + (i + 0.5) * CELL - 1, foot - (j + 0.5) * CELL + 3, f"{100 * value:.0f}", style))
        marks.append(text(x + (i + 0.5) * CELL, foot + 14, str(key), "tick middle"))
    marks += [text(x - 8, foot - (j + 0.5) * CELL + 3, str(target), "tick end") for j, target in enumerate(held.targets)]
    return [*marks, text(x + len(held.keys) * CELL / 2, foot + 30, "classes of a key", "axis middle")]


def _from_the_side(held: Grid, x: float) -> list[Mark]:
    """Both surfaces as nets in parallel projection: keys to the right, the target to the back, the chance upwards."""
    foot = 40 + TALL + DEEP * 0.6

    def place(i: int, j: int, value: float) -> tuple[float, float]:
        right, back = i / max(len(held.keys) - 1, 1), j / max(len(held.targets) - 1, 1)
        return x + right * WIDE + back * DEEP, foot - back * DEEP * 0.6 - value * TALL

    last_key, last_target = len(held.keys) - 1, len(held.targets) - 1
    floor = [place(0, 0, 0), place(last_key, 0, 0), place(last_key, last_target, 0), place(0, last_target, 0)]
    marks = [outline([floor], "rule frame"), line(*place(0, 0, 0), *place(0, 0, 1), "base")]
    marks.append(text(x - 4, place(0, 0, 1)[1] + 4, percent(1, 0), "tick end"))
    marks += [text(x - 4, foot + 4, percent(0, 0), "tick end"), text(x + WIDE / 2, foot + 16, "classes of a key", "axis middle")]
    for values, style in ((held.original, "original thin"), (held.candidate, "candidate thin")):
        for i, key in enumerate(held.keys):
            marks.append(path([place(i, j, values[key, target]) for j, target in enumerate(held.targets)], style))
        for j, target in enumerate(held.targets):
            marks.append(path([place(i, j, values[key, target]) for i, key in enumerate(held.keys)], style))
    return marks


def contributions(assessment: Assessment) -> Figure | None:
    """Which keys make records special: parts named contribution.KEY, in percent."""
    if not isinstance(assessment.outcome, Measurement):
        return None
    found = {name.partition(".")[2]: value for name, value in assessment.outcome.parts.items() if name.startswith("contribution.")}
    if not any(found.values()):
        return None
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    left, row = 20 + max(breadth(name) for name in found), 24
    scale = Scale(0, max(*found.values(), 1e-9), left, max(470, left + 150))
    marks: list[Mark] = []
    for place, (name, value) in enumerate(ordered):
        y = 4 + place * row
        marks += [text(left - 8, y + 14, name, "end"), rect(left, y + 4, scale(value) - left, 12, "candidate", tip=f"{name}: {short(value)} %")]
        marks.append(text(scale(value) + 6, y + 14, f"{short(value)}\u202f%", "tick"))
    caption = f"Share of all scores that comes from sets of keys with this one in them. {ordered[0][0]} does most to single records out."
    drawing = Drawing(int(scale.end) + 50, 10 + row * len(found), tuple(marks), "Contributions of keys to special uniqueness")
    rows = tuple((name, f"{short(value)} %") for name, value in ordered)
    heads = ("key", "contribution")
    return Figure(
        wording.anchor("contributions", assessment.alias), "Keys that single records out", caption, drawing, heads, rows, wide=True, categories_of=()
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
    plot = Plot.of((520, 240), (0, len(numbers) - 1), (0, max(value for held in found.values() for value in held.values()) * 1.15 or 1.0))
    marks = plot.side("divergence")
    for name, held, style in ((name, held, style) for (name, held), style in zip(sorted(found.items()), ("strong-line", "same-line"), strict=False)):
        points = [(plot.x(numbers.index(number)), plot.y(value)) for number, value in sorted(held.items())]
        marks += [path(points, style), text(points[-1][0] - 4, points[-1][1] - 7, name, "end strong")]
    marks += [text(plot.x(place), plot.y.start + 14, str(number), "tick middle") for place, number in enumerate(numbers)]
    marks += [line(plot.x.start, plot.y.start, plot.x.end, plot.y.start, "base"), text(260, 236, "groups a number is cut into", "axis middle")]
    rows = tuple((str(number), *(short(found[name][number]) if number in found[name] else "–" for name in sorted(found))) for number in numbers)
    caption = "One group finds no difference, many find one in every record: what lies between is what a single number hides."
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


def measured(assessments: Sequence[Assessment]) -> tuple[list[Figure], list[Figure]]:
    """Drawings of risk and of utility that come from measurements alone."""
    risk = [attribution(held) for held in assessments if held.measure == "attribution_surface"]
    risk += [contributions(held) for held in assessments if held.measure == "special_uniques"]
    utility = [bands(held) for held in assessments if held.measure == "grouping_sensitivity"]
    return [figure for figure in risk if figure], [figure for figure in utility if figure]
