"""What a study and its candidates have in common: records that can be measured and shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sdc.catalogue.registry import Family, find_measure, measures
from sdc.errors import BadStudy, Fault
from sdc.gate.decision import Decision, Verdict
from sdc.gate.judged import JudgedCandidate
from sdc.gate.scorecard import judged, read
from sdc.profile.criteria import criterion_faults
from sdc.report.facts import Provenance, RunFacts
from sdc.spelling import counted
from sdc.study import document
from sdc.study.drawn_sample import ORIGINAL
from sdc.study.kept_here import KeptHere
from sdc.study.made_candidate import PlannedSteps
from sdc.study.results import Results
from sdc.study.workplace import Workplace

if TYPE_CHECKING:
    from sdc.data.release_pair import ReleasePair
    from sdc.profile.plan import Profile
    from sdc.study.drawings import DrawnFigures

Criteria = list[dict[str, Any]]
OTHER_OPTIONS = "measure"
"""In options it names the measure of a measurement that has a name of its own."""


class Examined(KeptHere):
    """A table beside its original: `risk`, `utility` and `assess` measure it."""

    _place: Workplace
    _values: Mapping[str, Any]
    _planned: PlannedSteps

    @property
    def name(self) -> str:
        """What it is called in results, figures and the profile."""
        return self._planned.name or ORIGINAL

    def risk(self, *names: str, **options: Mapping[str, Any]) -> Results:
        """Measure risk: by the measures named, or by all. Options stand behind the name of their measure.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"], sensitive=["health"])
        >>> study.risk("k_anonymity", l_diversity={"variant": "distinct"}).value("l_diversity")
        1.0
        """
        return self._taken(names, options, Family.RISK)

    def utility(self, *names: str, **options: Mapping[str, Any]) -> Results:
        """Measure utility: by the measures named, or by all.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> study.protect("rounding", income={"to": 1000}).utility("ks_distance").value("ks_distance") < 0.2
        True
        """
        return self._taken(names, options, Family.UTILITY)

    def assess(self, *names: str, **options: Mapping[str, Any]) -> Results:
        """Take measures of risk and of utility: those named, or all there are.

        A measure may be taken twice: a name of your own, with the measure among its options.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"], sensitive=["health"])
        >>> safe = study.protect("global_recode", age={"width": 20})
        >>> found = safe.assess("k_anonymity", of_health={"measure": "class_attribution", "target": "health"})
        >>> list(found)
        ['k_anonymity', 'of_health']
        """
        return self._taken(names, options, None)

    def plot(self, variable: str) -> DrawnFigures:
        """A variable as it is in the original and here, as the report draws it.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> study.protect("global_recode", age={"width": 10}).plot("age").titles
        ['Shares']
        """
        from sdc.study.drawings import drawn_variable

        return drawn_variable(*self._seen(self._measuring([])), document.one_name("plot", variable))

    def _taken(self, names: Iterable[str], options: Mapping[str, Any], family: Family | None) -> Results:
        profile = self._measuring(_asked(names, options, family))
        facts, pair = self._seen(profile)
        focus = facts.focus
        assert focus is not None
        what = family.value if family else "measurements"
        records = counted(pair.candidate.rows, "record")
        return Results(f"{what} of {self.name}, {records}", focus, facts, pair, (what,))

    def _seen(self, profile: Profile) -> tuple[RunFacts, ReleasePair]:
        """The facts a report would be made from, and the pair it would be drawn from."""
        pair = self._place.pair(profile, self._planned)
        return self._facts(profile, [self._judged(profile)], self.name), pair

    def _judged(self, profile: Profile) -> JudgedCandidate:
        """What was measured, and how it stands to what is demanded."""
        assessments = tuple(
            self._place.measured(profile, self._planned, criterion)
            for criterion in profile.measurements(self.name)
        )
        found = tuple(
            limit.check(self.name, read(limit, criterion, self.name, assessments))
            for limit, criterion in judged(profile, self.name)
        )
        made = self._place.made(profile, self._planned).candidate if self._planned.name else None
        return JudgedCandidate(self.name, Decision(self.name, found), assessments, made)

    def _facts(self, profile: Profile, candidates: list[JudgedCandidate], focus: str) -> RunFacts:
        ingested = self._place.ingested
        rows = {
            "original": ingested.rows,
            "holdout": ingested.holdout_rows,
            "population": ingested.population_rows,
        }
        return RunFacts(
            run="study",
            profile=profile,
            when=datetime.now(UTC),
            verdict=Verdict.WITHHELD,
            is_study=True,
            candidates=tuple(candidates),
            chosen=focus,
            rows=rows,
            provenance=Provenance(ingested.sha256),
            notes=self._place.notes,
        )

    def _measuring(self, asked: Criteria) -> Profile:
        """The profile that asks for these measurements and no others."""
        return Examined._profile(self, asked)

    def _profile(self, criteria: Criteria | None = None) -> Profile:
        """The profile with these criteria; BadStudy with what is wrong with them."""
        values = {**self._values, **_by_family(criteria or [])}
        return document.read(values, criterion_faults)[0]


def _asked(names: Iterable[str], options: Mapping[str, Any], family: Family | None) -> Criteria:
    """Criteria without limits for what was asked for; all measures of a family where nothing was."""
    call = family.value if family else "assess"
    said = [document.one_name(call, name, several=True) for name in names]
    asked: Criteria = [{"measure": name} for name in dict.fromkeys(said)]
    faults = []
    for name, given in options.items():
        if not isinstance(given, Mapping):
            problem = f"its options are no mapping but of type {type(given).__name__}"
            faults.append(Fault(name, problem, f'write {name}={{"option": value}}'))
            continue
        rest = document.options_of(name, given, "")
        measure = str(rest.pop(OTHER_OPTIONS, name))
        asked.append(
            {"measure": measure, "as": name, "with": rest}
            if measure != name
            else {"measure": name, "with": rest}
        )
    if faults:
        raise BadStudy(faults)
    if not asked:
        return [{"measure": each.name} for each in measures().values() if family in (None, each.family)]
    for each in asked:
        if family is not None and (found := find_measure(each["measure"])).family is not family:
            problem = f"{found.name} is a measure of {found.family.value}"
            raise BadStudy([Fault(family.value, problem, f"call {found.family.value}() or assess()")])
    return asked


def _by_family(criteria: Criteria) -> dict[str, Criteria]:
    found: dict[str, Criteria] = {family.value: [] for family in Family}
    for criterion in criteria:
        found[find_measure(criterion["measure"]).family.value].append(criterion)
    return {family: held for family, held in found.items() if held}
