"""The rooms of the workbench: what each shows, what can be done in it, and its parts that come later.

    @room("data", "Data", order=1)                       # templates/studio/data.html
    def data(workbench, request): return {...}           # what the template shows

    @action("data", "separator")                         # POST /studio/data/separator
    def separator(workbench, form): ...                  # edits; a sentence, or nothing to say

    @part("variables", "risk")                           # GET /studio/variables/part/risk
    def risk(workbench, request): return part_page("studio/variables_risk.html", ...)

`request.state.frame` is the frame of the page a part belongs to: its forms need it.

A module whose name ends in `_page` in this package is found by itself.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from sdc.errors import SdcError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from sdc.studio.workbench import Workbench
    from sdc.web.studio.form import Form

Shown = Callable[["Workbench", "Request"], Mapping[str, Any]]
Act = Callable[["Workbench", "Form"], str | None]
Part = Callable[["Workbench", "Request"], "Response"]


class BadForm(SdcError):
    """A form that says something that cannot be."""


@dataclass(frozen=True)
class Room:
    """One step of the way from a file to a release."""

    name: str
    title: str
    order: int
    shown: Shown
    actions: dict[str, Act] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)

    @property
    def template(self) -> str:
        return f"studio/{self.name}.html"


_rooms: dict[str, Room] = {}
_actions: dict[str, dict[str, Act]] = {}
_parts: dict[str, dict[str, Part]] = {}


def room(name: str, title: str, *, order: int) -> Callable[[Shown], Shown]:
    """Register what a room shows."""

    def register(shown: Shown) -> Shown:
        actions, parts = _actions.setdefault(name, {}), _parts.setdefault(name, {})
        _rooms[name] = Room(name, title, order, shown, actions, parts)
        return shown

    return register


def action(of: str, name: str) -> Callable[[Act], Act]:
    """Register what a form of a room does; an SdcError it raises is said on the page."""

    def register(act: Act) -> Act:
        _actions.setdefault(of, {})[name] = act
        return act

    return register


def part(of: str, name: str) -> Callable[[Part], Part]:
    """Register a part of a room that is asked for by itself."""

    def register(answer: Part) -> Part:
        _parts.setdefault(of, {})[name] = answer
        return answer

    return register


@cache
def rooms() -> tuple[Room, ...]:
    """All rooms in their order."""
    import sdc.web.studio as package

    for module in pkgutil.iter_modules(package.__path__):
        if module.name.endswith("_page"):
            importlib.import_module(f"{package.__name__}.{module.name}")
    return tuple(sorted(_rooms.values(), key=lambda each: each.order))
