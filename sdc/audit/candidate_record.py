"""The record of a candidate, and the profile, as the sealed record of a run has them in JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from sdc.catalogue.candidate import copy_name
from sdc.catalogue.measurement import Assessment
from sdc.catalogue.protection import Step
from sdc.gate.decision import Decision
from sdc.profile.plan import Profile

if TYPE_CHECKING:
    from sdc.gate.judged import JudgedCandidate


@dataclass(frozen=True)
class CandidateRecord:
    """One candidate on record: the file it was stored in, how it was made, what was measured and found.

    `sealed` holds, for each step, what only this record may hold. `persons` is the SHA-256 of the list of
    persons of its records, `further` those of its second, third, ... synthesis. It has no decision where the
    run did not come that far.
    """

    name: str
    sha256: str = ""
    rows: int | None = None
    steps: Sequence[Step] = ()
    sealed: Sequence[Mapping[str, Any]] = ()
    assessments: Sequence[Assessment] = ()
    decision: Decision | None = None
    persons: str = ""
    further: Sequence[str] = ()

    @classmethod
    def of(cls, judged: JudgedCandidate) -> CandidateRecord:
        made = judged.made
        if made is None:
            return cls(judged.name, assessments=judged.assessments, decision=judged.decision)
        return cls(
            judged.name,
            made.sha256,
            made.rows,
            made.steps,
            made.sealed,
            judged.assessments,
            judged.decision,
            made.persons,
            made.further,
        )

    @property
    def fingerprints(self) -> dict[str, str]:
        """The SHA-256 of its file and of those of its further syntheses, by name."""
        more = {copy_name(self.name, number): held for number, held in enumerate(self.further, start=2)}
        return {self.name: self.sha256, **more}

    def as_record(self) -> dict[str, Any]:
        sealed = [*self.sealed, *([{}] * len(self.steps))]
        return {
            "name": self.name,
            "sha256": self.sha256,
            "rows": self.rows,
            "persons": self.persons,
            **({"further": [*self.further]} if self.further else {}),
            "steps": [_step(step, beside) for step, beside in zip(self.steps, sealed, strict=False)],
            "measurements": [assessment.as_json() for assessment in self.assessments],
            "findings": [finding.as_record() for finding in self.decision.findings] if self.decision else [],
            "verdict": self.decision.verdict.of_candidate if self.decision else None,
        }

    @classmethod
    def from_record(cls, held: Mapping[str, Any]) -> CandidateRecord:
        """From a sealed record of this version or an earlier one, which may not have all of it."""
        name, findings = held["name"], held.get("findings", ())
        return cls(
            name,
            held["sha256"],
            held.get("rows"),
            tuple(map(Step.from_record, held["steps"])),
            tuple(step.get("sealed", {}) for step in held["steps"]),
            tuple(Assessment.from_record(each, name) for each in held.get("measurements", ())),
            Decision.from_record(name, findings) if findings else None,
            held.get("persons", ""),
            tuple(held.get("further", ())),
        )


def profile_of(record: Mapping[str, Any]) -> Profile | None:
    """The profile of a sealed record; none where an earlier version wrote it in another form."""
    try:
        return Profile.model_validate(record.get("profile", {}).get("plan"))
    except ValidationError:
        return None


def _step(step: Step, sealed: Mapping[str, Any]) -> dict[str, Any]:
    """The groups of labels a step made stay in the run's own list of candidates."""
    return {**{name: held for name, held in step.as_record().items() if name != "labels"}, "sealed": sealed}
