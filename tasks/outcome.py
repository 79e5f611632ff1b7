"""What tasks pass on of a candidate, and how a run ends: small records, never rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sdc.catalogue.finding import Finding
from sdc.catalogue.measurement import Assessment
from sdc.catalogue.protection import Protection, Step
from sdc.gate.decision import Decision, Verdict


@dataclass(frozen=True)
class Candidate:
    """A candidate as tasks pass it on: its name, its file, what was done; never its rows."""

    name: str
    path: str
    sha256: str
    rows: int
    steps: tuple[Step, ...]
    syntheses: int = 1
    persons: str = ""

    @property
    def aligned(self) -> bool:
        return all(step.aligned for step in self.steps)

    @property
    def synthetic(self) -> bool:
        return any(step.protection is Protection.SYNTHETIC for step in self.steps)


@dataclass(frozen=True)
class Judged:
    """A candidate with its measurements and the gate's decision; without them where it could not be made."""

    name: str
    decision: Decision
    candidate: Candidate | None = None
    assessments: tuple[Assessment, ...] = ()


EXIT_CODES = {Verdict.PUBLISHED: 0, Verdict.WITHHELD: 3, Verdict.REFERRED: 4}


@dataclass(frozen=True)
class Outcome:
    """How a run ended, for the person who started it."""

    run_id: str
    verdict: Verdict
    sentence: str
    findings: tuple[Finding, ...]
    places: tuple[tuple[str, str], ...]
    roles: tuple[str, ...] = ()
    """Who must approve, when it was referred."""
    chosen: str | None = None
    choice: str = ""
    """Why this candidate was chosen, in a sentence."""
    readings: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Estimate, interval and judged end of what has an interval, by candidate and criterion."""

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]

    def as_json(self) -> dict[str, Any]:
        """The stable form of `--json`."""
        return {
            "run": self.run_id,
            "verdict": self.verdict.value,
            "sentence": self.sentence,
            "chosen": self.chosen,
            "because": self.choice,
            "findings": [
                finding.as_json() | {"reading": self.readings.get((finding.candidate, finding.criterion))}
                for finding in self.findings
            ],
            "places": dict(self.places),
            "roles": list(self.roles),
            "exit_code": self.exit_code,
        }
