"""How a number is read: its unit, its driver, what to compare it with, and how many records it is about."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement
from sdc.catalogue.registry import Family, find_measure
from sdc.catalogue.units import Better, Unit
from sdc.report import wording
from sdc.report.doubts import doubt
from sdc.report.views import Told
from sdc.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc.catalogue.measurement import Assessment
    from sdc.catalogue.registry import Measure
    from sdc.catalogue.units import Yardstick
    from sdc.gate.judged import JudgedCandidate
    from sdc.profile.plan import VariablePlan
    from sdc.report.edition import Rules
    from sdc.report.facts import RunFacts

BY_UNIT = ("value", "share", "gain", "contribution")
"""Parts by variable of which the worst is responsible, where none is the value itself."""


@dataclass(frozen=True)
class Held:
    """A measurement with its measure, its parts that may be shown, and the records of both tables."""

    measure: Measure
    measurement: Measurement
    parts: Mapping[str, float]
    variables: Mapping[str, VariablePlan]
    rows: Mapping[str, int | None]

    @classmethod
    def of(
        cls, facts: RunFacts, candidate: JudgedCandidate, assessment: Assessment, rules: Rules
    ) -> Held | None:
        outcome = assessment.outcome
        if not isinstance(outcome, Measurement):
            return None
        measure = find_measure(assessment.measure)
        rows = {"original": facts.rows.get("original"), "candidate": candidate.rows}
        return cls(
            measure, outcome, rules.parts(outcome.parts, measure.family), facts.profile.variables, rows
        )

    @property
    def responsible(self) -> str:
        """The variable, pair or figure that gives the value by itself; empty where none does.

        The number of a model is no name of anything.
        """
        heads = {
            part.name.partition(".")[0]
            for part in self.measure.parts
            if any(word in part.name for word in ("VARIABLE", "INDICATOR", "TEXT"))
        }
        named = {
            part: value
            for part, value in self.parts.items()
            if "." in part and part.partition(".")[0] in heads and not part.partition(".")[2].isdigit()
        }
        value = self.measurement.value
        if any(stick.words == "nothing done" and stick.number == value for stick in self.measure.against):
            return ""
        same = {
            part.partition(".")[2]
            for part, held in named.items()
            if math.isclose(abs(held), abs(value), rel_tol=1e-12)
        }
        if same:
            return same.pop() if len(same) == 1 else ""
        head = next((head for head in BY_UNIT if head in heads), None)
        worst = {
            part.partition(".")[2]: held for part, held in named.items() if part.partition(".")[0] == head
        }
        if len(worst) < 2:
            return ""
        lowest = self.measure.better is Better.HIGHER and head != "contribution"
        return min(worst, key=lambda name: (worst[name] if lowest else -worst[name], name))

    @property
    def driver(self) -> str:
        """What is responsible, in words."""
        pieces = (
            [piece for name in wording.pieces(self.responsible, self.variables) for piece in name.split("+")]
            if self.responsible
            else []
        )
        return " × ".join(wording.worded(pieces, self.variables))

    @property
    def records(self) -> int | None:
        """How many records a share stands for: as counted, else computed from the share of all records."""
        if (part := f"count.{self.responsible}") in self.parts:
            return int(self.parts[part])
        unit = self.measure.unit
        table = {
            Unit.SHARE_OF_ORIGINAL: "original",
            Unit.PER_CENT_OF_ORIGINAL: "original",
            Unit.SHARE_OF_CANDIDATE: "candidate",
        }.get(unit)
        rows = self.rows.get(table) if table else None
        return (
            None if rows is None or unit.whole is None else round(self.measurement.value / unit.whole * rows)
        )

    def number(self, stick: Yardstick) -> float | None:
        """The number of a yardstick; for a part by variable, that of the variable responsible."""
        if isinstance(stick.number, float):
            return stick.number
        return self.parts.get(stick.number.replace("VARIABLE", self.responsible))

    @property
    def sticks(self) -> list[tuple[Yardstick, float]]:
        found = [(stick, self.number(stick)) for stick in self.measure.against]
        return [(stick, number) for stick, number in found if number is not None]

    def is_worse(self, than: float) -> bool:
        """Whether even the better end of the interval is worse than a number."""
        held, interval = self.measurement.value, self.measurement.interval
        if self.measure.better is Better.HIGHER:
            return (interval.high if interval else held) < than
        return (interval.low if interval else held) > than


def after(words: str, unit: Unit) -> str:
    """A number, or a limit, with its unit behind it."""
    sign = (
        unit.sign.replace("records", "record", 1).replace("values", "value", 1) if words == "1" else unit.sign
    )
    return f"{words} {sign}" if sign else words


def told(held: Held, rules: Rules, beside: str = "") -> Told:
    """How a measurement is to be read, in words; `beside` says more of its records."""
    unit = held.measure.unit
    records = ", ".join(filter(None, (records_in_words(held, rules), beside)))
    return Told("" if unit is Unit.NUMBER else unit.value, records, held.driver, sticks(held, rules))


def left_out(measurement: Measurement) -> tuple[str, ...]:
    """The numeric variables that a value is not about, or not in full, in words."""
    bands = [name.removeprefix("bands.") for name in measurement.parts if name.startswith("bands.")]
    lost = measurement.not_compared
    return (
        *([f"without {', '.join(lost)}, no longer compared as numbers"] if lost else ()),
        *([f"{', '.join(bands)} at the limits of the bands only"] if bands else ()),
    )


def sticks(held: Held, rules: Rules) -> tuple[str, ...]:
    """What the value is to be read against, in words: what it is not about first, the usual limit last."""
    told = [f"{stick.words}: {rules.number(number).text}" for stick, number in held.sticks]
    return (
        *left_out(held.measurement),
        *told,
        *([f"usual: {held.measure.usual_limit}"] if held.measure.usual else ()),
    )


def records_in_words(held: Held, rules: Rules) -> str:
    """How many records a share stands for, in words; for a risk the public sees the share alone."""
    if held.records is None or (rules.public and held.measure.family is Family.RISK):
        return ""
    text = rules.count(held.records).text
    return f"{text} {'record' if held.records == 1 and text == '1' else 'records'}"


def worth_a_look(facts: RunFacts, candidate: JudgedCandidate, rules: Rules) -> tuple[str, ...]:
    """Unjudged numbers that are worse than a usual limit, chance or a fresh sample would be.

    They are for those who decide, not for the public.
    """
    if rules.public:
        return ()
    judged = {
        criterion.alias
        for criterion in facts.profile.criteria
        if criterion.is_judged and criterion.covers(candidate.name)
    }
    found = [
        _alarm(facts, candidate, held, rules) for held in candidate.assessments if held.alias not in judged
    ]
    lacking = [
        held.alias
        for held in candidate.assessments
        if held.alias not in judged and not isinstance(held.outcome, Measurement)
    ]
    without = (
        [f"{wording.listed(lacking)} {'has' if len(lacking) == 1 else 'have'} no value"] if lacking else []
    )
    return (*filter(None, found), *without)


def _alarm(facts: RunFacts, candidate: JudgedCandidate, assessment: Assessment, rules: Rules) -> str:
    held = Held.of(facts, candidate, assessment, rules)
    if held is None or doubt(candidate, facts.profile, assessment.measure, assessment.options):
        return ""
    usual = held.measure.usual
    crossed = (
        [f"usual is {held.measure.usual_limit}"]
        if usual and isinstance(usual.number, float) and held.is_worse(usual.number)
        else []
    )
    crossed += [
        f"{stick.words}: {wording.number(number, 3)}"
        for stick, number in held.sticks
        if stick.alarms and held.is_worse(number)
    ]
    return f"{sentence(assessment, held)}; {wording.listed(crossed)}" if crossed else ""


def sentence(assessment: Assessment, held: Held) -> str:
    """A measurement in a sentence: name, value with unit, driver, and for how many records."""
    interval = held.measurement.interval
    value = after(wording.reading(held.measurement.estimate, interval), held.measure.unit)
    said = [f"{assessment.alias} is {value}"]
    said += [counted(held.records, "record")] if held.records is not None else []
    said += [f"driven by {held.driver}"] if held.driver else []
    return ", ".join(said)
