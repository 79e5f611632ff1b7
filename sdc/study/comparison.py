"""Candidates of one study side by side: what each risks, and what it is still good for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sdc.catalogue.measurement import Measurement
from sdc.catalogue.registry import Family, find_measure
from sdc.catalogue.validity import believable
from sdc.errors import BadStudy, Fault, UnknownName
from sdc.report.doubts import doubt
from sdc.report.figures.candidates import risk_utility_map
from sdc.report.wording import DIRECTIONS, reading
from sdc.spelling import nearest
from sdc.study.candidate import StudyCandidate
from sdc.study.kept_here import KeptHere
from sdc.study.text_table import GAP, WIDTH, TextTable

if TYPE_CHECKING:
    import pandas as pd

    from sdc.gate.judged import JudgedCandidate
    from sdc.profile.plan import Profile
    from sdc.report.facts import RunFacts
    from sdc.study.drawings import DrawnFigures

USUAL = ("k_anonymity", "class_attribution", "records_changed", "ks_distance", "propensity_mse")
"""What candidates are compared on where nothing was measured yet, as far as a study has what they need."""

EVERYWHERE = "class_attribution"
"""A risk that can be believed after any method; taken too where no other can be compared."""


def compared(
    candidates: Sequence[StudyCandidate], named: Mapping[str, StudyCandidate]
) -> CandidateComparison:
    """Every candidate under a name of its own, each measured on all that was measured of any."""
    others = [held for held in (*candidates, *named.values()) if not isinstance(held, StudyCandidate)]
    if others:
        problem = f"candidates are compared, and this is of type {type(others[0]).__name__}"
        raise BadStudy([Fault("compare", problem, _to_compare(others[0]))])
    each = [(held.name, held) for held in candidates] + list(named.items())
    if len({held.study for _, held in each}) > 1:
        problem = "these candidates are of several studies"
        raise BadStudy(
            [Fault("compare", problem, "make them from one study: numbers compare with one original")]
        )
    labels: dict[str, StudyCandidate] = {}
    for name, held in each:
        labels[_free(name, labels)] = held
    return CandidateComparison(labels)


def _to_compare(other: Any) -> str:
    if hasattr(other, "made_elsewhere"):
        return "every number of a candidate is held against the original already: give another candidate"
    return "give what protect(), synthesise() or made_elsewhere() made"


def _free(name: str, taken: Mapping[str, Any]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


class CandidateComparison(KeptHere):
    """Candidates by measurements; `plot` is the report's map of risk and utility.

    >>> study = sdc.Study(households, keys=["region", "age", "sex"], sensitive=["health"], seed=1)
    >>> coarse = study.protect("global_recode", age={"width": 20})
    >>> fine = study.protect("global_recode", age={"width": 5})
    >>> found = coarse.compare(fine=fine)
    >>> list(found.frame.index)
    ['global_recode', 'fine']
    """

    def __init__(self, candidates: Mapping[str, StudyCandidate]) -> None:
        self._candidates = dict(candidates)
        first = next(iter(candidates.values()))
        asked: dict[str, dict[str, Any]] = {}
        for held in candidates.values():
            for criterion in held._criteria():  # noqa: SLF001 - of one room
                asked.setdefault(criterion.get("as") or criterion["measure"], criterion)
        self._asked = list(asked.values()) or [{"measure": name} for name in USUAL]
        if not any(self._is_believed(criterion) for criterion in self._asked):
            self._asked.append({"measure": EVERYWHERE})
        self.profile: Profile = first._profile(self._asked)  # noqa: SLF001

    def _is_believed(self, criterion: Mapping[str, Any]) -> bool:
        """Is it a risk that can be believed on every candidate, so that they can be compared by it?"""
        measure = find_measure(criterion["measure"])
        if measure.family is not Family.RISK:
            return False
        profiles = [held._profile() for held in self._candidates.values()]  # noqa: SLF001
        return all(
            believable(measure, criterion.get("with", {}), steps, profile.roles).valid
            for profile in profiles
            for steps in profile.candidates.values()
        )

    @cached_property
    def _judged(self) -> tuple[JudgedCandidate, ...]:
        found = []
        for label, held in self._candidates.items():
            judged = held._judged(held._profile(self._asked))  # noqa: SLF001
            found.append(replace(judged, name=label))
        return tuple(found)

    @property
    def names(self) -> list[str]:
        """What the candidates are called here.

        >>> study = sdc.Study(households, keys=["age"])
        >>> study.protect("rounding", age={"to": 5}).compare(study.protect("rounding", age={"to": 10})).names
        ['rounding', 'rounding (2)']
        """
        return list(self._candidates)

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each candidate, a column for each measurement; NaN where there is no value.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> kept = study.protect("rounding", income={"to": 100})
        >>> kept.risk("k_anonymity").value("k_anonymity")
        1.0
        >>> kept.compare(study.protect("local_suppression", k=3)).frame["k_anonymity"].tolist()
        [1.0, 3.0]
        """
        import pandas as pd

        rows = {
            each.name: {held.alias: held.value for held in each.assessments if held.alias in self._shown}
            for each in self._judged
        }
        return pd.DataFrame.from_dict(rows, orient="index", columns=self._shown, dtype="float64")

    @cached_property
    def _shown(self) -> list[str]:
        """Measurements that some candidate has a value of."""
        aliases = dict.fromkeys(held.alias for each in self._judged for held in each.assessments)
        valued = {held.alias for each in self._judged for held in each.assessments if held.value is not None}
        return [alias for alias in aliases if alias in valued]

    def plot(self, risk: str | None = None, utility: str | None = None) -> DrawnFigures:
        """The map of the candidates between a risk and a utility: the first measured, or those named.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"], seed=1)
        >>> coarse = study.protect("global_recode", age={"width": 20})
        >>> found = coarse.compare(study.protect("local_suppression", k=2))
        >>> found.plot(risk="k_anonymity", utility="records_changed").titles
        ['Risk and utility of the candidates']
        """
        from sdc.profile.plan import Map
        from sdc.study.drawings import DrawnFigures

        axes = Map(risk=self._axis(Family.RISK, risk), utility=self._axis(Family.UTILITY, utility))
        facts = self._facts(self.profile.model_copy(update={"map": axes}))
        figure = risk_utility_map(facts)
        return DrawnFigures(
            [figure] if figure else [], f"fewer than two candidates have {axes.risk} and {axes.utility}"
        )

    def _axis(self, family: Family, wanted: str | None) -> str:
        known = [name for name in self._shown if self._family(name) is family]
        if wanted is None and not known:
            problem = f"no {family.value} was measured of these candidates"
            raise BadStudy([Fault("plot", problem, f"measure some first: candidate.{family.value}()")])
        if wanted is not None and wanted not in known:
            raise UnknownName(f"measurement of {family.value}", wanted, nearest(wanted, known))
        doubted = {alias for _, alias, _ in self._doubts()}
        believed = [name for name in known if name not in doubted] or known
        return wanted or next((name for name in believed if name in USUAL), believed[0])

    def _family(self, alias: str) -> Family:
        measure = next(held.measure for held in self._judged[0].assessments if held.alias == alias)
        return find_measure(measure).family

    def _facts(self, profile: Profile) -> RunFacts:
        first = next(iter(self._candidates.values()))
        return replace(first._facts(profile, list(self._judged), self.names[0]), chosen=None)  # noqa: SLF001

    def _table(self) -> TextTable:
        shown = [self._row(alias) for alias in self._shown]
        heads = ("measurement", *self.names, "better")
        by_reason: dict[str, list[str]] = {}
        for each, alias, why in self._doubts():
            by_reason.setdefault(f"{each.name}: {why}", []).append(alias)
        notes = [f"! {', '.join(aliases)} cannot be believed on {why}" for why, aliases in by_reason.items()]
        return TextTable(heads, tuple(shown), "", tuple(notes), frozenset(range(1, len(self.names) + 1)))

    def _row(self, alias: str) -> tuple[str, ...]:
        cells = []
        for each in self._judged:
            held = next(held for held in each.assessments if held.alias == alias)
            taken = held.outcome if isinstance(held.outcome, Measurement) else None
            shown = reading(taken.estimate, taken.interval) if taken else "—"
            wrong = any(one is each and name == alias for one, name, _ in self._doubts())
            cells.append(f"{shown}{' !' if wrong else ''}")
        measure = next(held.measure for held in self._judged[0].assessments if held.alias == alias)
        return alias, *cells, DIRECTIONS[find_measure(measure).better].partition(" ")[0]

    def _doubts(self) -> list[tuple[JudgedCandidate, str, str]]:
        return [
            (each, held.alias, why)
            for each in self._judged
            for held in each.assessments
            if held.value is not None and (why := doubt(each, self.profile, held.measure, held.options))
        ]

    def __repr__(self) -> str:
        table = self._table()
        cells = [
            max(len(row[place]) for row in (table.heads, *table.rows)) for place in range(len(table.heads))
        ]
        if sum(cells) + len(GAP) * len(cells) <= WIDTH or len(self.names) == 1:
            return str(table)
        return _numbered(table)

    def _repr_html_(self) -> str:
        return self._table().html()


def _numbered(table: TextTable) -> str:
    """The same with numbers in place of long names, and the names below."""
    *names, last = table.heads[1:]
    heads = (table.heads[0], *(f"[{place}]" for place in range(1, len(names) + 1)), last)
    said = tuple(f"[{place}] {name}" for place, name in enumerate(names, start=1))
    return str(TextTable(heads, table.rows, table.title, (*said, *table.notes), table.numbers))
