"""Reads the fields of a form that a page of this server sent, and nothing else."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from starlette.requests import Request

    from sdc.web.access import Sessions

MOST_BYTES = 64 * 1024
FORM_SECONDS = 20


async def own_form(request: Request, access: Sessions) -> dict[str, str]:
    """The fields, if a page of this server and session sent them."""
    form = await _form(request)
    own = access.is_own_form(request.headers.get("origin", ""), request.headers.get("sec-fetch-site", ""))
    if not own or not access.is_form_token(request.scope["session"], form.get("csrf", "")):
        raise HTTPException(
            403, "The form did not come from a page of this server and session; open the run again."
        )
    return form


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form; nothing else is read, and not more than a form needs."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/x-www-form-urlencoded":
        raise HTTPException(400, "A form was expected.")
    data = b""
    try:
        async with asyncio.timeout(FORM_SECONDS):
            async for chunk in request.stream():
                data += chunk
                if len(data) > MOST_BYTES:
                    raise HTTPException(413, "The form is too long.")
    except TimeoutError:
        raise HTTPException(408, "The form took too long to come.") from None
    try:
        return dict(
            parse_qsl(data.decode("ascii"), keep_blank_values=True, max_num_fields=20, errors="strict")
        )
    except ValueError:
        raise HTTPException(400, "The form could not be read.") from None
