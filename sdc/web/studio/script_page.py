"""The room of scripts: a candidate as a Python or R script, to be read and taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import PlainTextResponse

from sdc.errors import SdcError
from sdc.run.plain_words import told
from sdc.studio.open_profile import own_reading
from sdc.studio.protection import chosen_candidate
from sdc.studio.r_script import RScript, r_script
from sdc.studio.scripts import python_script
from sdc.web.studio.frame import STUDIO_HEADERS
from sdc.web.studio.rooms import BadForm, part, room

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from sdc.studio.workbench import Workbench

ROOM = "scripts"
LANGUAGES = {"python": "py", "r": "R"}


@room(ROOM, "Scripts", order=8)
def scripts(workbench: Workbench, request: Request) -> Mapping[str, Any]:
    names, chosen, language = _asked(workbench, request)
    text, without, problem = "", tuple[str, ...](), ""
    try:
        text, without = _script(workbench, chosen, language) if chosen else ("", ())
    except SdcError as error:
        problem = told(error)
    return {
        "names": names,
        "chosen": chosen,
        "language": language,
        "text": text,
        "without": without,
        "problem": problem,
    }


@part(ROOM, "file")
def file(workbench: Workbench, request: Request) -> Response:
    """The script as a file."""
    _, chosen, language = _asked(workbench, request)
    if not chosen:
        raise BadForm("no candidate is understood yet")
    text, _ = _script(workbench, chosen, language)
    kept = f'attachment; filename="{chosen}.{LANGUAGES[language]}"'
    return PlainTextResponse(text, headers={**STUDIO_HEADERS, "content-disposition": kept})


def _asked(workbench: Workbench, request: Request) -> tuple[list[str], str, str]:
    try:
        names = list(own_reading(workbench).understood)
    except SdcError:
        # The text is not YAML: the page says so beside it.
        names = []
    language = request.query_params.get("language", "python")
    chosen = chosen_candidate(names, request.query_params.get("candidate", ""))
    return names, chosen, language if language in LANGUAGES else "python"


def _script(workbench: Workbench, name: str, language: str) -> tuple[str, tuple[str, ...]]:
    profile = own_reading(workbench).profile
    if language == "python":
        return python_script(profile, name, workbench.path), ()
    made: RScript = r_script(profile, name, workbench.path)
    return made.text, made.without
