"""The addresses of the workbench: rooms, their forms and parts, and what the frame itself can do."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from sdc.errors import SdcError, redacted
from sdc.run.plain_words import told
from sdc.studio.kept_text import ChangedOnDisk
from sdc.studio.profile_text import StaleEdit
from sdc.web.render import environment
from sdc.web.studio.form import Form, read_form
from sdc.web.studio.frame import Frame, PageNotice, is_partial, refusal, room_page
from sdc.web.studio.frame_actions import FRAME_ACTIONS
from sdc.web.studio.frame_actions import text as typed_text
from sdc.web.studio.rooms import Act, Room, rooms

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from sdc.studio.workbench import Workbench
    from sdc.web.access import Sessions

ENTRANCE = "/studio/"
REFUSED = 422
SHEETS = ("studio/studio.css", "studio/steps.css")
VENDORED = Path(__file__).parents[1] / "vendored"


@dataclass(frozen=True)
class StudioPages:
    """The workbench behind its addresses."""

    workbench: Workbench
    access: Sessions
    notices: dict[str, PageNotice] = field(default_factory=dict)

    def entrance(self, _request: Request) -> Response:
        return RedirectResponse(f"/studio/{rooms()[0].name}", status_code=303)

    def room(self, request: Request) -> Response:
        found = self._room(request.path_params["room"])
        notice = self.notices.pop(request.scope["session"], None)
        return self._page(request, found, notice, whole=not is_partial(request))

    def part(self, request: Request) -> Response:
        found = self._room(request.path_params["room"])
        answer = found.parts.get(request.path_params["part"])
        if answer is None:
            raise HTTPException(404, "There is no such part of the workbench.")
        request.state.frame = self._frame(request, found)
        with redacted("a part of the page"):
            return answer(self.workbench, request)

    async def act(self, request: Request) -> Response:
        """Do what a form of ours asks for, and show the room as it is then."""
        form = await read_form(request)
        self._require_own(request, form)
        name = request.path_params["action"]
        if request.path_params["room"] == "frame":
            found, done = self._room(form.get("room") or rooms()[0].name), FRAME_ACTIONS.get(name)
        else:
            found = self._room(request.path_params["room"])
            done = found.actions.get(name)
        if done is None:
            raise HTTPException(404, "There is nothing of this name to do.")
        return await run_in_threadpool(self._answer, request, found, done, form)

    def _answer(self, request: Request, found: Room, done: Act, form: Form) -> Response:
        notice, status = self._done(done, form)
        if is_partial(request) and notice is not None and status == REFUSED:
            # What was typed stays in its fields, so that it can be corrected.
            return refusal(self._frame(request, found, notice), status)
        if is_partial(request):
            return self._page(request, found, notice, whole=False, status=status)
        if notice is not None:
            self.notices[request.scope["session"]] = notice
        back = form.get("back") or f"/studio/{found.name}"
        allowed = back.startswith(f"/studio/{found.name}")
        return RedirectResponse(back if allowed else f"/studio/{found.name}", status_code=303)

    def _done(self, done: Act, form: Form) -> tuple[PageNotice | None, int]:
        try:
            with redacted("the edit"):
                sentence = done(self.workbench, form)
        except (StaleEdit, ChangedOnDisk) as stale:
            typed = form.get("text") if done is typed_text else None
            return PageNotice(_said(stale), refused=True, typed=typed), 409
        except SdcError as error:
            return PageNotice(_said(error), refused=True), REFUSED
        return (PageNotice(sentence) if sentence else None), 200

    def _page(
        self, request: Request, found: Room, notice: PageNotice | None, *, whole: bool, status: int = 200
    ) -> Response:
        with redacted("a page of the workbench"):
            shown = found.shown(self.workbench, request)
            return room_page(self._frame(request, found, notice), shown, whole=whole, status=status)

    def _frame(self, request: Request, found: Room, notice: PageNotice | None = None) -> Frame:
        csrf = self.access.form_token(request.scope["session"])
        return Frame(self.workbench, found, csrf, self.workbench.faults(), notice)

    def _require_own(self, request: Request, form: Form) -> None:
        own = self.access.is_own_form(
            request.headers.get("origin", ""), request.headers.get("sec-fetch-site", "")
        )
        if not own or not self.access.is_form_token(request.scope["session"], form.get("csrf")):
            raise HTTPException(
                403, "The form did not come from a page of this server and session; open the page again."
            )

    def _room(self, name: str) -> Room:
        found = next((each for each in rooms() if each.name == name), None)
        if found is None:
            raise HTTPException(404, "The workbench has no such room.")
        return found


def _said(error: SdcError) -> str:
    sentence = told(error)
    return f"{sentence[0].upper()}{sentence[1:].rstrip('.')}."


def studio_routes(workbench: Workbench, access: Sessions) -> list[BaseRoute]:
    pages = StudioPages(workbench, access)
    return [
        Route("/studio/", pages.entrance),
        Route("/studio/studio.css", partial(_file, sheet, "text/css")),
        Route("/studio/htmx.js", partial(_file, htmx, "text/javascript")),
        Route("/studio/studio.js", partial(_file, script, "text/javascript")),
        Route("/studio/{room}", pages.room),
        Route("/studio/{room}/part/{part}", pages.part),
        Route("/studio/{room}/{action}", pages.act, methods=["POST"]),
    ]


def _file(content: Any, kind: str, _request: Request) -> Response:
    return Response(content(), media_type=kind)


@cache
def sheet() -> str:
    known = environment().list_templates()
    return "\n".join(environment().get_template(name).render() for name in SHEETS if name in known)


@cache
def htmx() -> bytes:
    return (VENDORED / "htmx.min.js").read_bytes()


@cache
def script() -> bytes:
    return (VENDORED.parent / "templates" / "studio" / "studio.js").read_bytes()


def integrity(content: bytes) -> str:
    """What a browser compares a script with before it runs it."""
    return f"sha384-{b64encode(hashlib.sha384(content).digest()).decode()}"


environment().globals["integrity_of_htmx"] = lambda: integrity(htmx())
environment().globals["integrity_of_studio"] = lambda: integrity(script())
