"""Checks, under the lock of the ledger, that nothing keeps a run from leaving at the last moment."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.audit.earlier_releases import releases
from sdc.audit.ledger import Entry, folded
from sdc.errors import CannotPublish
from sdc.run import digest

if TYPE_CHECKING:
    from sdc.run.directory import RunDirectory


def require_open(entries: Sequence[Entry], run: str, outbox: Path) -> None:
    """CannotPublish where the run has its ending: people may say no while its bundle is made."""
    row = next((row for row in folded(tuple(entries)) if row.run == run), None)
    if row is not None and row.state not in ("running", "referred"):
        raise CannotPublish(outbox, f"run {run} is {row.state}")
    if row is not None and row.facts.get("outbox") != str(outbox):
        raise CannotPublish(outbox, f"the outbox of run {run} is another one by the ledger")


def require_same_history(
    entries: Sequence[Entry], directory: RunDirectory, family: str, sha256: str | None, outbox: Path
) -> None:
    """CannotPublish where a release of the family came after this one was measured against those before it.

    `sha256` is that of the list of those before, None where the run did not look back.
    """
    place = directory.earlier
    if sha256 is None:
        return
    held = place.read_bytes() if place.is_file() else b""
    if digest.of_bytes(held) != sha256:
        raise CannotPublish(outbox, f"{place.name} of run {directory.run} was altered")
    known = [release.run for release in releases(entries, family, besides=directory.run)]
    if known != json.loads(held):
        raise CannotPublish(
            outbox,
            "releases of the same family came out since this one was measured against those before; run"
            " it again",
        )
