"""May this candidate leave? Findings, and the decision they add up to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What becomes of a candidate, from best to worst."""

    PUBLISHED = "published"
    REFERRED = "referred"
    WITHHELD = "withheld"


@dataclass(frozen=True)
class Finding:
    """A criterion, checked.

    `value` is what was judged (the worse end of an interval), None where nothing was measured. `margin` is the distance
    to the nearer limit in the value's own unit, negative where the criterion does not hold. `reason` says in words why
    it does not hold, and what would have passed.
    """

    criterion: str
    family: str
    candidate: str
    holds: bool
    otherwise: str
    value: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    margin: float | None = None
    because: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Decision:
    """All findings on one candidate."""

    candidate: str
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """Withheld unless everything holds, or what does not hold is to be referred or only noted."""
        failed = {finding.otherwise for finding in self.findings if not finding.holds}
        if not self.findings or "withhold" in failed:
            return Verdict.WITHHELD
        return Verdict.REFERRED if "refer" in failed else Verdict.PUBLISHED
