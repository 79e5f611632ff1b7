"""What a run asks of the machines that read its source, make its candidates and take its measures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.measurement import Assessment
from sdc.ingest.source_parts import PartReading
from sdc.profile import Criterion


class Machines(Protocol):
    """Who reads the source of a run, makes its candidates and takes their measures."""

    @property
    def runner(self) -> Any:
        """The task runner of a candidate's flow."""

    @property
    def at_once(self) -> int:
        """How many candidates are worked on at a time."""

    @property
    def elsewhere(self) -> PartReading | None:
        """Who reads the parts of a source, if not this machine alone."""

    def protect(self, name: str) -> Candidate:
        """Make a candidate."""

    def begin(self, candidate: Candidate, planned: Sequence[Criterion]) -> Iterator[Assessment]:
        """All are under way when this returns; each is given as soon as it is there."""

    def of_original(self, criterion: Criterion) -> Assessment:
        """What a criterion asks for, measured on the original in the place of a candidate."""

    def let_go(self, candidate: Candidate) -> None:
        """The candidate is measured."""
