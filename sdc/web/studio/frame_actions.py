"""What the frame of the workbench can do in every room: undo, redo, save, edit the text, answer offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.studio.open_profile import reading_records

if TYPE_CHECKING:
    from collections.abc import Callable

    from sdc.studio.workbench import Workbench
    from sdc.web.studio.form import Form


def undo(workbench: Workbench, form: Form) -> str | None:
    workbench.profile_text.undo(expected=form.expected)
    return None


def redo(workbench: Workbench, form: Form) -> str | None:
    workbench.profile_text.redo(expected=form.expected)
    return None


def save(workbench: Workbench, form: Form) -> str:
    workbench.profile_text.save(over=form.get("over") == "yes")
    return f"Saved as {workbench.path.name}."


def text(workbench: Workbench, form: Form) -> str | None:
    """The whole text as it was typed."""
    workbench.profile_text.replace_text(form.get("text"), expected=form.expected, said="edited the text")
    return None


def theirs(workbench: Workbench, form: Form) -> str:
    workbench.profile_text.take_theirs(expected=form.expected)
    return f"{workbench.path.name} is as it is on the disk; undo brings back what was here."


def take_offered(workbench: Workbench, form: Form) -> str:
    workbench.profile_text.take_offered(expected=form.expected)
    return "What was not saved is here again."


def decline_offered(workbench: Workbench, _form: Form) -> str:
    workbench.profile_text.decline_offered()
    return "What was not saved is forgotten."


def cancel(workbench: Workbench, form: Form) -> str:
    """Stop work in the background."""
    job = workbench.jobs.find(form.get("job"))
    if job is not None:
        job.cancel()
        job.done.wait(LET_END)
    return "This was cancelled." if job is not None else "There is nothing of this name under way."


def read(workbench: Workbench, _form: Form) -> None:
    """Read the records, though that was cancelled before."""
    reading_records(workbench, again=True)


def end_tour(workbench: Workbench, _form: Form) -> None:
    workbench.touring = False


def begin_tour(workbench: Workbench, _form: Form) -> None:
    workbench.touring = True


LET_END = 5
"""Seconds to wait until cancelled work has ended."""
FRAME_ACTIONS: dict[str, Callable[[Workbench, Form], str | None]] = {
    "undo": undo,
    "redo": redo,
    "save": save,
    "text": text,
    "theirs": theirs,
    "take-offered": take_offered,
    "decline-offered": decline_offered,
    "cancel": cancel,
    "read": read,
    "end-tour": end_tour,
    "begin-tour": begin_tour,
}
