"""Everything a page shows, ready to be shown: templates render these records and decide nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc.report.comparison_views import Comparison, Matrix
    from sdc.report.drawing import Drawing
    from sdc.report.edition import Edition


@dataclass(frozen=True)
class Shown:
    """A number as it is printed; `exact` is the unrounded value, filled in the internal edition only."""

    text: str
    exact: str = ""


@dataclass(frozen=True)
class Told:
    """How a number is read: what it counts, for how many records, what drives it, what to compare it with."""

    unit: str = ""
    records: str = ""
    driver: str = ""
    against: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gauge:
    """A value against its limits on a small bar: positions in percent of the bar's width."""

    value: float
    good_from: float
    good_to: float
    low: str
    high: str
    description: str
    interval: tuple[float, float] | None = None
    judged: float | None = None
    """The end of the interval that was judged, where it is not the value."""


@dataclass(frozen=True)
class FindingView:
    """A criterion that was checked.

    `value` is the estimate; `judged` is the interval and the end of it that the gate judged, in words.

    `change` says what would have to change where it does not hold; `doubt` says why the number cannot be
    believed.
    """

    name: str
    anchor: str
    question: str
    family: str
    holds: bool
    consequence: str
    value: Shown | None
    limit: str
    margin: str
    gauge: Gauge | None
    source: str
    reason: str = ""
    change: str = ""
    judged: str = ""
    doubt: str = ""
    state: str = "holds"
    """`holds`, `noted`, `referred` or `missed`."""
    told: Told = field(default_factory=Told)


@dataclass(frozen=True)
class Check:
    """A fact of the candidate table that the gate checked."""

    name: str
    value: str
    limit: str
    holds: bool
    noted: bool = False
    """It does not hold, and nothing follows from that."""


@dataclass(frozen=True)
class Checks:
    """What the gate checked on the candidate table: `faults` shut it, `noted` did not."""

    checks: tuple[Check, ...] = ()
    faults: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()

    @property
    def held(self) -> int:
        return sum(check.holds for check in self.checks)


@dataclass(frozen=True)
class PartsTable:
    """Further numbers of a measurement: `heads` are their names, with a row for each variable or pair."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Shown | None, ...]], ...]
    left_out: int = 0


@dataclass(frozen=True)
class MeasurementView:
    """A measurement with all that is needed to read it."""

    name: str
    anchor: str
    measure: str
    question: str
    family: str
    direction: str
    range: str
    value: Shown | None
    interval: str
    not_assessed: str
    judged: str
    definition: tuple[str, ...]
    reference: str
    parts: tuple[tuple[str, Shown], ...] = ()
    parts_table: PartsTable | None = None
    options: tuple[tuple[str, str], ...] = ()
    seconds: str = ""
    doubt: str = ""
    """Why the number cannot be believed after the steps of this candidate."""
    told: Told = field(default_factory=Told)


@dataclass(frozen=True)
class StepView:
    """One method as it was applied."""

    number: int
    method: str
    question: str
    protection: str
    options: tuple[tuple[str, str], ...]
    touched: tuple[str, ...]
    changed: tuple[tuple[str, Shown], ...]
    record: tuple[tuple[str, str], ...]
    """What the method recorded of its work."""
    counted: Mapping[str, tuple[tuple[str, str], ...]]
    """The parts of it that count records of the original: each count, and the words before it."""
    budget: str
    reference: str


@dataclass(frozen=True)
class Figure:
    """A drawing with the sentence that says what to see in it, and its numbers as a table.

    Without a drawing the table itself is shown.

    `categories_of`: the variables whose categories it shows, in this order; empty where it shows none, so
    that its numbers are no codes; None where it is not known.
    """

    anchor: str
    title: str
    caption: str
    drawing: Drawing | None
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    wide: bool = False
    values_of: str = ""
    categories_of: tuple[str, ...] | None = None


@dataclass(frozen=True)
class VariableView:
    """A variable: what it is and what was done to it."""

    name: str
    anchor: str
    label: str
    role: str
    type: str
    unit: str
    released: bool
    done: tuple[str, ...]
    changed: Shown | None = None
    missing_added: Shown | None = None
    numbers: tuple[tuple[str, str, Shown], ...] = ()
    figures: tuple[Figure, ...] = ()
    unchanged: bool = False
    """No step changed it, or it was left behind."""


@dataclass(frozen=True)
class CandidateView:
    """A candidate: verdict, steps, findings and measurements."""

    name: str
    anchor: str
    verdict: str
    sentence: str
    chosen: bool
    rows: Shown | None
    steps: tuple[StepView, ...]
    findings: tuple[FindingView, ...]
    measurements: tuple[MeasurementView, ...]
    checks: Checks

    def of(self, family: str) -> tuple[MeasurementView, ...]:
        return tuple(measurement for measurement in self.measurements if measurement.family == family)


@dataclass(frozen=True)
class Fact:
    """One line of provenance; `code` marks what is to be set like a hash."""

    label: str
    text: str
    code: bool = False


@dataclass(frozen=True)
class Section:
    """Figures that belong together.

    `family` says whether they show risk or utility, or belong to the criteria. `compares`: they show both
    tables.
    """

    family: str
    anchor: str
    title: str
    lead: str
    figures: tuple[Figure, ...]
    compares: bool = True


@dataclass(frozen=True)
class Tight:
    """A criterion in one line: how it stands, what it reads, and what drives it."""

    name: str
    anchor: str
    state: str
    reads: str
    driver: str


@dataclass(frozen=True)
class Summary:
    """The first screen: smallest margins, unjudged numbers that look bad, and what other candidates give."""

    tightest: tuple[Tight, ...]
    look: tuple[str, ...]
    costs: tuple[str, ...]


@dataclass(frozen=True)
class ReportView:
    """A run as one edition of the report shows it."""

    edition: Edition
    run: str
    name: str
    title: str
    description: str
    access: str
    when: str
    verdict: str
    sentence: str
    explanation: str
    changes: tuple[str, ...]
    key_facts: tuple[Fact, ...]
    focus: CandidateView | None
    candidates: tuple[CandidateView, ...]
    comparison: Comparison | None
    matrix: Matrix | None
    variables: tuple[VariableView, ...]
    provenance: tuple[Fact, ...]
    versions: tuple[Fact, ...]
    approvals: tuple[str, ...]
    notes: tuple[str, ...]
    left_out: str
    summary: Summary | None = None
    map: Figure | None = None
    multiples: Figure | None = None
    sections: tuple[Section, ...] = ()
    undrawn: int = 0
