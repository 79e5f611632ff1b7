"""The room Check and run: all faults where they belong, what is published, the run, an earlier profile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.catalogue.writers import writers
from sdc.errors import BadProfile, SdcError
from sdc.profile.document import read_document
from sdc.profile.plan import Access
from sdc.profile.publish_plan import Publish
from sdc.run.plain_words import told as in_words
from sdc.studio.profile_differences import Difference, differences
from sdc.studio.release_run import RELEASING, start_release
from sdc.web.studio.frame import is_partial, part_page
from sdc.web.studio.rooms import BadForm, action, part, room, rooms
from sdc.web.studio.waiting import when_done

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from sdc.studio.jobs import Job
    from sdc.studio.profile_text import ProfileText
    from sdc.studio.remarks import Remarks
    from sdc.studio.workbench import Workbench
    from sdc.web.studio.form import Form

CHECKING = "checking the profile and its data"
PATIENCE = 20.0
"""Seconds that a click on the run waits for the check before it."""
APPROVALS = (
    ("always", "always"),
    ("when_referred", "when a criterion refers to people"),
    ("never", "never: the gate alone decides"),
)


@room("run", "Check and run", order=6)
def run(workbench: Workbench, request: Request) -> Mapping[str, Any]:
    text = workbench.profile_text
    compared = request.query_params.get("with", "")
    return {
        "told": text.at,
        "accesses": [str(each) for each in Access],
        "approvals": APPROVALS,
        "formats": list(writers()),
        "chosen_formats": _formats(text.at(("publish", "formats"))),
        "outbox_missing": _outbox_missing(workbench),
        "job": workbench.jobs.find(RELEASING),
        "earlier": workbench.folders.profiles(),
        "compared": compared,
        "differences": _compared(workbench, compared) if compared else None,
    }


def _formats(held: Any) -> list[Any]:
    return held if isinstance(held, list) else list(Publish().formats)


def _outbox(workbench: Workbench) -> Path:
    named = workbench.profile_text.at(("publish", "outbox"))
    return workbench.path.parent / (named if isinstance(named, str) else "outbox")


def _outbox_missing(workbench: Workbench) -> bool:
    place = _outbox(workbench)
    return not place.exists() and place.resolve().is_relative_to(workbench.path.parent.resolve())


@part("run", "check")
def check(workbench: Workbench, request: Request) -> Response:
    """Faults and notes of profile and data, as `sdc check` says them."""
    return when_done(
        _checking(workbench), request, "studio/run_check.html", rooms=rooms(), swapped=is_partial(request)
    )


def _checking(workbench: Workbench) -> Job:
    """The work that checks the profile and its data as they are now."""

    def work(progress: Callable[..., None], _cancelled: Callable[[], bool]) -> Remarks:
        progress(0.1, "reading the records")
        return workbench.check()

    return workbench.jobs.wanted(CHECKING, workbench.subject(), work)


@part("run", "progress")
def progress(workbench: Workbench, request: Request) -> Response:
    """How far the run is, or how it ended."""
    job = workbench.jobs.find(RELEASING)
    if job is not None:
        job.done.wait(1.0)
    return part_page(
        "studio/run_progress.html", frame=request.state.frame, job=job, lines=workbench.run_lines
    )


@action("run", "publish")
def publish(workbench: Workbench, form: Form) -> str | None:
    """What the release is called, who may have it, who decides, and in which formats it leaves."""
    formats = form.getlist("format")
    known = {
        "access": [*Access],
        "approval": [value for value, _ in APPROVALS],
    }
    for key, values in known.items():
        if form.get(key) not in values:
            raise BadForm(f"{key} cannot be {form.get(key)!r}")
    if not formats or any(each not in writers() for each in formats):
        raise BadForm("choose at least one format")

    def change(text: ProfileText, _: int) -> None:
        for place, value in (
            (("title",), form.get("title").strip()),
            (("access",), form.get("access")),
            (("approval", "required"), form.get("approval")),
            (("publish", "formats"), formats),
        ):
            if value != text.at(place) and (value or text.at(place) is not None):
                text.set(place, value, expected=text.revision)

    workbench.profile_text.edit(change, expected=form.expected, said="changed what is published")
    return None


@action("run", "outbox")
def outbox(workbench: Workbench, _form: Form) -> str:
    """Make the folder that bundles are published to."""
    if not _outbox_missing(workbench):
        raise BadForm("the outbox is there already, or lies outside the folder of the profile")
    try:
        _outbox(workbench).mkdir(parents=True)
    except OSError:
        raise BadForm("the folder cannot be made there") from None
    workbench.look_again()
    return "The outbox is there now."


@action("run", "release")
def release(workbench: Workbench, form: Form) -> str:
    """Save the profile and run its release."""
    text = workbench.profile_text
    text.require(form.expected)
    if any(job.name == RELEASING for job in workbench.jobs.under_way()):
        raise BadForm("a run is under way; wait until it ends, or cancel it")
    job = _checking(workbench)
    job.done.wait(PATIENCE)
    if job.is_under_way:
        raise BadForm("the profile and its data are still being checked; run it once that has ended")
    faults = workbench.check().faults
    if faults:
        many = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise BadForm(f"nothing was run: the profile has {many}, see above")
    text.save()
    start_release(workbench)
    return f"{workbench.path.name} is saved, and its release is running."


def _compared(workbench: Workbench, chosen: str) -> list[Difference] | str:
    """What differs from a profile below the folders, or why that cannot be told."""
    folder, _, name = chosen.partition("/")
    try:
        path = workbench.folders.chosen(int(folder) if folder.isdigit() else -1, name)
        before = read_document(path).values
    except (BadProfile, SdcError) as error:
        return in_words(error)
    after = workbench.profile_text.values
    return "this profile cannot be read as it is now" if after is None else differences(before, after)
