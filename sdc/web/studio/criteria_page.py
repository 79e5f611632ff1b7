"""The room of criteria: limits with sliders, presets by access, measures that make sense here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc.catalogue.registry import find_measure, measures
from sdc.studio import candidate_edits, open_profile, trials
from sdc.studio.criteria import CriteriaView
from sdc.studio.criterion_limits import side_of
from sdc.studio.form_reading import read_form
from sdc.studio.open_profile import OpenProfile, own_reading
from sdc.studio.presets import PRESETS, take
from sdc.studio.protection import chosen_candidate
from sdc.studio.recoding import number
from sdc.studio.trial import why_not
from sdc.web.studio.rooms import BadForm, action, part, room
from sdc.web.studio.waiting import records_part

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from sdc.profile.plan import Criterion
    from sdc.studio.workbench import Workbench
    from sdc.web.studio.form import Form

ROOM = "criteria"
LIMITS = ("at_least", "at_most")


@room(ROOM, "Criteria", order=4)
def criteria(workbench: Workbench, request: Request) -> Mapping[str, Any]:
    view = _view(workbench, request, open_profile.PATIENCE)
    job = trials.begin(workbench, view.trials[view.chosen]) if view.chosen in view.trials else None
    if job is not None:
        job.done.wait(trials.PATIENCE)
    return {
        "view": _view(workbench, request),
        "job": job,
        "candidates": candidate_edits.names(workbench.profile_text),
    }


def _view(workbench: Workbench, request: Request, patience: float = 0.0) -> CriteriaView:
    query = request.query_params
    opened = OpenProfile.of(workbench, patience)
    names = list(opened.reading.understood) if opened.reading is not None else []
    chosen = chosen_candidate(names, query.get("candidate", ""))
    return CriteriaView(opened, chosen, query.get("criterion", ""), query.get("add", ""))


@part(ROOM, "records")
def records(workbench: Workbench, request: Request) -> Response:
    return records_part(workbench, request)


def _place(workbench: Workbench, form: Form) -> tuple[str, int, Criterion]:
    """The criterion a form is about."""
    family, _, position = form.get("criterion").partition(".")
    for place, criterion in workbench.reading().criteria():
        if (str(place[0]), str(place[1])) == (family, position):
            return family, int(position), criterion
    raise BadForm("there is no such criterion; look at the page as it is now")


@action(ROOM, "limit")
def limit(workbench: Workbench, form: Form) -> str | None:
    """Another limit; an empty one means that the number is only reported."""
    family, position, criterion = _place(workbench, form)
    side = form.get("side") or side_of(criterion)
    if side not in LIMITS:
        raise BadForm("a limit is at_least or at_most")
    text, place = workbench.profile_text, (family, position, side)
    said = f"limit of {criterion.alias}"
    if not form.get("limit").strip():
        if getattr(criterion, side) is not None:
            text.remove(place, expected=form.expected, said=said)
        return None
    value = number(form.get("limit"), "a limit")
    text.set(place, int(value) if value.is_integer() else value, expected=form.expected, said=said)
    return None


@action(ROOM, "words")
def words(workbench: Workbench, form: Form) -> str | None:
    """Why there is a limit, and what happens where it does not hold."""
    family, position, criterion = _place(workbench, form)

    def change(draft: Any, _revision: int) -> None:
        for key, default in (("because", ""), ("otherwise", "withhold")):
            told = form.get(key).strip()
            if told and told != default:
                draft.set((family, position, key), told, expected=draft.revision)
            elif draft.at((family, position, key)) is not None:
                draft.remove((family, position, key), expected=draft.revision)

    workbench.profile_text.edit(change, expected=form.expected, said=f"words of {criterion.alias}")
    return None


@action(ROOM, "options")
def options(workbench: Workbench, form: Form) -> str | None:
    family, position, criterion = _place(workbench, form)
    told = _options(workbench, form, criterion.measure, criterion.options)
    text, place = workbench.profile_text, (family, position, "with")
    said = f"options of {criterion.alias}"
    if told:
        text.set(place, told, expected=form.expected, said=said)
    elif text.at(place) is not None:
        text.remove(place, expected=form.expected, said=said)
    return None


def _options(workbench: Workbench, form: Form, measure: str, given: Mapping[str, Any]) -> dict[str, Any]:
    roles = workbench.reading().profile.roles
    filled, _ = read_form(find_measure(measure), given, roles, form.fields)
    if filled.faults:
        raise BadForm(f"nothing was changed: {'; '.join(filled.in_words)}")
    return filled.options


@action(ROOM, "remove")
def remove(workbench: Workbench, form: Form) -> str | None:
    family, position, criterion = _place(workbench, form)
    workbench.profile_text.remove(
        (family, position), expected=form.expected, said=f"removed {criterion.alias}"
    )
    return None


@action(ROOM, "add")
def add(workbench: Workbench, form: Form) -> str | None:
    """One more measure, reported until it gets a limit; only for the candidates on which it makes sense."""
    name = form.get("measure")
    if name not in measures():
        raise BadForm("the catalogue has no such measure")
    told, reading = _options(workbench, form, name, {}), own_reading(workbench)
    profile = reading.profile
    fine = [each for each in reading.understood if not why_not(profile, each, name, told)]
    if reading.understood and not fine:
        raise BadForm(f"{name} makes no sense here: {why_not(profile, reading.understood[0], name, told)}")
    aliases = {each.alias for each in profile.criteria}
    alias = {"as": _free(name, aliases)} if name in aliases else {}
    limited = {"for": fine} if len(fine) < len(profile.candidates) else {}
    criterion = {"measure": name, **alias, **({"with": told} if told else {}), **limited}
    family = find_measure(name).family.value
    position = len(workbench.profile_text.at((family,)) or [])
    workbench.profile_text.insert(
        (family,), position, criterion, expected=form.expected, said=f"added {name}"
    )
    return None


def _free(name: str, taken: set[str]) -> str:
    return next(f"{name}_{number}" for number in range(2, 1000) if f"{name}_{number}" not in taken)


@action(ROOM, "preset")
def preset(workbench: Workbench, form: Form) -> str:
    chosen = next((each for each in PRESETS if each.name == form.get("preset")), None)
    if chosen is None:
        raise BadForm("there are no limits for such an access")
    reading = own_reading(workbench)
    known = {name: reading.profile.candidates[name] for name in reading.understood}
    profile = reading.profile.model_copy(update={"candidates": known})
    written, left = take(workbench.profile_text, chosen, profile, expected=form.expected)
    more = f"; {left} make no sense here and were left out" if left else ""
    return f"{written} limits were written{more}. Put the rule of your agency in their place."
