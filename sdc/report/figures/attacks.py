"""What attacks found, and how much of it the release adds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement
from sdc.report import wording
from sdc.report.drawing import Drawing, Mark, circle, line, text
from sdc.report.figures.figure_registry import CROWDS, figure
from sdc.report.figures.pairs import breadth
from sdc.report.figures.plot import Scale, percent
from sdc.report.views import Figure
from sdc.statistics.estimates.rates import Rate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sdc.catalogue.measurement import Assessment, Interval
    from sdc.report.figures.scene import Scene

ATTACKS = ("membership_inference", "singling_out", "linkability", "attribute_inference")
ROW, TOP, PANEL, GAP = 34, 44, 270, 60


@dataclass(frozen=True)
class Success:
    """A measured share of attacks that succeeded, with Wilson's interval where their number is known."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> tuple[float, ...]:
        return tuple(end for end in (self.value, self.low, self.high) if end is not None)


@dataclass(frozen=True)
class Attack:
    """How often an attack succeeded on the original and on records no method saw, and its excess.

    All are parts of one measurement.
    """

    name: str
    rate: Success
    control: Success | None = None
    excess: float | None = None
    interval: Interval | None = None
    """Of the excess; one variable of an attack has none."""


def attacks(assessments: Sequence[Assessment]) -> list[Attack]:
    """Attacks that were made, from their measurements; each variable by itself where there are several."""
    found = []
    for held in assessments:
        outcome = held.outcome
        if held.measure in ATTACKS and isinstance(outcome, Measurement):
            found.append(_attack(held.alias, outcome))
            names = [name.partition(".")[2] for name in outcome.parts if name.startswith("attack_rate.")]
            found += [_attack_on(held.alias, variable, outcome.parts) for variable in names if len(names) > 1]
    return found


def _attack(name: str, held: Measurement) -> Attack:
    """One attack; without a control the value is the success itself, and there is no excess."""
    control = _success(held.parts, "control_rate", "control_attacks")
    rate = _success(held.parts, "attack_rate", "attacks") or Success(held.value)
    return Attack(name, rate, control, held.estimate, held.interval) if control else Attack(name, rate)


def _attack_on(name: str, variable: str, parts: Mapping[str, float]) -> Attack:
    rate, control = (
        _success(parts, f"{who}_rate.{variable}", f"{trials}.{variable}")
        for who, trials in (("attack", "attacks"), ("control", "control_attacks"))
    )
    assert rate is not None
    return Attack(f"{name}: {variable}", rate, control, parts.get(f"value.{variable}"))


def _success(parts: Mapping[str, float], share: str, trials: str) -> Success | None:
    if share not in parts:
        return None
    rate = Rate(parts[share] * parts[trials], parts[trials]) if parts.get(trials) else None
    return Success(parts[share], rate.low, rate.high) if rate else Success(parts[share])


def attack_rates(found: Sequence[Attack]) -> Figure | None:
    """Two panels: success on the original beside success on the control, and the excess of the first."""
    if not found:
        return None
    left = 20 + min(max(breadth(attack.name) for attack in found), 260)
    foot = TOP + ROW * len(found)
    first = _panel(
        [
            end
            for attack in found
            for end in (*attack.rate.ends, *(attack.control.ends if attack.control else ()))
        ],
        left,
    )
    second = _panel(
        [
            end
            for attack in found
            for end in (attack.excess, attack.interval.high if attack.interval else None)
            if end is not None
        ],
        left + PANEL + GAP,
    )
    marks = [text(left, 14, "success", "strong"), *_axis(first, foot)]
    marks += [text(second.start, 14, "excess over the control", "strong"), *_axis(second, foot)]
    for place, attack in enumerate(found):
        y = TOP + ROW * place + ROW / 2
        marks.append(text(left - 10, y + 4, attack.name, "end"))
        marks += [*_pair(attack, first, y), *_excess(attack, second, y)]
    drawing = Drawing(
        int(second.end + 30),
        foot + 10,
        tuple(marks),
        "Success of attacks on the candidate and on the control, and the excess",
    )
    heads = ("attack", "success", "on the control", "excess")
    return Figure(
        "attack-rates",
        "Attacks",
        _caption(found),
        drawing,
        heads,
        tuple(map(_row, found)),
        wide=True,
        categories_of=(),
    )


def _caption(found: Sequence[Attack]) -> str:
    told = [attack for attack in found if attack.excess is not None and ": " not in attack.name]
    worst = [f"{attack.name} {_said(attack)}" for attack in told]
    excess = f" Excess: {wording.listed(worst)}." if worst else ""
    return (
        "Filled: success on records the candidate was made from. Hollow: on records no method saw. Lines are"
        f" 95 % intervals.{excess}"
    )


def _said(attack: Attack) -> str:
    return "–" if attack.excess is None else wording.reading(attack.excess, attack.interval)


def _row(attack: Attack) -> tuple[str, ...]:
    control = "–" if attack.control is None else percent(attack.control.value)
    return attack.name, percent(attack.rate.value), control, _said(attack)


def _panel(numbers: Sequence[float], start: float) -> Scale:
    return Scale(0, max([*numbers, 0.05]) * 1.05, start, start + PANEL)


def _axis(scale: Scale, foot: float) -> list[Mark]:
    ticks = scale.ticks(4)
    return [
        mark
        for tick in ticks
        for mark in (
            line(scale(tick), TOP - 4, scale(tick), foot, "rule"),
            text(scale(tick), TOP - 10, percent(tick, 0), "tick middle"),
        )
    ]


def _pair(attack: Attack, scale: Scale, y: float) -> list[Mark]:
    marks: list[Mark] = []
    for rate, offset, style, who in (
        (attack.control, -5, "control", " on the control"),
        (attack.rate, 5, "candidate", ""),
    ):
        if rate is None:
            continue
        tip = f"{attack.name}{who}: {percent(rate.value)}"
        if rate.low is not None and rate.high is not None:
            tip += f", {percent(rate.low)} to {percent(rate.high)}"
            marks.append(line(scale(rate.low), y + offset, scale(rate.high), y + offset, "whisker", tip=tip))
        marks.append(circle(scale(rate.value), y + offset, 4.5, style, tip=tip))
    return marks


def _excess(attack: Attack, scale: Scale, y: float) -> list[Mark]:
    if attack.excess is None:
        return []
    tip, between = f"{attack.name}, excess: {_said(attack)}", attack.interval
    marks = [line(scale(between.low), y, scale(between.high), y, "whisker", tip=tip)] if between else []
    return [*marks, circle(scale(attack.excess), y, 5, "candidate", tip=tip)]


@figure(chapter=CROWDS, order=30, measures=ATTACKS)
def attack_rates_of_all(scene: Scene) -> Iterator[Figure | None]:
    yield attack_rates(attacks(scene.believed(*ATTACKS)))
