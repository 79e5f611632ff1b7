"""Limits, findings, and the decision on a candidate that they add up to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from sdc.catalogue.finding import Concerns, Finding, Otherwise
from sdc.spelling import said


class Verdict(StrEnum):
    """What happens to a candidate, from best to worst."""

    PUBLISHED = "published"
    REFERRED = "referred"
    WITHHELD = "withheld"

    @property
    def of_candidate(self) -> str:
        """What the gate says about a candidate while nothing has left.

        Only a released one is called published.
        """
        return CANDIDATES[self]


CANDIDATES = {
    Verdict.PUBLISHED: "passes",
    Verdict.REFERRED: "would be referred",
    Verdict.WITHHELD: "would be withheld",
}


@dataclass(frozen=True)
class Decision:
    """All findings on one candidate."""

    candidate: str
    findings: tuple[Finding, ...]

    @classmethod
    def from_record(cls, candidate: str, findings: Iterable[Mapping[str, Any]]) -> Decision:
        """A decision from the form its findings have in a record."""
        return cls(candidate, tuple(map(Finding.from_record, findings)))

    @property
    def failed(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if not finding.holds)

    @property
    def judges_risk(self) -> bool:
        """Whether any risk was measured against a limit."""
        return any(finding.family is Concerns.RISK and finding.value is not None for finding in self.findings)

    def missed(self, family: str | None = None) -> tuple[Finding, ...]:
        """What does not hold and is not merely noted, of one family or of all."""
        return tuple(
            finding
            for finding in self.failed
            if finding.otherwise is not Otherwise.NOTE and family in (None, finding.family)
        )

    def worst_margin(self, family: str | None = None) -> float:
        """The smallest relative margin of a criterion of risk or utility.

        The gate's other checks count where they do not hold. It is minus infinity where no risk was judged,
        and infinity for a family in which nothing is judged.
        """
        if family is None and not self.judges_risk:
            return -math.inf
        counting = [
            finding
            for finding in self.findings
            if finding.otherwise is not Otherwise.NOTE and (finding.family.measured or not finding.holds)
        ]
        return min(
            (finding.relative_margin for finding in counting if family in (None, finding.family)),
            default=math.inf,
        )

    @property
    def verdict(self) -> Verdict:
        """Withheld unless risk was judged and all holds, or what fails is to be referred or noted only."""
        failed = {finding.otherwise for finding in self.failed}
        if not self.judges_risk or failed - {Otherwise.REFER, Otherwise.NOTE}:
            return Verdict.WITHHELD
        return Verdict.REFERRED if Otherwise.REFER in failed else Verdict.PUBLISHED

    @property
    def standing(self) -> str:
        """What the gate says about the candidate; a study that demands nothing has none judged."""
        return self.verdict.of_candidate if self.findings else "not judged"


@dataclass(frozen=True)
class JudgedNumber:
    """A number as it comes to the gate: `words` says what it is, or why there is none."""

    value: float | None
    words: str = ""


@dataclass(frozen=True)
class Limit:
    """A criterion as the gate tests it: one number, its range, and what happens when it lies outside.

    `column` names the number in the scorecard or among the facts of the table. `fault` says in words what is
    wrong when a count is outside its limits, with {n} for the count, and what the reading says more; without
    it the reason compares value and limit.
    """

    column: str
    criterion: str
    family: Concerns
    at_least: float | None = None
    at_most: float | None = None
    otherwise: Otherwise = Otherwise.WITHHOLD
    because: str = ""
    source: str = ""
    fault: str = ""

    def margin(self, value: float) -> float:
        """The distance to the nearer limit, negative outside."""
        above = [value - self.at_least] if self.at_least is not None else []
        below = [self.at_most - value] if self.at_most is not None else []
        return min(above + below)

    def holds(self, value: float | None) -> bool:
        return value is not None and math.isfinite(value) and self.margin(value) >= 0

    def check(self, candidate: str, reading: JudgedNumber) -> Finding:
        """What is found when a number, or the lack of one, meets this limit.

        `otherwise` is about values out of range: nobody has agreed to a value that is not known.
        """
        value = reading.value if reading.value is not None and math.isfinite(reading.value) else None
        finding = Finding(
            self.criterion,
            self.family,
            candidate,
            self.holds(value),
            self.otherwise,
            value,
            self.at_least,
            self.at_most,
        )
        finding = replace(finding, because=self.because, margin=None if value is None else self.margin(value))
        if value is None:
            return finding.shut(reading.words or "there is no finite value")
        return (
            finding
            if finding.holds
            else replace(finding, reason=self._reason(value, reading.words or self.criterion))
        )

    def _reason(self, value: float, subject: str) -> str:
        if self.fault:
            fault = self.fault.replace("{n}", said(value)).replace("(s)", "" if value == 1 else "s")
            return fault if subject == self.criterion else f"{fault}: {subject}"
        too_low = self.at_least is not None and value < self.at_least
        limit = self.at_least if too_low else self.at_most
        assert limit is not None
        demand = f"at least {said(limit)} was demanded" if too_low else f"at most {said(limit)} was allowed"
        return (
            f"{subject} is {said(value, apart_from=limit)}, {demand}: {said(abs(value - limit))} too"
            f" {'little' if too_low else 'much'}"
        )
