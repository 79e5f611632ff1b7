"""Reads the fields of a form that a page of this server sent, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException

from sdc.web.form_body import form_body

if TYPE_CHECKING:
    from starlette.requests import Request

    from sdc.web.access import Sessions

MOST_BYTES = 64 * 1024


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
    data = await form_body(request, MOST_BYTES)
    try:
        return dict(
            parse_qsl(data.decode("ascii"), keep_blank_values=True, max_num_fields=20, errors="strict")
        )
    except ValueError:
        raise HTTPException(400, "The form could not be read.") from None
