"""The page on which a cleared person looks at one record: the form first, the record in its answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.routing import Route

from sdc.audit.remarks import CLEARANCE
from sdc.errors import SdcError
from sdc.run.plain_words import told
from sdc.web.one_record import RecordPage, candidates_to_look_at, look
from sdc.web.own_form import own_form
from sdc.web.render import page

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from sdc.audit.record import RunView
    from sdc.run.home import Home
    from sdc.web.access import Sessions

Found = Callable[[Any], tuple[Any, "RunView"]]


def record_routes(home: Home, access: Sessions, found: Found) -> list[Route]:
    """The addresses of the page; `found` gives the run a request is about."""
    pages = RecordPages(home, access, found)
    place = "/runs/{run}/records"
    return [Route(place, pages.form), Route(place, pages.look, methods=["POST"])]


@dataclass(frozen=True)
class RecordPages:
    """What the page is made from."""

    home: Home
    access: Sessions
    found: Found

    def form(self, request: Request) -> Response:
        _, view = self.found(request)
        return self._page(request, view)

    async def look(self, request: Request) -> Response:
        """One record, shown in the answer to the signed form and at no address of its own."""
        form = await own_form(request, self.access)
        _, view = await run_in_threadpool(self.found, request)
        number = form.get("number", "").strip()
        if number and not (number.isascii() and number.isdigit() and len(number) < 13):
            raise HTTPException(400, "The number of a record is a whole number.")
        by = form.get("by", "").strip()
        try:
            self.access.signer(request.scope["session"]).require(by)
            shown = await run_in_threadpool(self._looked, view, form, int(number) if number else None)
        except SdcError as error:
            return self._page(request, view, refused=f"Not shown: {told(error)}.", by=by)
        self.access.signer(request.scope["session"]).name = by
        return self._page(request, view, shown=shown, by=by)

    def _looked(self, view: RunView, form: dict[str, str], number: int | None) -> RecordPage:
        return look(
            self.home,
            view,
            form.get("candidate", ""),
            number,
            by=form.get("by", "").strip(),
            reason=form.get("reason", ""),
            passphrase=form.get("passphrase", ""),
        )

    def _page(
        self,
        request: Request,
        view: RunView,
        *,
        shown: RecordPage | None = None,
        refused: str = "",
        by: str = "",
    ) -> Response:
        session = request.scope["session"]
        return page(
            "one_record.html",
            400 if refused else 200,
            run=view.row.run,
            view=shown,
            refused=refused,
            role=CLEARANCE,
            candidates=candidates_to_look_at(view.record) if view.record else [],
            csrf=self.access.form_token(session),
            by=by or self.access.signer(session).name or "",
        )
