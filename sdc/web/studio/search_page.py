"""The room of search: a space around a candidate, its front as a picture that grows, a point to take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc.errors import SdcError
from sdc.run.plain_words import told
from sdc.studio import candidate_edits, front, open_profile, space
from sdc.studio.front_picture import front_picture, front_points
from sdc.studio.open_profile import BEING_READ, OpenProfile
from sdc.studio.protection import chosen_candidate
from sdc.studio.recoding import number
from sdc.web.studio.frame import part_page
from sdc.web.studio.rooms import BadForm, action, part, room
from sdc.web.studio.waiting import records_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from sdc.studio.workbench import Workbench
    from sdc.web.studio.form import Form

ROOM = "search"
MINUTES = 5


@room(ROOM, "Search", order=5)
def search(workbench: Workbench, request: Request) -> Mapping[str, Any]:
    text, opened = workbench.profile_text, OpenProfile.of(workbench, open_profile.PATIENCE)
    names = [name for name in candidate_edits.names(text) if candidate_edits.steps(text, name) is not None]
    chosen = chosen_candidate(names, request.query_params.get("candidate", ""))
    roles = opened.reading.profile.roles if opened.reading is not None else None
    return {
        "opened": opened,
        "names": names,
        "chosen": chosen,
        "options": space.sweepable(text, chosen, roles) if roles is not None and chosen else [],
        "has_space": text.at((space.SPACE,)) is not None,
        "searched": _size(workbench),
        "minutes": MINUTES,
        **_found(workbench),
    }


@part(ROOM, "front")
def growing(workbench: Workbench, request: Request) -> Response:
    shown = _found(workbench)
    return part_page("studio/search_front.html", frame=request.state.frame, part_alone=True, **shown)


def _size(workbench: Workbench) -> dict[str, Any]:
    """How many candidates would be tried; or why none can be."""
    from sdc.profile.load import load_space

    try:
        return {"total": len(load_space(workbench.path, workbench.files()).profile.candidates), "problem": ""}
    except SdcError as error:
        return {"total": 0, "problem": told(error)}


def _found(workbench: Workbench) -> dict[str, Any]:
    """What the last search found so far."""
    held, job = front.last_search(workbench), workbench.jobs.find(front.SEARCH)
    planned = held.planned if held is not None else None
    return {
        "job": job,
        "search": held,
        "picture": front_picture(planned) if planned is not None else None,
        "points": front_points(planned) if planned is not None else [],
        "axes": planned.tried.axes if planned is not None else None,
        "in_words": planned.in_words if planned is not None else [],
    }


@action(ROOM, "space")
def write_space(workbench: Workbench, form: Form) -> str:
    """The space around a candidate, with the values that were typed."""
    roles = workbench.reading().profile.roles
    told_values = {f"sweep/{name}": value for name, value in form.under("sweep/")}
    total = space.write_space(
        workbench.profile_text, form.get("candidate"), roles, told_values, expected=form.expected
    )
    return f"The space has {total:,} candidates. Start the search when you like."


@action(ROOM, "no-space")
def no_space(workbench: Workbench, form: Form) -> str | None:
    workbench.profile_text.remove((space.SPACE,), expected=form.expected, said="removed the space")
    return None


@action(ROOM, "start")
def start(workbench: Workbench, form: Form) -> str | None:
    minutes = number(form.get("minutes") or str(MINUTES), "minutes")
    if not 0 < minutes <= front.MOST_MINUTES:
        raise BadForm(f"minutes must lie above 0 and be at most {front.MOST_MINUTES:,}")
    tries = form.whole("tries") if form.get("tries").strip() else None
    if tries is not None and tries < 1:
        raise BadForm("at least one candidate must be tried")
    if OpenProfile.of(workbench, open_profile.PATIENCE).is_being_read:
        raise BadForm(BEING_READ.rstrip("."))
    front.begin_search(workbench, minutes, tries)
    return None


@part(ROOM, "records")
def records(workbench: Workbench, request: Request) -> Response:
    return records_part(workbench, request)


@action(ROOM, "cancel")
def cancel(workbench: Workbench, form: Form) -> str:
    del form
    job = workbench.jobs.find(front.SEARCH)
    if job is None or not job.is_under_way:
        return "No search was under way."
    job.cancel()
    job.done.wait(2)
    return "The search was cancelled; what it found stays."


@action(ROOM, "take")
def take(workbench: Workbench, form: Form) -> str:
    """A point of the front becomes the candidate `recommended` of the profile."""
    held, name = front.last_search(workbench), form.get("point")
    if held is None or name not in held.found:
        raise BadForm("the search knows no such candidate; look at the page as it is now")
    reading = workbench.reading()
    aliases = {each.alias for each in held.profile.criteria if each.covers(name)}
    covered = [(str(place[0]), int(place[1])) for place, each in reading.criteria() if each.alias in aliases]
    space.take_point(workbench.profile_text, held.steps(name), covered, expected=form.expected)
    return f"{name} is now the candidate {space.RECOMMENDED}."
