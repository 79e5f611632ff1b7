"""Draws the frame of the workbench: stepper, room, the profile's text, undo, redo and save."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from starlette.responses import HTMLResponse

from sdc.studio.kept_text import DiskState
from sdc.studio.tour import TOUR, TourStep
from sdc.web.render import render
from sdc.web.studio.rooms import Room, rooms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

    from sdc.studio.remarks import Remark, Remarks
    from sdc.studio.workbench import Workbench

STUDIO_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src"
    " 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""As of the review pages, and scripts of this host: htmx parses what it is sent, so types are not trusted."""
STUDIO_HEADERS = {"content-security-policy": STUDIO_POLICY}


@dataclass(frozen=True)
class PageNotice:
    """A sentence about what was just done, or why it was not."""

    sentence: str
    refused: bool = False
    typed: str | None = None
    """A text of the profile that came too late to be taken over."""


@dataclass(frozen=True)
class TextLine:
    """A line of the profile's text."""

    number: int
    text: str
    changed: bool
    remarks: Sequence[Remark]


@dataclass(frozen=True)
class StepperEntry:
    """A room in the stepper, and how many faults belong to it."""

    room: Room
    number: int
    faults: int
    here: bool


@dataclass(frozen=True)
class Frame:
    """What every page of the workbench shows around its room."""

    workbench: Workbench
    here: Room
    csrf: str
    remarks: Remarks
    notice: PageNotice | None = None

    @property
    def revision(self) -> int:
        return self.workbench.profile_text.revision

    @property
    def profile(self) -> Any:
        return self.workbench.profile_text

    @property
    def typed(self) -> str | None:
        """A text of the profile that was typed and not taken over."""
        return self.notice.typed if self.notice is not None else None

    @property
    def disk(self) -> DiskState:
        return self.profile.on_disk()  # type: ignore[no-any-return]

    @property
    def changed_on_disk(self) -> bool:
        return self.disk is DiskState.CHANGED

    @property
    def steps(self) -> list[StepperEntry]:
        return [
            StepperEntry(
                each,
                number,
                sum(not remark.is_note for remark in self.remarks.of_room(each.name)),
                each is self.here,
            )
            for number, each in enumerate(rooms(), start=1)
        ]

    @property
    def tour(self) -> TourStep | None:
        """What the guided tour says about this room, while it lasts."""
        return TOUR.get(self.here.name) if self.workbench.touring else None

    @property
    def number(self) -> int:
        return rooms().index(self.here) + 1

    @property
    def after(self) -> Room | None:
        """The next room."""
        known = rooms()
        position = known.index(self.here)
        return known[position + 1] if position + 1 < len(known) else None

    @property
    def lines(self) -> list[TextLine]:
        remarks, changed = self.remarks.by_line(), self.profile.changed_lines
        return [
            TextLine(number, text, number in changed, remarks.get(number, ()))
            for number, text in enumerate(self.profile.text.splitlines(), start=1)
        ]


def room_page(frame: Frame, shown: Mapping[str, Any], *, whole: bool, status: int = 200) -> HTMLResponse:
    """A room in its frame; only the parts that change where htmx asks for them."""
    template = "studio/page.html" if whole else "studio/swapped.html"
    html = render(template, frame=frame, body=frame.here.template, **shown)
    return HTMLResponse(html, status_code=status, headers=STUDIO_HEADERS)


def refusal(frame: Frame, status: int) -> HTMLResponse:
    """Why a form was refused; the room and what was typed in it stay as they are."""
    headers = {**STUDIO_HEADERS, "hx-reswap": "none"}
    return HTMLResponse(render("studio/refusal.html", frame=frame), status_code=status, headers=headers)


def part_page(template: str, status: int = 200, **shown: Any) -> HTMLResponse:
    """A part of a room by itself."""
    return HTMLResponse(render(template, **shown), status_code=status, headers=STUDIO_HEADERS)


def is_partial(request: Request) -> bool:
    """Does htmx ask, for the parts that change?"""
    return request.headers.get("hx-request") == "true"
