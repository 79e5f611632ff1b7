"""The addresses of the review pages: runs, one run, its report and record, two runs, a decision."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from sdc.audit.approval import APPROVE, MOST_DAYS, REJECT, RETURN
from sdc.audit.remarks import COMMENT, CONDITION
from sdc.errors import CannotApprove, SdcError
from sdc.run.plain_words import told
from sdc.web.decide import DecisionForm, Decisions
from sdc.web.guard import REPORT_HEADERS
from sdc.web.inbox import inbox
from sdc.web.ledger_state import Book, LedgerReader
from sdc.web.listing import ListRequest, listed
from sdc.web.own_form import own_form
from sdc.web.record_pages import record_routes
from sdc.web.record_view import nodes
from sdc.web.render import icon, page, style
from sdc.web.run_files import ReportState, report_of
from sdc.web.run_page import run_page, run_view
from sdc.web.series import families, series
from sdc.web.two_runs import two_runs
from sdc.web.what_if import what_if

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.routing import BaseRoute

    from sdc.audit.record import RunView
    from sdc.run.home import Home
    from sdc.studio.workbench import Workbench
    from sdc.web.access import Sessions

LOOK_AGAIN_SECONDS = 1
HEADINGS = {
    400: "Not understood",
    403: "Refused",
    404: "Not here",
    405: "Not that way",
    408: "Too slow",
    413: "Too long",
}


@dataclass(frozen=True)
class Pages:
    """What the pages are made from."""

    home: Home
    access: Sessions
    reader: LedgerReader
    decisions: Decisions

    def runs(self, request: Request) -> Response:
        book = self.reader.book()
        return page(
            "runs.html",
            list=listed(book, ListRequest.of(request.query_params)),
            inbox=inbox(self.home, book, self.access.signer(request.scope["session"]).name),
            families=families(book),
        )

    def series(self, request: Request) -> Response:
        found = series(self.home, self.reader.book(), request.path_params["family"])
        if found is None:
            raise HTTPException(404, "The ledger has no release of this name.")
        return page("series.html", view=found)

    def what_if(self, request: Request) -> Response:
        _, view = self.found(request)
        if view.record is None:
            raise HTTPException(
                404, "The sealed record of this run is not here, or not the one the ledger knows."
            )
        return page("what_if.html", view=what_if(view, request.query_params))

    def run(self, request: Request) -> Response:
        book, view = self.found(request)
        signer = self.access.signer(request.scope["session"])
        ended = self.decisions.ended(view.row.run, signer)
        shown = run_page(self.home, book, view)
        filled = ended[-1].asked if ended and ended[-1].refused else DecisionForm(by=signer.name or "")
        token = self.access.form_token(request.scope["session"])
        return page(
            "run.html",
            view=shown,
            chain=book.chain,
            csrf=token,
            notices=ended,
            filled=filled,
            most_days=MOST_DAYS,
        )

    def report(self, request: Request) -> Response:
        _, view = self.found(request)
        state, data = report_of(self.home, view)
        if state is not ReportState.SEALED:
            raise HTTPException(404, state.value)
        return HTMLResponse(data, headers=REPORT_HEADERS)

    def record(self, request: Request) -> Response:
        _, view = self.found(request)
        if view.record is None:
            raise HTTPException(
                404, "The sealed record of this run is not here, or not the one the ledger knows."
            )
        return page(
            "record.html", run=view.row.run, sha256=view.row.facts["record"], nodes=nodes(view.record)
        )

    def compare(self, request: Request) -> Response:
        """Two runs by name: `before` and `after`, or `run` twice, the earlier first."""
        query, book = request.query_params, self.reader.book()
        named = [query[name] for name in ("before", "after") if query.get(name)]
        chosen = list(dict.fromkeys(query.getlist("run")))
        if len(named) != 2 and len(chosen) != 2:
            return page(
                "choose.html",
                400,
                sentence=(
                    f"Two runs are compared; {len(chosen)} {'was' if len(chosen) == 1 else 'were'} chosen."
                ),
            )
        views = [self._view(book, run) for run in (named if len(named) == 2 else chosen)]
        before, after = (
            views if len(named) == 2 else sorted(views, key=lambda view: (view.row.started, view.row.run))
        )
        return page("compare.html", view=two_runs(book, before, after))

    async def decide(self, request: Request) -> Response:
        """Take the form, if a page of ours sent it; the page this leads to shows the result."""
        form = await own_form(request, self.access)
        try:
            asked = DecisionForm.of(form)
        except CannotApprove as wrong:
            raise HTTPException(400, f"{str(wrong).capitalize()}.") from None
        if asked.decision not in (APPROVE, REJECT, RETURN, COMMENT, CONDITION):
            raise HTTPException(400, "A decision is to approve, to reject or to return; or say something.")
        _, view = await run_in_threadpool(self.found, request)
        self.decisions.take(view.row.run, asked, self.access.signer(request.scope["session"]))
        return RedirectResponse(f"/runs/{view.row.run}/decision", status_code=303)

    def waiting(self, request: Request) -> Response:
        _, view = self.found(request)
        signer = self.access.signer(request.scope["session"])
        job = self.decisions.under_way(view.row.run, signer)
        if job is not None and job.done.wait(LOOK_AGAIN_SECONDS):
            job = self.decisions.under_way(view.row.run, signer)
        if job is None:
            return RedirectResponse(f"/runs/{view.row.run}", status_code=303)
        answer = page("waiting.html", run=view.row.run, sentence=job.sentence, seconds=job.seconds)
        answer.headers["refresh"] = str(LOOK_AGAIN_SECONDS)
        return answer

    def found(self, request: Request) -> tuple[Book, RunView]:
        book = self.reader.book()
        return book, self._view(book, request.path_params["run"])

    def _view(self, book: Book, run: str) -> RunView:
        """The run of that name in the ledger: what the address says is looked up, never joined to a path."""
        view = run_view(self.home, book, run)
        if view is None:
            raise HTTPException(404, "The ledger has no such run.")
        return view


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    known = error.detail.endswith(".")
    sentence = error.detail if known else "There is no page at this address."
    return page(
        "message.html",
        error.status_code,
        heading=HEADINGS.get(error.status_code, "Not here"),
        sentence=sentence,
        inside=True,
    )


async def _broke(_request: Request, error: Exception) -> Response:
    """The answer to an unexpected error; its own words may quote data and are dropped."""
    sentence = (
        f"{told(error)}."
        if isinstance(error, SdcError)
        else "Something broke inside; nothing was changed by it."
    )
    return page("message.html", 500, heading="This did not work", sentence=sentence, inside=True)


def make_app(
    home: Home, access: Sessions, decisions: Decisions, workbench: Workbench | None = None
) -> Starlette:
    """The application without its guard: the review pages, and the workbench where one is open."""
    pages = Pages(home, access, LedgerReader(home), decisions)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(decisions.close)
        if workbench is not None:
            await run_in_threadpool(workbench.close)

    routes: list[BaseRoute] = [
        Route("/", pages.runs),
        Route("/compare", pages.compare),
        Route("/runs/{run}", pages.run),
        Route("/runs/{run}/report", pages.report),
        Route("/runs/{run}/record", pages.record),
        Route("/runs/{run}/what-if", pages.what_if),
        *record_routes(home, access, pages.found),
        Route("/series/{family}", pages.series),
        Route("/runs/{run}/decision", pages.waiting),
        Route("/runs/{run}/decision", pages.decide, methods=["POST"]),
        Route("/style.css", partial(_file, style, "text/css")),
        Route("/icon.svg", partial(_file, icon, "image/svg+xml")),
    ]
    if workbench is not None:
        from sdc.web.studio.app import studio_routes

        routes += studio_routes(workbench, access)
    return Starlette(
        routes=routes, exception_handlers={HTTPException: _refused, Exception: _broke}, lifespan=lifespan
    )


def _file(content: Any, kind: str, _request: Request) -> Response:
    return Response(content(), media_type=kind)
