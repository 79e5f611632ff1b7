"""The room Data: which file is read, what was found in it and why, and how it is read otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.catalogue.readers import find_reader, reader_of, readers
from sdc.errors import SdcError
from sdc.ingest.readers.csv_dialect import SEPARATORS
from sdc.ingest.readers.file_kind import words_for
from sdc.studio import source_edits
from sdc.studio.found_file import ENCODING_REASONS, SEPARATOR_WORDS, FoundFile
from sdc.studio.jobs import JobState
from sdc.web.studio.frame import part_page
from sdc.web.studio.rooms import BadForm, action, part, room
from sdc.web.studio.waiting import PATIENCE, when_done

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from sdc.studio.jobs import Job
    from sdc.studio.workbench import Workbench
    from sdc.web.studio.form import Form

READING = "reading the file"
DICTIONARIES = (".xml", ".json", ".csv", ".sps")


@room("data", "Data", order=1)
def data(workbench: Workbench, _request: Request) -> Mapping[str, Any]:
    text = workbench.profile_text
    held = text.at(source_edits.section(text))
    source = held if isinstance(held, dict) else {}
    named = str(source.get("path", ""))
    found = workbench.found_already()
    return {
        "source": source,
        "told": lambda key: _told(source, key),
        "format": (form := _format(named, source.get("format"))),
        "has_tables": find_reader(form).has_tables,
        "formats": [(name, words_for(name)) for name in readers()],
        "separators": [(mark, SEPARATOR_WORDS[mark]) for mark in SEPARATORS],
        "encodings": list(ENCODING_REASONS),
        "found": found,
        "gap": _gap(workbench, found) if found else None,
        "files": workbench.folders.data(),
        "dictionaries": workbench.folders.ending(*DICTIONARIES),
        "roots": [root.name or str(root) for root in workbench.folders.roots],
        "problem": workbench.opening_problem,
    }


def _told(source: Mapping[str, Any], key: str) -> Any:
    """What the profile says of a key; nothing where it says what cannot be."""
    usual = source_edits.usual(key)
    held = source.get(key, usual)
    if key in source_edits.LISTS:
        return [str(each) for each in held] if isinstance(held, list) else usual or []
    return held


def _format(named: str, form: Any) -> str:
    try:
        return reader_of(Path(named), form if isinstance(form, str) else None).name
    except SdcError:
        return "csv"


def _gap(workbench: Workbench, found: FoundFile) -> tuple[list[str], list[str]]:
    """Columns the profile does not declare, and variables the file does not have."""
    declared = workbench.profile_text.at(("variables",)) or {}
    source = workbench.profile_text.at(("source",))
    source = source if isinstance(source, dict) else {}
    derived = source.get("derived") or {}
    asked = _told(source, "columns") or list(found.columns)
    more = [name for name in asked if name not in declared]
    return more, [
        name
        for name in declared
        if name not in found.columns and name not in derived and "households" not in source
    ]


def reading(workbench: Workbench) -> Job:
    """The work that reads the file and counts its columns."""

    def work(progress: Callable[..., None], _cancelled: Callable[[], bool]) -> FoundFile:
        progress(0.1, "counting its columns")
        return workbench.found()

    return workbench.jobs.wanted(READING, workbench.subject(), work)


@part("data", "found")
def found_part(workbench: Workbench, request: Request) -> Response:
    """What was found in the file, once it is read."""
    job = reading(workbench)
    job.done.wait(PATIENCE)
    if job.state is JobState.FAILED:
        return part_page("studio/data_unread.html", sentence=job.error)
    gap = _gap(workbench, job.result) if job.state is JobState.DONE else None
    return when_done(job, request, "studio/data_found.html", gap=gap)


@action("data", "source")
def source(workbench: Workbench, form: Form) -> str | None:
    """What a form says about how the file is read."""
    told: dict[str, Any] = {key: form.get(key) for key in source_edits.TEXTS if key in form}
    if "separator" in told and told["separator"] == "other":
        told["separator"] = form.get("other_separator")
    told |= {key: _listed(form.get(key)) for key in source_edits.LISTS if key in form}
    if "missing_codes" in told:
        told["missing_codes"] = ["", *(code for code in told["missing_codes"] if code)]
    if "holdout_share" in form:
        told["holdout_share"] = _share(form.get("holdout_share"))
    if "chosen_columns" in form:
        told["columns"] = form.getlist("column")
    source_edits.set_source(workbench, told, form.expected)
    return None


def _listed(said: str) -> list[str]:
    return [each.strip() for each in said.split(",") if each.strip()]


def _share(said: str) -> float | None:
    try:
        return float(said) or None if said.strip() else None
    except ValueError:
        raise BadForm("the share held out must be a number such as 0.1") from None


@action("data", "choose")
def choose(workbench: Workbench, form: Form) -> str:
    """Another file, drafted anew or read as the profile says."""
    folder, _, name = form.get("file").partition("/")
    path = workbench.folders.chosen(int(folder) if folder.isdigit() else -1, name)
    if form.get("how") == "use":
        source_edits.use_file(workbench, path, form.expected)
        return f"The profile reads {path.name} now."
    source_edits.draft_anew(workbench, path, form.expected)
    return f"This is a first profile of {path.name}. Undo brings back what was here."


@action("data", "draft")
def redraft(workbench: Workbench, form: Form) -> str:
    """The draft of the file that is read now, with a dictionary or a file of households beside it."""
    beside = {}
    for key in ("dictionary", "households", "layout"):
        folder, _, name = form.get(key).partition("/")
        if name:
            beside[key] = workbench.folders.chosen(int(folder) if folder.isdigit() else -1, name)
    path = source_edits.source_path(workbench)
    source_edits.draft_anew(
        workbench, path, form.expected, keeping=True, key=form.get("key") or None, **beside
    )
    return f"Every variable of {path.name} was guessed anew. Undo brings back what was here."
