"""Renders the review pages as HTML in the style of the report: no script, a style sheet of the same host."""

from __future__ import annotations

from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.responses import HTMLResponse


ENTRANCE: ContextVar[str] = ContextVar("entrance", default="/")
"""Where the application begins that answers this request."""


@cache
def environment() -> Environment:
    """Templates of the pages and of the report; escaping always on, a name that is not there an error."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    loader = ChoiceLoader([PackageLoader("sdc.web"), PackageLoader("sdc.report")])
    made = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals["entrance"] = ENTRANCE.get
    return made


def render(template: str, **shown: Any) -> str:
    return environment().get_template(template).render(**shown)


def page(template: str, status: int = 200, **shown: Any) -> HTMLResponse:
    from starlette.responses import HTMLResponse

    return HTMLResponse(render(template, **shown), status_code=status)


@cache
def style() -> str:
    """The report's style sheet and what the pages add to it."""
    return "\n".join(environment().get_template(name).render() for name in ("style.css", "review.css"))


@cache
def icon() -> str:
    return environment().get_template("icon.svg").render()
