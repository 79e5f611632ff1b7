"""A profile as far as it is understood with its records: read in the background, so that no page waits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sdc.errors import SdcError
from sdc.profile.list_files import with_lists
from sdc.profile.reading import read_profile
from sdc.profile.sweep import written_out
from sdc.run.plain_words import told
from sdc.studio.jobs import JobState
from sdc.studio.trial import Trial

if TYPE_CHECKING:
    from sdc.profile.reading import Reading
    from sdc.studio.jobs import Job
    from sdc.studio.workbench import Workbench
    from sdc.study.workplace import Workplace

RECORDS = "reading the records"
PATIENCE = 1.5
"""Seconds that a page waits for the records before it is shown without them."""
BEING_READ = "The records are being read; what needs them can be done once they are there."
CANCELLED = "Reading the records was cancelled."


def own_reading(workbench: Workbench) -> Reading:
    """The profile as far as it is understood, with its own candidates; those of a space are only searched."""
    written = written_out(with_lists(workbench.files())[0])
    reading = read_profile(written.document)[0]
    own = {name: steps for name, steps in reading.profile.candidates.items() if name not in written.searched}
    return replace(reading, profile=reading.profile.model_copy(update={"candidates": own}))


def reading_records(workbench: Workbench, *, again: bool = False) -> Job:
    """The work that reads the records as the profile says now; once cancelled, it begins only `again`."""

    def work(progress: Any, _cancelled: Any) -> None:
        progress(0.05)
        workbench.workplace()

    subject, held = workbench.subject(), workbench.jobs.find(RECORDS)
    if held is not None and held.subject == subject:
        stays = held.is_under_way or held.state is JobState.FAILED
        if stays or (held.state is JobState.CANCELLED and not again):
            return held
    return workbench.jobs.start(RECORDS, work, subject)


@dataclass(frozen=True)
class OpenProfile:
    """A profile as far as it is understood, and its records; or why there are none, or who reads them."""

    workbench: Workbench
    reading: Reading | None
    place: Workplace | None
    problem: str = ""
    awaited: Job | None = None

    @classmethod
    def of(cls, workbench: Workbench, patience: float | None = None) -> OpenProfile:
        """The profile now; records that are not read yet are waited for, without `patience` to the end."""
        try:
            reading = own_reading(workbench)
        except SdcError as error:
            return cls(workbench, None, None, f"The text cannot be read: {told(error).rstrip('.')}.")
        try:
            place = workbench.read_already()
            if place is None and patience is not None:
                job = reading_records(workbench)
                job.done.wait(patience)
                if job.is_under_way or job.state is JobState.CANCELLED:
                    said = BEING_READ if job.is_under_way else CANCELLED
                    return cls(workbench, reading, None, said, job)
            return cls(workbench, reading, place or workbench.workplace())
        except SdcError as error:
            problem = f"The records cannot be read as the profile says: {told(error).rstrip('.')}."
            return cls(workbench, reading, None, problem)

    @property
    def is_being_read(self) -> bool:
        return self.awaited is not None and self.awaited.is_under_way

    @property
    def was_cancelled(self) -> bool:
        return self.awaited is not None and not self.awaited.is_under_way

    def trial(self, name: str) -> Trial | None:
        """The candidate as it can be tried; None where it is not understood or there are no records."""
        if self.reading is None or self.place is None or name not in self.reading.understood:
            return None
        return Trial(self.place, self.reading.profile, name)
