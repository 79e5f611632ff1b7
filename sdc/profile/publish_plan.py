"""The keys of `publish`, their types and defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import PlainValidator
from pydantic_core import PydanticKnownError

from sdc.catalogue.writers import writers
from sdc.profile.strict import Plan


def _known_published(name: Any) -> str:
    if name in writers():
        return str(name)
    raise PydanticKnownError("literal_error", {"expected": ", ".join(map(repr, writers()))})


PublishedFormat = Annotated[str, PlainValidator(_known_published)]
"""A format some writer is registered for."""


class Publish(Plan):
    """What leaves the building, and where to."""

    formats: tuple[PublishedFormat, ...] = ("csv", "parquet")
    outbox: Path = Path("outbox")
    formulas: Literal["refer", "escape"] = "refer"
    version: str | None = None
    replaces: str | None = None
    metadata: tuple[Literal["ddi", "csvw", "dcat", "ro_crate", "citation"], ...] = (
        "ddi",
        "csvw",
        "dcat",
        "ro_crate",
        "citation",
    )
    to: tuple[str, ...] = ()
    layout: Literal["plain", "git", "ckan", "nada"] = "plain"
    publisher: str = ""
    contact: str = ""
    licence: str = ""
