"""What was measured of a study or of one of its candidates, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Assessment
from sdc.catalogue.registry import find_measure
from sdc.errors import UnknownName
from sdc.report.doubts import doubt
from sdc.report.edition import Edition, Rules
from sdc.report.readings import Held, left_out, sticks
from sdc.spelling import composed, nearest
from sdc.study.study_measurement import StudyMeasurement
from sdc.study.text_table import TextTable

if TYPE_CHECKING:
    import pandas as pd

    from sdc.data.release_pair import ReleasePair
    from sdc.gate.judged import JudgedCandidate
    from sdc.report.facts import RunFacts
    from sdc.study.drawings import DrawnFigures

RULES = Rules(Edition.INTERNAL)


class Results(Mapping[str, StudyMeasurement]):
    """Measurements by name: a table to look at, a frame to work with, a mapping to ask.

    >>> found = sdc.Study(households, keys=["region", "age", "sex"]).risk("k_anonymity", "unique_entries")
    >>> found.value("k_anonymity")
    1.0
    >>> list(found)
    ['k_anonymity', 'unique_entries']
    >>> found.frame.loc["k_anonymity", "unit"]
    'records in the class'
    """

    def __init__(
        self,
        title: str,
        judged: JudgedCandidate,
        facts: RunFacts,
        pair: ReleasePair,
        families: tuple[str, ...],
    ) -> None:
        self.title, self._judged, self._facts, self._pair = title, judged, facts, pair
        self._families = families
        self._held = {each.alias: self._read(each) for each in judged.assessments}

    def _read(self, assessment: Assessment) -> StudyMeasurement:
        held = Held.of(self._facts, self._judged, assessment, RULES)
        wrong = (
            doubt(self._judged, self._facts.profile, assessment.measure, assessment.options)
            if held is not None
            else ""
        )
        lost = left_out(held.measurement) if held is not None else ()
        against = tuple(each for each in sticks(held, RULES) if each not in lost) if held is not None else ()
        return StudyMeasurement(assessment, find_measure(assessment.measure), against, wrong)

    def __getitem__(self, name: str) -> StudyMeasurement:
        if name not in self._held:
            raise UnknownName("measurement", str(name), nearest(str(name), list(self._held)))
        return self._held[name]

    def __contains__(self, name: object) -> bool:
        return name in self._held

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def value(self, name: str, part: str | None = None) -> float | None:
        """The value of a measurement, or of one of its parts; None where it was not assessed.

        >>> found = sdc.Study(households, keys=["region", "age", "sex"]).risk("k_anonymity")
        >>> found.value("k_anonymity", "classes") > 100
        True
        """
        held = self[name]
        if part is None or held.value is None:
            return held.value
        part = composed(part)
        if part not in held.parts:
            raise UnknownName(f"part of {name}", str(part), nearest(str(part), list(held.parts)))
        return held.parts[part]

    @property
    def not_assessed(self) -> dict[str, str]:
        """Measurements without a value, and why there is none.

        >>> sdc.Study(households, keys=["region", "age"]).risk("linkability").not_assessed
        {'linkability': 'linkability cannot be measured: no records were held out'}
        """
        return {name: held.not_assessed for name, held in self.items() if held.not_assessed}

    @property
    def not_believed(self) -> dict[str, str]:
        """Measurements whose value cannot be believed after the steps of this candidate, and why.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> swapped = study.protect("rank_swap", variables=["age"])
        >>> list(swapped.risk("k_anonymity").not_believed)
        ['k_anonymity']
        """
        return {name: held.doubt for name, held in self.items() if held.doubt}

    @cached_property
    def frame(self) -> pd.DataFrame:
        """All measurements as a pandas frame, a row each.

        >>> found = sdc.Study(households, keys=["region", "age", "sex"]).risk("k_anonymity")
        >>> found.frame[["family", "value"]].values.tolist()
        [['risk', 1.0]]
        """
        import pandas as pd

        rows = [
            {
                "name": name,
                "measure": held.measure.name,
                "family": held.measure.family.value,
                "value": held.value,
                "low": held.interval.low if held.interval else None,
                "high": held.interval.high if held.interval else None,
                "unit": held.unit,
                "better": held.measure.better.value,
                "not_assessed": held.not_assessed,
                "not_believed": held.doubt or None,
                "left_out": "; ".join(held.left_out) or None,
                "options": dict(held.assessment.options),
                "seconds": held.assessment.seconds,
            }
            for name, held in self.items()
        ]
        columns = list(rows[0]) if rows else ["name", "value"]
        made = pd.DataFrame(rows, columns=columns).set_index("name")
        return made.astype({name: "float64" for name in ("value", "low", "high") if name in made})

    def plot(self, *names: str) -> DrawnFigures:
        """The figures the report has for these measurements, or for those named.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> study.risk("k_anonymity").plot().titles
        ['Sizes of the classes']
        """
        from sdc.study.drawings import drawn_of

        for name in names:
            self[name]
        return drawn_of(self._facts, self._pair, [self[name].measure.name for name in names or self])

    def _table(self, *, wide: bool = False) -> TextTable:
        valued = {name: held for name, held in self.items() if held.value is not None}
        heads: tuple[str, ...] = ("measure", "value", "unit")
        rows: list[tuple[str, ...]] = [
            (f"{name}{' !' if held.doubt else ''}", held.text, held.unit) for name, held in valued.items()
        ]
        if wide:
            heads = (*heads, "better", "read against")
            rows = [
                (*row, held.better, " · ".join(held.against))
                for row, held in zip(rows, valued.values(), strict=True)
            ]
        by_reason: dict[str, list[str]] = {}
        for name, why in self.not_believed.items():
            by_reason.setdefault(why, []).append(name)
        notes = [f"! {', '.join(names)} cannot be believed here: {why}" for why, names in by_reason.items()]
        notes += [f"{name}: not assessed, {_short(name, why)}" for name, why in self.not_assessed.items()]
        by_variables: dict[str, list[str]] = {}
        for name, held in valued.items():
            for words in held.left_out:
                by_variables.setdefault(words, []).append(name)
        notes += [f"{', '.join(names)}: {words}" for words, names in by_variables.items()]
        return TextTable(heads, tuple(rows), self.title, tuple(notes), frozenset({1}))

    def __repr__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        return self._table(wide=True).html()


def _short(name: str, why: str) -> str:
    return why.removeprefix(f"{name} cannot be measured: ")
