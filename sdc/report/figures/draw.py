"""Which drawings does a report have, and what may each of them show?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Measurement, NotAssessed
from sdc.measures.comparison import comparable_numbers, is_number
from sdc.report.build import Drawn, Figures
from sdc.report.doubts import doubt, doubt_of_classes
from sdc.report.edition import THRESHOLD, Edition
from sdc.report.figures.attacks import attack_rates, attacks
from sdc.report.figures.candidates import risk_utility_map
from sdc.report.figures.categories import MISSING, bars, categories
from sdc.report.figures.categories import shift as shift_of_categories
from sdc.report.figures.clusters import clusters
from sdc.report.figures.dependence import contours, correlations, matrices, moved_most, surface
from sdc.report.figures.distribution import distribution
from sdc.report.figures.distribution import shift as shift_of_numbers
from sdc.report.figures.intervals import coefficients, indicators
from sdc.report.figures.measured import measured
from sdc.report.figures.multiples import multiples
from sdc.report.figures.risk import class_sizes, riskiest
from sdc.report.figures.scores import score_histogram
from sdc.report.figures.spread import is_mostly_one_value, spread
from sdc.report.figures.tables import FEW_LEVELS, MOST_LEVELS, fits, heat_map, mosaic, mosaics
from sdc.report.forbidden import Forbidden
from sdc.report.views import Section

if TYPE_CHECKING:
    from sdc.catalogue.measurement import Assessment
    from sdc.data.release_pair import ReleasePair
    from sdc.profile import Profile
    from sdc.report.facts import CandidateFacts, RunFacts
    from sdc.report.views import Figure


FEW = 10
MOST_DRAWN = 200
"""Variables with drawings of their own: more would take minutes and nobody would look at them."""


@dataclass(frozen=True)
class Drawer:
    """What a drawing must know of the edition it is for.

    `least` records of the original stand behind each mark.
    """

    edition: Edition
    profile: Profile
    forbidden: Forbidden
    threshold: int = THRESHOLD
    assessments: tuple[Assessment, ...] = ()
    """What was measured of the candidate: a figure says these numbers and computes none of them again."""

    @property
    def public(self) -> bool:
        return self.edition is Edition.PUBLIC

    @property
    def least(self) -> int:
        return self.threshold if self.public else 1

    def taken(self, measure: str) -> list[Assessment]:
        """The assessments of a measure that have a value."""
        return [
            held
            for held in self.assessments
            if held.measure == measure and isinstance(held.outcome, Measurement)
        ]

    def part(self, measure: str, part: str) -> float | None:
        """A part of a measurement, where it was measured."""
        found = [held.outcome.parts for held in self.taken(measure) if isinstance(held.outcome, Measurement)]
        return next((parts[part] for parts in found if part in parts), None)

    def axis(self, name: str) -> str:
        """The unit of a variable, or its name."""
        plan = self.profile.variables.get(name)
        return plan.unit if plan and plan.unit else name

    def label(self, name: str) -> str:
        """A variable with its unit."""
        plan = self.profile.variables.get(name)
        return f"{name}, {plan.unit}" if plan and plan.unit else name

    def value(self, name: str, value: object) -> str:
        """A value of a variable in words."""
        plan = self.profile.variables.get(name)
        return MISSING if value is None else plan.words(str(value)) if plan else str(value)

    def hidden(self, name: str) -> frozenset[float]:
        """Numbers no axis of this edition may show."""
        return frozenset(self.forbidden.extremes.get(name, ())) if self.public else frozenset()


def draw(
    facts: RunFacts,
    pair: ReleasePair,
    edition: Edition,
    *,
    others: Mapping[str, ReleasePair] | None = None,
    threshold: int = THRESHOLD,
    forbidden: Forbidden | None = None,
) -> Figures:
    """All drawings of the candidate the report is about.

    `pair` is that candidate's, `others` those beside it.

    Of a small file the public sees single variables only.
    """
    drawer = Drawer(
        edition,
        facts.profile,
        forbidden or Forbidden.of(pair, threshold=threshold),
        threshold,
        facts.focus.assessments if facts.focus else (),
    )
    drawn = variable_figures(pair, drawer)
    undrawn = len(shared(pair)) - len(drawn)
    if drawer.public and min(pair.original.rows, pair.candidate.rows) < FEW * threshold:
        return Figures(drawn, undrawn=undrawn)
    sections = [
        _dependence(pair, drawer),
        _tables(pair, drawer),
        _risk(pair, facts.focus, drawer),
        _utility(pair, facts.focus, drawer),
    ]
    sections = [section for section in (_indicators(facts.focus, drawer), *sections) if section.figures]
    return Figures(
        drawn,
        risk_utility_map(facts),
        tuple(sections),
        undrawn,
        _multiples(facts, pair, others or {}, drawer),
    )


def _multiples(
    facts: RunFacts, pair: ReleasePair, others: Mapping[str, ReleasePair], drawer: Drawer
) -> Figure | None:
    """Every candidate beside the others, the one the report is about first; inside the house only."""
    if drawer.public or facts.focus is None:
        return None
    pairs = {
        facts.focus.name: pair,
        **{name: other for name, other in others.items() if name != facts.focus.name},
    }
    measured = {candidate.name: candidate.assessments for candidate in facts.candidates}
    return multiples(pairs, {name: replace(drawer, assessments=measured.get(name, ())) for name in pairs})


def variable_figures(pair: ReleasePair, drawer: Drawer) -> dict[str, Drawn]:
    """Drawings of the analysed variables both tables have.

    Of a wide file those that steps changed in most records.
    """
    changed: Counter[str] = Counter()
    for step in pair.steps:
        changed.update(step.changed)
    names = shared(pair)
    chosen = set(sorted(names, key=lambda name: -changed[name])[:MOST_DRAWN])
    return {name: _drawn(pair, name, drawer) for name in names if name in chosen}


def shared(pair: ReleasePair) -> list[str]:
    return [
        name
        for name in pair.roles.analysed
        if name in pair.original.columns and name in pair.candidate.columns
    ]


def _drawn(pair: ReleasePair, name: str, drawer: Drawer) -> Drawn:
    if is_number(pair, name):
        held = spread(pair, name, drawer)
        return Drawn((distribution(held),), shift_of_numbers(held)) if held else Drawn()
    found = categories(pair, name, drawer)
    return Drawn((bars(name, found),), shift_of_categories(found)) if found else Drawn()


def _dependence(pair: ReleasePair, drawer: Drawer) -> Section:
    names = comparable_numbers(pair, lost_count=False)
    figures: list[Figure] = []
    if not isinstance(names, NotAssessed) and len(names) > 1:
        found = correlations(pair, names, next(iter(drawer.taken("dependence_change")), None))
        figures.append(matrices(found))
        smooth = [name for name in found.names if not is_mostly_one_value(pair, name)]
        surfaces = (surface(pair, both, drawer) for both in moved_most(found, smooth))
        figures += [contours(held) for held in surfaces if held]
    return Section(
        "utility",
        "pairs",
        "Pairs of numbers",
        "Which numbers go together, and whether they still do.",
        tuple(figures),
    )


def _tables(pair: ReleasePair, drawer: Drawer) -> Section:
    figures = []
    taken = next((held for held in drawer.taken("table_fit") if held.options.get("ways", 2) == 2), None)
    found = fits(pair, shared(pair), taken) if pair.original.rows and pair.candidate.rows else None
    if found and found.values:
        figures.append(heat_map(found))
    names = crossed(pair)
    # In public a table of three would tell what the table of two leaves out.
    made = [
        mosaic(pair, names[:count], drawer)
        for count in ((2,) if drawer.public else (2, 3))
        if len(names) >= count
    ]
    figures += [mosaics(held) for held in made if held]
    lead = "Whether tables made from the candidate say what tables made from the original say."
    return Section(
        "utility",
        "tables",
        "Tables of two variables" if drawer.public else "Tables of two and three variables",
        lead,
        tuple(figures),
    )


def crossed(pair: ReleasePair) -> tuple[str, ...]:
    """Variables worth a mosaic.

    The first key and the first sensitive variable (or second key) with a handful of values, and one more with
    few.
    """
    few = [
        name
        for name in shared(pair)
        if not is_number(pair, name)
        and not pair.containment(name)
        and 1 < len(pair.levels(name)) <= MOST_LEVELS
    ]
    keys = [name for name in pair.roles.quasi_identifiers if name in few]
    others = [
        name for name in (*pair.roles.sensitive, *keys[1:], *few) if name in few and name not in keys[:1]
    ]
    first = list(dict.fromkeys([*keys[:1], *others]))
    third = [
        name
        for name in (*keys[1:], *first[2:])
        if name not in first[:2] and len(pair.levels(name)) <= FEW_LEVELS
    ]
    return (*first[:2], *third[:1])


def _risk(pair: ReleasePair, candidate: CandidateFacts | None, drawer: Drawer) -> Section:
    wrong = doubt_of_classes(candidate, drawer.profile)
    # Where keys are not true, sizes of classes are no risk: the public is not shown them, and no combination
    # is called risky.
    made = [
        class_sizes(pair, drawer, wrong) if not (wrong and drawer.public) else None,
        riskiest(pair, drawer) if not wrong else None,
    ]
    if candidate and not drawer.public:
        believed = [
            held
            for held in candidate.assessments
            if not doubt(candidate, drawer.profile, held.measure, held.options)
        ]
        made += [attack_rates(attacks(believed)), *measured(believed)[0]]
    figures = tuple(figure for figure in made if figure)
    title = "Crowds" if drawer.public else "Crowds and attacks"
    lead = (
        "How small the crowds are in which records"
        f" hide{'' if drawer.public else ', and what attacks found'}."
    )
    return Section("risk", "crowds", title, lead, figures, compares=not drawer.public, unfolded=True)


def _indicators(candidate: CandidateFacts | None, drawer: Drawer) -> Section:
    """The figures that matter, where they were measured: they come right after the criteria."""
    taken = [] if candidate is None or drawer.public else drawer.taken("indicator_change")
    made = (indicators(held, drawer.profile.variables, _tolerance(held, drawer.profile)) for held in taken)
    lead = "Whether the figures that matter come out the same."
    return Section("criteria", "indicators", "Indicators", lead, tuple(figure for figure in made if figure))


def _tolerance(assessment: Assessment, profile: Profile) -> float | None:
    """The change in per cent a profile lets an indicator have, where it says so."""
    limits = [
        each.at_most for each in profile.criteria if each.alias == assessment.alias and each.part is None
    ]
    return next((limit for limit in limits if limit is not None), None)


def _utility(pair: ReleasePair, candidate: CandidateFacts | None, drawer: Drawer) -> Section:
    """Drawings that say something of the original only through a model: inside the house."""
    made: list[Figure | None] = []
    if candidate and not drawer.public:
        scored = [score_histogram(pair, held) for held in drawer.taken("propensity_mse")]
        grouped = [clusters(held) for held in candidate.assessments if held.measure == "cluster_utility"]
        made = [*scored, *grouped, *measured(candidate.assessments)[1]]
        made += [
            coefficients(pair, held, drawer.profile.variables) for held in drawer.taken("interval_overlap")
        ]
    lead = "What a model sees of the difference, and how much hangs on the grouping."
    return Section("utility", "models", "Models and grouping", lead, tuple(filter(None, made)))
