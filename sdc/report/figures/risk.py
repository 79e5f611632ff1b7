"""How small are the crowds, who is most at risk, and what would attacks find?"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from sdc import sql
from sdc.measurement import Measurement
from sdc.release_pair import Side
from sdc.report import wording
from sdc.report.drawing import Drawing, Mark, circle, line, rect, text
from sdc.report.figures.plot import Plot, Scale, percent, short
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.assess import Assessment
    from sdc.classes import ClassSizes
    from sdc.release_pair import ReleasePair
    from sdc.report.figures.draw import Drawer

SIZE = (520, 240)
STEPS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))
MOST_COMBINATIONS = 10
ATTACKS = ("membership_inference", "singling_out", "linkability", "attribute_inference")


def class_sizes(pair: ReleasePair, drawer: Drawer, doubt: str = "") -> Figure | None:
    """Shares of records by the size of their class; the original's are shown inside the house only. `doubt`: why they are no risk here."""
    keys = pair.roles.quasi_identifiers
    if not keys:
        return None
    sides = [(side, pair.class_sizes(keys, side)) for side in (Side.ORIGINAL, Side.CANDIDATE) if side is Side.CANDIDATE or not drawer.public]
    shares = {side: _by_step(held) for side, held in sides}
    plot = Plot.of(SIZE, (0, len(STEPS)), (0, max(max(held) for held in shares.values()) * 1.15))
    marks = plot.side("records", said=lambda share: percent(share, 0))
    width = plot.x(1) - plot.x(0)
    rows = []
    for place, (low, high) in enumerate(STEPS):
        label = f"{low} or more" if high is None else str(low) if low == high else f"{low} to {high}"
        for side, held in shares.items():
            x = plot.x(place) + width * (0.1 if side is Side.ORIGINAL or drawer.public else 0.5)
            y = plot.y(held[place])
            tip = f"classes of {label}: {percent(held[place])} of the records of the {side.value}"
            marks.append(rect(x, y, width * (0.8 if drawer.public else 0.38), plot.y.start - y, side.value, tip=tip))
        marks.append(text(plot.x(place + 0.5), plot.y.start + 14, label, "tick middle"))
        rows.append((label, *(percent(held[place]) for held in shares.values())))
    marks += [
        line(plot.x.start, plot.y.start, plot.x.end, plot.y.start, "base"),
        text(SIZE[0] / 2, SIZE[1] - 4, "records in the class", "axis middle"),
    ]
    drawing = Drawing(*SIZE, tuple(marks), "Records by the size of their class on the quasi-identifiers")
    alone = f"Cannot be believed as a risk here: {doubt}." if doubt else "A record in a class of one stands alone."
    caption = f"Classes on {wording.listed(list(keys))}. {alone}"
    heads = ("records in the class", *(side.value for side in shares))
    return Figure("class-sizes", "Sizes of the classes", caption, drawing, heads, tuple(rows), wide=True, categories_of=())


def _by_step(held: ClassSizes) -> list[float]:
    total = max(held.total_records, 1)
    inside = [(held.size >= low) & (held.size <= (inf if high is None else high)) for low, high in STEPS]
    return [float(held.records[those].sum()) / total for those in inside]


def riskiest(pair: ReleasePair, drawer: Drawer) -> Figure | None:
    """The combinations of keys fewest records of the candidate share; inside the house only."""
    keys = pair.roles.quasi_identifiers
    if drawer.public or not keys:
        return None
    names = sql.names(keys)
    ordered = ", ".join(f"CAST({sql.name(key)} AS VARCHAR) NULLS LAST" for key in keys)
    texts = ", ".join(f"CAST({sql.name(key)} AS VARCHAR)" for key in keys)
    query = f'SELECT {texts}, count(*) AS "n" FROM {sql.name(pair.candidate.name)} GROUP BY {names} ORDER BY "n", {ordered} LIMIT {MOST_COMBINATIONS}'
    rows = tuple((*("missing" if value is None else str(value) for value in row[:-1]), f"{row[-1]:,}") for row in pair.candidate.fetch(query))
    caption = "The combinations of quasi-identifiers fewest records of the candidate share, and how many do."
    return Figure("riskiest", "Riskiest combinations", caption, None, (*keys, "records"), rows, wide=True, categories_of=tuple(keys))


@dataclass(frozen=True)
class Attack:
    """How often an attack succeeded, and how often it did on records no method saw."""

    name: str
    rate: float
    control: float | None
    low: float | None
    high: float | None


def attacks(assessments: Sequence[Assessment]) -> list[Attack]:
    """Attacks that were made, from their measurements; with an interval where the success is the measurement's own value."""
    found = []
    for held in assessments:
        outcome = held.outcome
        if held.measure in ATTACKS and isinstance(outcome, Measurement):
            rate = outcome.parts.get("attack_rate", outcome.value)
            # An interval is that of the value: it says nothing of a rate that is only a part.
            interval = outcome.interval if rate == outcome.value else None
            found.append(
                Attack(held.alias, rate, outcome.parts.get("control_rate"), interval.low if interval else None, interval.high if interval else None)
            )
    return found


def attack_rates(found: Sequence[Attack]) -> Figure | None:
    """Success of each attack beside its success on the control records."""
    if not found:
        return None
    left, row = 170, 34
    ends = [number for attack in found for number in (attack.rate, attack.control, attack.high) if number is not None]
    scale = Scale(0, max(*ends, 0.05) * 1.1, left, 560)
    marks: list[Mark] = []
    for tick in scale.ticks():
        marks += [line(scale(tick), 20, scale(tick), 24 + row * len(found), "rule"), text(scale(tick), 14, percent(tick, 0), "tick middle")]
    for place, attack in enumerate(found):
        y = 24 + row * place + row / 2
        marks.append(text(left - 10, y + 4, attack.name, "end"))
        if attack.low is not None and attack.high is not None:
            tip = f"interval: {short(attack.low)} to {short(attack.high)}"
            marks.append(line(scale(attack.low), y + 8, scale(attack.high), y + 8, "base", tip=tip))
        if attack.control is not None:
            marks.append(circle(scale(attack.control), y, 5, "control", tip=f"{attack.name} on the control: {percent(attack.control)}"))
        marks.append(circle(scale(attack.rate), y, 6, "candidate", tip=f"{attack.name}: {percent(attack.rate)}"))
    drawing = Drawing(600, 30 + row * len(found), tuple(marks), "Success of attacks on the candidate and on the control")
    rows = tuple((attack.name, percent(attack.rate), "–" if attack.control is None else percent(attack.control)) for attack in found)
    caption = "Filled: success on records the candidate was made from. Hollow: on records no method saw."
    if any(attack.low is not None for attack in found):
        caption += " The line below is the interval of the success."
    return Figure("attack-rates", "Attacks", caption, drawing, ("attack", "success", "on the control"), rows, wide=True, categories_of=())
