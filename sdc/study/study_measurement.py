"""One measure on one table of a study: its value, and all it takes to read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Assessment, Interval, Measurement
from sdc.catalogue.registry import Measure
from sdc.report import wording
from sdc.report.readings import left_out
from sdc.report.wording import DIRECTIONS
from sdc.study.text_table import TextTable

if TYPE_CHECKING:
    import pandas as pd

MOST_PARTS = 12


@dataclass(frozen=True)
class StudyMeasurement:
    """One measure on one table: its value, or the reason why there is none, and how to read it.

    >>> found = sdc.Study(households, keys=["region", "age", "sex"]).risk("k_anonymity")["k_anonymity"]
    >>> found.value, found.unit, found.better
    (1.0, 'records in the class', 'higher is better')
    >>> found.parts["share_below_k"] > 0.5
    True
    """

    assessment: Assessment
    measure: Measure = field(repr=False)
    against: tuple[str, ...] = field(default=(), repr=False)
    doubt: str = field(default="", repr=False)
    """Why the number cannot be believed after the steps of this candidate; empty where it can."""

    @property
    def name(self) -> str:
        return self.assessment.alias

    @property
    def value(self) -> float | None:
        return self.assessment.value

    @property
    def not_assessed(self) -> str | None:
        """Why there is no value."""
        return self.assessment.not_assessed

    @property
    def parts(self) -> Mapping[str, float]:
        """Further numbers by name."""
        outcome = self.assessment.outcome
        return outcome.parts if isinstance(outcome, Measurement) else {}

    @property
    def left_out(self) -> tuple[str, ...]:
        """The numeric variables that the value is not about, or not in full, in words.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"])
        >>> coarse = study.protect("global_recode", age={"width": 10})
        >>> coarse.utility("il1s")["il1s"].left_out
        ('without age, no longer compared as numbers',)
        """
        outcome = self.assessment.outcome
        return left_out(outcome) if isinstance(outcome, Measurement) else ()

    @property
    def interval(self) -> Interval | None:
        outcome = self.assessment.outcome
        return outcome.interval if isinstance(outcome, Measurement) else None

    @property
    def by_record(self) -> pd.DataFrame | None:
        """What the measure says about single records, in the order of the source; confidential.

        >>> study = sdc.Study(households, keys=["region", "age", "sex"], weight="weight")
        >>> len(study.risk("individual_risk")["individual_risk"].by_record)
        300
        """
        import pandas as pd

        outcome = self.assessment.outcome
        held = outcome.by_record if isinstance(outcome, Measurement) else None
        return pd.DataFrame(dict(held)) if held else None

    @property
    def unit(self) -> str:
        return self.measure.unit.value

    @property
    def better(self) -> str:
        return DIRECTIONS[self.measure.better]

    @property
    def question(self) -> str:
        """The question the measure answers."""
        return self.measure.summary

    @property
    def reference(self) -> str:
        return self.measure.reference

    @property
    def text(self) -> str:
        """The value in words, with its interval."""
        outcome = self.assessment.outcome
        return wording.reading(outcome.estimate, outcome.interval) if isinstance(outcome, Measurement) else ""

    def _table(self) -> TextTable:
        rows = [("value", self.text or "—"), ("unit", self.unit)]
        rows += [("left out", words) for words in self.left_out]
        rows += [("better", self.better), *(("read against", stick) for stick in self.against)]
        rows += [(name, wording.number(value)) for name, value in list(self.parts.items())[:MOST_PARTS]]
        left = len(self.parts) - MOST_PARTS
        notes = [f"and {left} more parts in .parts"] if left > 0 else []
        notes += [f"not assessed: {self.not_assessed}"] if self.not_assessed else []
        notes += [f"not to be believed here: {self.doubt}"] if self.doubt else []
        return TextTable(("", ""), tuple(rows), f"{self.name}: {self.question}", tuple(notes))

    def __str__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        return self._table().html()
