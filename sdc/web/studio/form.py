"""The fields of a form that a page of the workbench sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException

from sdc.web.form_body import form_body
from sdc.web.studio.rooms import BadForm

if TYPE_CHECKING:
    from starlette.requests import Request

MOST_BYTES = 4 * 1024 * 1024
MOST_FIELDS = 20_000


@dataclass(frozen=True)
class Form:
    """Names and texts in the order they were sent; `expected` is the revision the page was drawn from."""

    fields: tuple[tuple[str, str], ...]

    def get(self, name: str, default: str = "") -> str:
        """The last value of a name."""
        return next((value for key, value in reversed(self.fields) if key == name), default)

    def getlist(self, name: str) -> list[str]:
        return [value for key, value in self.fields if key == name]

    def under(self, prefix: str) -> Iterator[tuple[str, str]]:
        """Fields whose name begins so, without the beginning."""
        return ((key.removeprefix(prefix), value) for key, value in self.fields if key.startswith(prefix))

    def __contains__(self, name: str) -> bool:
        return any(key == name for key, _ in self.fields)

    def whole(self, name: str) -> int:
        """A whole number."""
        try:
            return int(self.get(name))
        except ValueError:
            raise BadForm(f"{name} must be a whole number") from None

    @property
    def expected(self) -> int:
        return self.whole("revision")


async def read_form(request: Request) -> Form:
    data = await form_body(request, MOST_BYTES)
    try:
        fields = parse_qsl(
            data.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"
        )
    except ValueError:
        raise HTTPException(400, "The form could not be read.") from None
    return Form(tuple((key, value.replace("\r\n", "\n")) for key, value in fields))
