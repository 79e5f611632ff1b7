"""What a run left behind, as plain facts: all the report is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sdc.gate.choice import closest
from sdc.gate.decision import Verdict

if TYPE_CHECKING:
    from datetime import datetime

    from sdc.gate.changes import TriedChange
    from sdc.gate.judged import JudgedCandidate
    from sdc.profile import Profile


@dataclass(frozen=True)
class Provenance:
    """What an auditor compares a year later."""

    source_sha256: str = ""
    profile_sha256: str = ""
    code: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Approved:
    """What a person decided on a referred run."""

    by: str
    role: str
    decision: str
    reason: str
    when: str = ""


@dataclass(frozen=True)
class RunFacts:
    """One run. `rows` counts the records of original, holdout and population where they exist."""

    run: str
    profile: Profile
    when: datetime
    verdict: Verdict
    candidates: tuple[JudgedCandidate, ...]
    chosen: str | None = None
    choice: str = ""
    """Why this one was chosen, in a sentence."""
    rows: Mapping[str, int] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance)
    approvals: tuple[Approved, ...] = ()
    notes: tuple[str, ...] = ()
    is_study: bool = False
    """A study in the library: no gate has checked the table, and nothing can leave."""
    trials: Sequence[TriedChange] = ()
    """Changes of the candidate in focus that were tried, because it does not meet its criteria."""

    @property
    def leaves(self) -> bool:
        """Whether the chosen candidate is published now."""
        return self.verdict is Verdict.PUBLISHED and not self.is_study

    def said_of(self, candidate: JudgedCandidate) -> str:
        """What happened to a candidate: published if it is out, else what the gate says about it."""
        is_out = self.leaves and candidate.name == self.chosen
        return "published" if is_out else candidate.decision.standing

    @property
    def focus(self) -> JudgedCandidate | None:
        """The candidate the report is about: the chosen one, else the one with the best worst margin."""
        if self.chosen is not None:
            return next(candidate for candidate in self.candidates if candidate.name == self.chosen)
        best = closest(candidate.decision for candidate in self.candidates)
        return next((candidate for candidate in self.candidates if candidate.decision is best), None)
