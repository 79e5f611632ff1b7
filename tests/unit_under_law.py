"""Names the unit a failed law is about: its file, and the options it was given."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from sdc.catalogue.registry import CatalogueEntry, measures, methods
from sdc.catalogue.synthesis_models import models

ROOT = Path(__file__).parents[1]


def units() -> dict[str, CatalogueEntry]:
    return {**models(), **methods(), **measures()}


def place(entry: CatalogueEntry, options: Mapping[str, Any] | None = None) -> str:
    """The file of a unit from the root of the project, and the options it was given."""
    file = Path(entry.file)
    named = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
    given = getattr(entry, "example", {}) if options is None else options
    return f"{named}, with {dict(given) or 'its defaults'}"


def name_the_unit(item: pytest.Item, report: pytest.TestReport) -> None:
    """A section of the report of a failed law: which file to open."""
    given = getattr(item, "callspec", None)
    name = given.params.get("name") if given else None
    if report.failed and isinstance(name, str) and name in units():
        report.sections.append(("The unit", place(units()[name], given.params.get("options"))))
