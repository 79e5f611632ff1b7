"""Shows work in the background: the result once it is there, else how far it is and a way to stop it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc.studio.jobs import JobState
from sdc.web.studio.frame import part_page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from sdc.studio.jobs import Job

PATIENCE = 1.5
"""Seconds an answer waits for work that is nearly done."""


def when_done(job: Job, request: Request, template: str, **shown: Any) -> Response:
    """The part with the result of a job; until then a part that asks again every second."""
    job.done.wait(PATIENCE)
    if job.state is JobState.DONE:
        return part_page(template, frame=request.state.frame, result=job.result, job=job, **shown)
    return part_page("studio/working.html", frame=request.state.frame, job=job, address=request.url.path)
