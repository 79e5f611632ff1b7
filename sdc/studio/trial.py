"""Tries a candidate: makes it, measures it, and says each number beside what it was before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sdc.catalogue.registry import Need, find_measure, measures
from sdc.catalogue.validity import believable
from sdc.profile.plan import Criterion
from sdc.run.progress import Advance, reporting_to
from sdc.studio.table_checks import check_table, known_findings
from sdc.study.made_candidate import PlannedSteps
from sdc.study.workplace import Workplace

if TYPE_CHECKING:
    from sdc.catalogue.measurement import Assessment
    from sdc.profile.plan import Profile

Say = Callable[[float, str], None]
"""Told how far the work is, as a share and in words; what it raises ends the work."""
SUPPRESSED = "added_missing"
LOSS = ("records_changed", "il1s", "entropy_change")
"""What is lost of the information, by what was changed, by distance, and by how much less values tell."""
LARGE = 100_000
"""From so many records on, a sample is looked at first."""
SAMPLE = 50_000
NOT_IN_A_SAMPLE = frozenset({Need.HOLDOUT, Need.POPULATION})


def planned_steps(profile: Profile, name: str) -> PlannedSteps:
    """The steps of a candidate as a study knows them."""
    steps = tuple(step.model_dump(mode="json", by_alias=True) for step in profile.candidates[name])
    return PlannedSteps(name, steps)


@dataclass(frozen=True)
class Trial:
    """One candidate of a profile, tried on the records of a workplace."""

    place: Workplace
    profile: Profile
    name: str

    @cached_property
    def planned(self) -> PlannedSteps:
        return planned_steps(self.profile, self.name)

    @cached_property
    def asked(self) -> tuple[Criterion, ...]:
        """What is measured: what is judged first, then suppressions and loss, then what is only reported."""
        demanded = self.profile.measurements(self.name)
        judged = {each.alias for each in self.profile.criteria if each.is_judged and each.covers(self.name)}
        first = [each for each in demanded if each.alias in judged]
        return (*first, *self.further, *(each for each in demanded if each.alias not in judged))

    @cached_property
    def further(self) -> tuple[Criterion, ...]:
        """Suppressions and loss, as far as they can be measured and believed after these steps."""
        return tuple(
            Criterion(measure=name)
            for name in (SUPPRESSED, *LOSS)
            if not why_not(self.profile, self.name, name)
        )

    def known(self, criterion: Criterion) -> Assessment | None:
        return self.place.known(self.profile, self.planned, criterion)

    @property
    def is_complete(self) -> bool:
        measured = all(self.known(each) is not None for each in self.asked)
        return measured and known_findings(self) is not None

    @property
    def is_large(self) -> bool:
        return self.place.ingested.rows > LARGE

    def on_sample(self) -> Trial:
        """The same on a sample of the records."""
        return Trial(self.place.sampled(self.profile, SAMPLE), self.profile, self.name)

    def carry_out(self, say: Say) -> None:
        """Make and measure; of a large file a sample first. What is known already is not done again."""
        if self.is_complete:
            return
        if self.is_large:
            sample = self.on_sample()
            sample.measure([each for each in sample.asked if _in_a_sample(each)], say, "a sample: ")
        self.measure(self.asked, say, "")
        say(0.99, "checking the table as the gate does")
        check_table(self)

    def measure(self, asked: Sequence[Criterion], say: Say, where: str) -> None:
        """Make the candidate and measure it; `where` is said before every sentence."""
        steps, parts = len(self.planned.steps), len(self.planned.steps) + len(asked)

        def announce(number: int, method: str) -> None:
            say((number - 1) / parts, f"{where}step {number} of {steps}, {method}")

        def advanced(advance: Advance) -> None:
            share = (advance.done / advance.of - 1) / parts
            say(max(share, 0.0), f"{where}{advance.what}, {advance.done} of {advance.of}")

        with reporting_to(advanced):
            self.place.made(self.profile, self.planned, announce)
            for number, criterion in enumerate(asked):
                say((steps + number) / parts, f"{where}measuring {criterion.alias}")
                self.place.measured(self.profile, self.planned, criterion)


def _in_a_sample(criterion: Criterion) -> bool:
    return not find_measure(criterion.measure).needs & NOT_IN_A_SAMPLE


def why_not(profile: Profile, candidate: str, name: str, options: dict[str, Any] | None = None) -> str:
    """Why a measure makes no sense on a candidate of a profile; empty where it does."""
    if name not in measures():
        return "the catalogue has no such measure"
    measure = measures()[name]
    if lacking := list(_lacking(profile, measure.needs)):
        return f"there is {' and '.join(lacking)}"
    answer = believable(measure, options or {}, profile.candidates[candidate], profile.roles)
    return "" if answer.valid else answer.reason


def _lacking(profile: Profile, needs: frozenset[Need]) -> Iterator[str]:
    roles, source = profile.roles, profile.source
    met = {
        Need.QUASI_IDENTIFIERS: (bool(roles.quasi_identifiers), "no quasi-identifier"),
        Need.SENSITIVE: (bool(roles.sensitive), "no sensitive variable"),
        Need.NUMERIC: (bool(roles.numeric), "no numeric variable"),
        Need.WEIGHT: (roles.weight is not None, "no survey weight"),
        Need.HOUSEHOLD: (roles.household is not None, "no household number"),
        Need.POPULATION: (source.population is not None, "no population file"),
        Need.HOLDOUT: (source.holdout_share > 0, "no holdout"),
    }
    for need in sorted(needs):
        holds, words = met.get(need, (True, ""))
        if not holds:
            yield words


def forget_others(place: Workplace, profile: Profile, history: Sequence[PlannedSteps]) -> None:
    """Drop the tables of candidates that the profile no longer has; their numbers are kept."""
    present = {planned_steps(profile, name).key for name in profile.candidates}
    for planned in history:
        if planned.key in place.held and planned.key not in present:
            place.forget(planned)
