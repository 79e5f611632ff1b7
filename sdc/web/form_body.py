"""Reads the body of a form: nothing else, not more than a form needs, and not longer than patience lasts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from starlette.requests import Request

FORM_SECONDS = 20


async def form_body(request: Request, most_bytes: int) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0] != "application/x-www-form-urlencoded":
        raise HTTPException(400, "A form was expected.")
    data = bytearray()
    try:
        async with asyncio.timeout(FORM_SECONDS):
            async for chunk in request.stream():
                data += chunk
                if len(data) > most_bytes:
                    raise HTTPException(413, "The form is too long.")
    except TimeoutError:
        raise HTTPException(408, "The form took too long to come.") from None
    return bytes(data)
