"""Shows work in the background: the result once it is there, else how far it is and a way to stop it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sdc.studio import open_profile
from sdc.studio.jobs import JobState
from sdc.studio.open_profile import OpenProfile
from sdc.web.studio.frame import part_page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from sdc.studio.jobs import Job
    from sdc.studio.workbench import Workbench
    from sdc.web.studio.frame import Frame

PATIENCE = 1.5
"""Seconds an answer waits for work that is nearly done."""


def when_done(job: Job, request: Request, template: str, first: Any = None, **shown: Any) -> Response:
    """The part with the result of a job; until then a part that asks again every second.

    `first` is what is known before the job is done: it is shown with the words that it is not all.
    """
    job.done.wait(PATIENCE)
    # Work may have found faults: stepper and text know them too.
    held: Frame = request.state.frame
    frame = replace(held, remarks=held.workbench.faults())
    if job.state is JobState.DONE:
        return part_page(template, frame=frame, result=job.result, job=job, **shown)
    if first is not None and job.is_under_way:
        address, told = with_query(request), {"body": template, "result": first, "job": job}
        return part_page("studio/first_look.html", frame=frame, address=address, **told, **shown)
    return part_page("studio/working.html", frame=frame, job=job, address=with_query(request))


def records_part(workbench: Workbench, request: Request) -> Response:
    """How far reading the records is; the room is drawn again once they are there, or cannot be."""
    opened = OpenProfile.of(workbench, open_profile.PATIENCE)
    room = request.url.path.partition("/part/")[0]
    if opened.is_being_read and opened.awaited is not None:
        return when_done(opened.awaited, request, "studio/records_read.html", room=with_query(request, room))
    return part_page("studio/records_read.html", room=with_query(request, room))


def with_query(request: Request, path: str = "") -> str:
    """An address with what was asked of the present one."""
    return f"{path or request.url.path}{f'?{request.url.query}' if request.url.query else ''}"
