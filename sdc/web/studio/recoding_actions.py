"""Recoding with a picture: borders moved, categories joined, hierarchies; each an edit of one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc.data.roles import LEFT_BEHIND
from sdc.studio import candidate_edits, open_profile, recoding
from sdc.studio.open_profile import OpenProfile
from sdc.studio.protection import ProtectionView
from sdc.studio.recoding_picture import RecodingView, recoding_view
from sdc.studio.value_counts import ValueCounts
from sdc.web.studio.rooms import BadForm, action

if TYPE_CHECKING:
    from sdc.studio.workbench import Workbench
    from sdc.web.studio.form import Form

ROOM = "protection"


def recoding_shown(view: ProtectionView, variable: str) -> dict[str, Any]:
    """What the panel of one variable shows; only the choice of variables where none is chosen."""
    opened = view.opened
    if (
        opened.reading is None
        or opened.place is None
        or candidate_edits.steps(view.text, view.chosen) is None
    ):
        return {"variables": [], "variable": "", "picture": None, "option": {}, "lines": ""}
    variables = [
        name for name, plan in opened.reading.profile.variables.items() if plan.role not in LEFT_BEHIND
    ]
    shown: dict[str, Any] = {
        "variables": variables,
        "variable": "",
        "picture": None,
        "option": {},
        "lines": "",
    }
    if variable not in variables:
        return shown
    found = ValueCounts.of(opened.place, opened.reading.profile, variable)
    option = candidate_edits.recode_at(view.text, view.chosen, variable)[1]
    picture: RecodingView = recoding_view(found, _with_list(opened, view.chosen, variable, option))
    few = len(found.texts) <= recoding.MOST_BORDERS and not picture.is_numeric and not picture.is_date
    lines = recoding.as_lines(option.get("hierarchy"), found) if few else ""
    return {**shown, "variable": variable, "picture": picture, "option": option, "lines": lines}


def _with_list(opened: OpenProfile, name: str, variable: str, option: dict[str, Any]) -> dict[str, Any]:
    """The recoding with its hierarchy, where that stands in a file of its own."""
    steps = opened.reading.profile.candidates.get(name, ()) if opened.reading is not None else ()
    if not isinstance(option.get("hierarchy"), str):
        return option
    held = [step.options.get(variable) for step in steps if step.method == candidate_edits.RECODE]
    return next((dict(each) for each in held if isinstance(each, dict)), option)


def _counted(workbench: Workbench, form: Form) -> tuple[ValueCounts, dict[str, Any]]:
    """The variable of a form, counted, and how it is recoded now."""
    opened, variable = OpenProfile.of(workbench, open_profile.PATIENCE), form.get("variable")
    if opened.reading is None or opened.place is None:
        raise BadForm(opened.problem.rstrip("."))
    plan = opened.reading.profile.variables.get(variable)
    if plan is None or plan.role in LEFT_BEHIND:
        raise BadForm("there is no such variable among those that are released")
    option = candidate_edits.recode_at(workbench.profile_text, form.get("candidate"), variable)[1]
    return ValueCounts.of(opened.place, opened.reading.profile, variable), option


def _write(workbench: Workbench, form: Form, option: dict[str, Any]) -> None:
    text = workbench.profile_text
    candidate_edits.set_recode(
        text, form.get("candidate"), form.get("variable"), option, expected=form.expected
    )


@action(ROOM, "recode-width")
def recode_width(workbench: Workbench, form: Form) -> str | None:
    """Bands of one width, open beyond their ends where these are given."""
    found, _ = _counted(workbench, form)
    asked = {"width": form.get("width"), "start": form.get("start")}
    asked |= {"bottom": form.get("bottom"), "top": form.get("top")}
    numbers = {key: recoding.number(text, key) for key, text in asked.items() if text.strip()}
    option = {key: int(value) if value.is_integer() else value for key, value in numbers.items()}
    if option.get("start") == 0:
        del option["start"]
    _write(workbench, form, recoding.checked(option, found))
    return None


@action(ROOM, "recode-border")
def recode_border(workbench: Workbench, form: Form) -> str | None:
    """One border elsewhere, one more, or one less."""
    found, option = _counted(workbench, form)
    edges = recoding.borders(option, found)
    if form.get("do") == "add":
        made = recoding.added(edges, recoding.number(form.get("to"), "a border"))
    elif form.get("do") == "remove":
        made = recoding.taken_out(edges, form.whole("border"))
    else:
        made = recoding.moved(edges, form.whole("border"), recoding.number(form.get("to"), "a border"))
    _write(workbench, form, recoding.checked(made, found))
    return None


@action(ROOM, "recode-join")
def recode_join(workbench: Workbench, form: Form) -> str | None:
    found, option = _counted(workbench, form)
    made = recoding.joined(option, found, form.getlist("label"), form.get("name"))
    _write(workbench, form, recoding.checked(made, found))
    return None


@action(ROOM, "recode-part")
def recode_part(workbench: Workbench, form: Form) -> str | None:
    found, option = _counted(workbench, form)
    made = recoding.parted(option, form.get("label"))
    _write(workbench, form, recoding.checked(made, found) if made else {})
    return None


@action(ROOM, "recode-simple")
def recode_simple(workbench: Workbench, form: Form) -> str | None:
    """Leading digits of codes, or periods of days."""
    found, _ = _counted(workbench, form)
    option: dict[str, Any] = (
        {"period": form.get("period")} if form.get("period") else {"digits": form.whole("digits")}
    )
    _write(workbench, form, recoding.checked(option, found))
    return None


@action(ROOM, "recode-hierarchy")
def recode_hierarchy(workbench: Workbench, form: Form) -> str | None:
    """A hierarchy as it was typed, or one that is there at another level."""
    found, option = _counted(workbench, form)
    chain = recoding.hierarchy_of(form.get("lines"), found) if "lines" in form else option.get("hierarchy")
    if not chain:
        raise BadForm("write a hierarchy first: a line for each value")
    made = {"hierarchy": chain, "level": form.whole("level")}
    opened = OpenProfile.of(workbench)
    listed = _with_list(opened, form.get("candidate"), form.get("variable"), made)
    recoding.checked({**listed, "level": made["level"]}, found)
    _write(workbench, form, made)
    return None


@action(ROOM, "recode-none")
def recode_none(workbench: Workbench, form: Form) -> str | None:
    _write(workbench, form, {})
    return None
