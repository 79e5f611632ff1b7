"""Tries candidates in the background: begun once for the steps they have, never twice at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sdc.run import digest
from sdc.studio.jobs import Job
from sdc.studio.trial import Trial, forget_others
from sdc.studio.trial_numbers import earlier_steps

if TYPE_CHECKING:
    from sdc.studio.workbench import Workbench

PATIENCE = 1.8
"""Seconds that a page waits for new numbers before it shows what is there and asks again."""

_tried: WeakKeyDictionary[Job, str] = WeakKeyDictionary()


def fingerprint(trial: Trial) -> str:
    """Tells what is tried from anything else: the steps, what is measured, the variables, the records."""
    told = [trial.planned.key, trial.asked, trial.profile.variables, trial.profile.missing_keys]
    return digest.of_bytes(digest.canonical([*told, str(trial.place.directory)]))


def job_name(candidate: str) -> str:
    return f"trial of {candidate}"


def trying(workbench: Workbench, trial: Trial) -> Job | None:
    """The job that tries a candidate as it is now, under way or ended; None where there is none."""
    job = workbench.jobs.find(job_name(trial.name))
    return job if job is not None and _tried.get(job) == fingerprint(trial) else None


def begin(workbench: Workbench, trial: Trial, *, again: bool = False) -> Job | None:
    """Try a candidate unless all is known, or it failed or was cancelled as it is; `again` tries anew."""
    if trial.is_complete:
        return None
    job = trying(workbench, trial)
    if job is not None and not (again and not job.is_under_way):
        return job
    job = workbench.jobs.start(job_name(trial.name), _work(workbench, trial))
    _tried[job] = fingerprint(trial)
    return job


def _work(workbench: Workbench, trial: Trial) -> Callable[..., Any]:
    revisions = list(workbench.profile_text.before)

    def work(progress: Callable[..., None], _cancelled: Callable[[], bool]) -> None:
        trial.carry_out(progress)
        history = [planned for name in trial.profile.candidates for planned in earlier_steps(revisions, name)]
        for place in (trial.place, *([trial.on_sample().place] if trial.is_large else [])):
            forget_others(place, trial.profile, history)

    return work
