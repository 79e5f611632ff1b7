"""Checks every request and adds strict headers to every answer.

It checks the host and the session, and writes a line to the log without secrets.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote

from sdc.errors import SdcError, StepFailed, redacted
from sdc.web.render import ENTRANCE, render

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from sdc.web.access import Sessions

PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-src 'self'; form-action 'self'; base-uri"
    " 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
)
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'self'; sandbox"
)
HEADERS = {
    "content-security-policy": PAGE_POLICY,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
REPORT_HEADERS = {"content-security-policy": REPORT_POLICY, "x-frame-options": "SAMEORIGIN"}
OPEN = frozenset({"/style.css", "/icon.svg"})
"""What the page that says no needs itself; nothing of a run is in it."""
NO_SESSION = (
    "Open the address that sdc serve or sdc studio printed when it started; it lets this browser in for"
    " twelve hours."
)


def log_to_stderr(line: str) -> None:
    sys.stderr.write(f"{line}\n")


class Guard:
    """The application behind its checks."""

    def __init__(
        self,
        app: ASGIApp,
        access: Sessions,
        log: Callable[[str], None] = log_to_stderr,
        entrance: str = "/",
    ) -> None:
        self._app, self._access, self._log, self._entrance = app, access, log, entrance

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, answered = time.monotonic(), [0]
        ENTRANCE.set(self._entrance)

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered[0] = message["status"]
                given = [pair for pair in message.get("headers", []) if pair[0].lower() != b"server"]
                present = {name.lower() for name, _ in given}
                given += [
                    (name.encode(), value.encode())
                    for name, value in HEADERS.items()
                    if name.encode() not in present
                ]
                message = {**message, "headers": given}
            await send(message)

        try:
            with redacted("a page"):
                await self._checked(scope, receive, sealed)
        except SdcError as error:
            if not answered[0]:
                await _page(500, "This did not work", "Something broke inside; nothing was changed by it.")(
                    scope, receive, sealed
                )
            self._log(f"error {error.kind if isinstance(error, StepFailed) else type(error).__name__}")
        finally:
            self._log(
                f"{scope['method']} {quote(scope['path'])} {answered[0]}"
                f" {1000 * (time.monotonic() - started):.0f} ms"
            )

    async def _checked(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.responses import RedirectResponse

        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        if headers.get("host", "").lower() not in self._access.names:
            await _page(421, "Another name", "This server answers only to the address it was started with.")(
                scope, receive, send
            )
            return
        said = parse_qs(scope["query_string"].decode("latin-1")).get("token")
        if said and scope["path"] == "/" and scope["method"] == "GET" and self._access.is_token(said[0]):
            answer = RedirectResponse(self._entrance, status_code=303)
            answer.set_cookie(
                self._access.cookie, self._access.begin(), httponly=True, samesite="strict", path="/"
            )
            await answer(scope, receive, send)
            return
        session = self._access.session(headers.get("cookie", ""))
        if said or (session is None and scope["path"] not in OPEN):
            await _page(401, "Not let in", NO_SESSION)(scope, receive, send)
            return
        scope["session"] = session
        await self._app(scope, receive, send)


def _page(status: int, heading: str, sentence: str) -> ASGIApp:
    from starlette.responses import HTMLResponse

    return HTMLResponse(
        render("message.html", heading=heading, sentence=sentence, inside=False), status_code=status
    )
