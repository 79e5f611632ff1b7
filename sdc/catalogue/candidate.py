"""The record of a candidate that was made: the first of the three that say what became of a candidate.

made        `Candidate`, here: its file and its steps
judged      `sdc.gate.judged.JudgedCandidate`: its measurements and the gate's decision
recorded    `sdc.audit.candidate_record.CandidateRecord`: what the sealed record of its run has of it

None of them holds rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sdc.catalogue.protection import Protection, Step


def table_name(copy: str) -> str:
    """The table a warehouse has of a candidate, or of a further synthesis of it."""
    return f"candidate_{copy}"


def copy_name(candidate: str, number: int) -> str:
    """What the further syntheses of a candidate are called: <name>_2, <name>_3, ..."""
    return f"{candidate}_{number}"


@dataclass(frozen=True)
class Candidate:
    """A candidate as it was made and stored: its name, its file and what was done.

    `persons` is the SHA-256 of the file that says of which person each record is, where that is known.
    `sealed` has for each step what only the sealed record may hold. `further` are the SHA-256 of the files of
    its second, third, ... synthesis.
    """

    name: str
    path: str = ""
    sha256: str = ""
    rows: int = 0
    steps: tuple[Step, ...] = ()
    syntheses: int = 1
    persons: str = ""
    sealed: tuple[Mapping[str, Any], ...] = field(default=(), repr=False, compare=False)
    further: tuple[str, ...] = ()

    @property
    def aligned(self) -> bool:
        return all(step.aligned for step in self.steps)

    @property
    def synthetic(self) -> bool:
        return any(step.protection is Protection.SYNTHETIC for step in self.steps)

    @property
    def copies(self) -> tuple[str, ...]:
        """It and its further syntheses, by name."""
        return (self.name, *(copy_name(self.name, number) for number in range(2, self.syntheses + 1)))

    @property
    def fingerprints(self) -> dict[str, str]:
        """The SHA-256 of the files of its copies, by name."""
        more = {copy_name(self.name, number): held for number, held in enumerate(self.further, start=2)}
        return {self.name: self.sha256, **more}

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables of its copies in the warehouse, its own first."""
        return tuple(map(table_name, self.copies))

    def as_record(self) -> dict[str, Any]:
        """What a run lists of it; what is sealed is not among it."""
        return {
            "name": self.name,
            "path": self.path,
            "sha256": self.sha256,
            "rows": self.rows,
            "steps": [step.as_record() for step in self.steps],
            "syntheses": self.syntheses,
            "persons": self.persons,
            **({"further": [*self.further]} if self.further else {}),
        }

    @classmethod
    def from_record(cls, held: Mapping[str, Any]) -> Candidate:
        steps = tuple(map(Step.from_record, held["steps"]))
        return cls(**{**held, "steps": steps, "further": tuple(held.get("further", ()))})
