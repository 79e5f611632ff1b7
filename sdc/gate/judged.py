"""The record of a candidate that was judged: its measurements, and what the gate says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdc.catalogue.candidate import Candidate
    from sdc.catalogue.measurement import Assessment
    from sdc.catalogue.protection import Step
    from sdc.gate.decision import Decision


@dataclass(frozen=True)
class JudgedCandidate:
    """A candidate with its measurements and the gate's decision; not `made` where it could not be made.

    `missing_added` counts the missing values each variable gained, where a report has counted them.
    """

    name: str
    decision: Decision
    assessments: tuple[Assessment, ...] = ()
    made: Candidate | None = None
    missing_added: Mapping[str, int] = field(default_factory=dict)

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.made.steps if self.made else ()

    @property
    def rows(self) -> int | None:
        return self.made.rows if self.made else None
