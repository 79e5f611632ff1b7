"""The room of protection: candidates side by side, their steps as forms, numbers after each change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc.catalogue.external import makers
from sdc.studio import candidate_edits, open_profile, trials
from sdc.studio.form_reading import read_form
from sdc.studio.open_profile import OpenProfile
from sdc.studio.protection import ProtectionView, chosen_candidate
from sdc.web.studio.frame import part_page
from sdc.web.studio.recoding_actions import recoding_shown
from sdc.web.studio.rooms import BadForm, action, part, room
from sdc.web.studio.waiting import records_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from sdc.studio.workbench import Workbench
    from sdc.web.studio.form import Form

ROOM = "protection"


@room(ROOM, "Protection", order=3)
def protection(workbench: Workbench, request: Request) -> Mapping[str, Any]:
    view = _view(workbench, request, open_profile.PATIENCE)
    _try(view, wait=True)
    # What was tried meanwhile is read once more.
    shown = _view(workbench, request)
    return {"view": shown, "recoding": recoding_shown(shown, request.query_params.get("variable", ""))}


@part(ROOM, "numbers")
def numbers(workbench: Workbench, request: Request) -> Response:
    return part_page("studio/protection_numbers.html", part_alone=True, view=_view(workbench, request))


def _view(workbench: Workbench, request: Request, patience: float = 0.0) -> ProtectionView:
    query = request.query_params
    names = candidate_edits.names(workbench.profile_text)
    chosen = chosen_candidate(names, query.get("candidate", ""))
    step = query.get("step", "")
    opened = OpenProfile.of(workbench, patience)
    return ProtectionView(opened, chosen, int(step) if step.isdigit() else None, query.get("add", ""))


def _try(view: ProtectionView, *, wait: bool, again: bool = False) -> None:
    """Try the open candidate; a page waits for it a little."""
    trial = view.opened.trial(view.chosen)
    job = trials.begin(view.opened.workbench, trial, again=again) if trial else None
    if job is not None and wait:
        job.done.wait(trials.PATIENCE)


@action(ROOM, "add-candidate")
def add_candidate(workbench: Workbench, form: Form) -> str | None:
    text = workbench.profile_text
    name = form.get("name").strip() or candidate_edits.free_name(text, "candidate")
    candidate_edits.add(text, name, expected=form.expected)
    return None


@action(ROOM, "copy")
def copy(workbench: Workbench, form: Form) -> str:
    new = candidate_edits.copy(workbench.profile_text, form.get("candidate"), expected=form.expected)
    return f"The copy is called {new}."


@action(ROOM, "rename")
def rename(workbench: Workbench, form: Form) -> str | None:
    candidate_edits.rename(
        workbench.profile_text, form.get("candidate"), form.get("name").strip(), expected=form.expected
    )
    return None


@action(ROOM, "remove")
def remove(workbench: Workbench, form: Form) -> str | None:
    candidate_edits.remove(workbench.profile_text, form.get("candidate"), expected=form.expected)
    return None


@action(ROOM, "add-step")
def add_step(workbench: Workbench, form: Form) -> str | None:
    """A new step at the end, if its options hold."""
    method = form.get("method")
    options = _options(workbench, form, method, {})
    text, name = workbench.profile_text, form.get("candidate")
    position = len(candidate_edits.steps(text, name) or [])
    candidate_edits.add_step(
        text, name, candidate_edits.as_step(method, options), position, expected=form.expected
    )
    return None


@action(ROOM, "change-step")
def change_step(workbench: Workbench, form: Form) -> str | None:
    text, name, position = workbench.profile_text, form.get("candidate"), form.whole("step")
    held = candidate_edits.require_step(text, name, position)
    given = held.get("with")
    options = _options(workbench, form, str(held["method"]), given if isinstance(given, dict) else {})
    candidate_edits.change_step(text, name, position, options, expected=form.expected)
    return None


def _options(workbench: Workbench, form: Form, method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a form; BadForm with everything that is wrong with them."""
    entry = makers().get(method)
    if entry is None:
        raise BadForm("the catalogue has no such method")
    roles = workbench.reading().profile.roles
    filled, _ = read_form(entry, given, roles, form.fields)
    if filled.faults:
        raise BadForm(f"nothing was changed: {'; '.join(filled.in_words)}")
    return filled.options


@action(ROOM, "move-step")
def move_step(workbench: Workbench, form: Form) -> str | None:
    candidate_edits.move_step(
        workbench.profile_text,
        form.get("candidate"),
        form.whole("step"),
        form.whole("to"),
        expected=form.expected,
    )
    return None


@action(ROOM, "remove-step")
def remove_step(workbench: Workbench, form: Form) -> str | None:
    candidate_edits.remove_step(
        workbench.profile_text, form.get("candidate"), form.whole("step"), expected=form.expected
    )
    return None


@action(ROOM, "try")
def try_again(workbench: Workbench, form: Form) -> str | None:
    """Try a candidate, or all of them, though it failed or was cancelled before."""
    names = candidate_edits.names(workbench.profile_text)
    opened = OpenProfile.of(workbench, open_profile.PATIENCE)
    for name in [form.get("candidate")] if form.get("candidate") in names else names:
        _try(ProtectionView(opened, name), wait=False, again=True)
    return None


@part(ROOM, "records")
def records(workbench: Workbench, request: Request) -> Response:
    return records_part(workbench, request)


@action(ROOM, "cancel")
def cancel(workbench: Workbench, form: Form) -> str:
    job = workbench.jobs.find(trials.job_name(form.get("candidate")))
    if job is None or not job.is_under_way:
        return "Nothing was under way."
    job.cancel()
    job.done.wait(trials.PATIENCE)
    return "It was cancelled." if job.done.is_set() else "It is cancelled, and ends with the part it is at."
