"""Shows work in the background: the result once it is there, else how far it is and a way to stop it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sdc.studio.jobs import JobState
from sdc.web.studio.frame import part_page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from sdc.studio.jobs import Job
    from sdc.web.studio.frame import Frame

PATIENCE = 1.5
"""Seconds an answer waits for work that is nearly done."""


def when_done(job: Job, request: Request, template: str, **shown: Any) -> Response:
    """The part with the result of a job; until then a part that asks again every second."""
    job.done.wait(PATIENCE)
    # Work may have found faults: stepper and text know them too.
    held: Frame = request.state.frame
    frame = replace(held, remarks=held.workbench.faults())
    if job.state is JobState.DONE:
        return part_page(template, frame=frame, result=job.result, job=job, **shown)
    return part_page("studio/working.html", frame=frame, job=job, address=request.url.path)
