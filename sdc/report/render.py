"""Renders a view as one HTML file that needs nothing else: no script, no font, no request."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from jinja2 import Environment

    from sdc.report.views import ReportView

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


@cache
def environment() -> Environment:
    """The templates of the package: escaping always on, a name that is not there an error."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("sdc.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = made.get_template("style.css").render()
    made.globals.update(policy=POLICY, style=Markup(style))  # noqa: S704 - the package's own style sheet
    return made


def render(view: ReportView) -> str:
    """The report as a page of its own."""
    return environment().get_template("report.html").render(view=view)
