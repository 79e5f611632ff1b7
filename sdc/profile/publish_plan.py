"""The keys of `publish`, their types and defaults."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import PlainValidator
from pydantic_core import PydanticKnownError

from sdc.catalogue.writers import writers
from sdc.profile.strict import Plan

Copy = TypeVar("Copy")


def _known_published(name: Any) -> str:
    if name in writers():
        return str(name)
    raise PydanticKnownError("literal_error", {"expected": ", ".join(map(repr, writers()))})


SYNTHESIS = "synthesis"
"""The column that numbers stacked syntheses, and what the names of single ones begin with."""
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
    syntheses: Literal["each", "stacked", "first"] = "each"
    to: tuple[str, ...] = ()
    layout: Literal["plain", "git", "ckan", "nada"] = "plain"
    publisher: str = ""
    contact: str = ""
    licence: str = ""

    def leaving(self, copies: Sequence[Copy]) -> Sequence[Copy]:
        """Those of a candidate's syntheses that leave: all, or the first alone."""
        return copies[:1] if self.syntheses == "first" else copies
