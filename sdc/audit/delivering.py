"""Brings a published release to the places its profile names, and completes what was interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sdc.audit.ledger import Ledger
from sdc.audit.record import show
from sdc.errors import CannotDeliver
from sdc.publish.delivery import deliver

if TYPE_CHECKING:
    from sdc.audit.runs import RunRow
    from sdc.run.home import Home


def run_of(home: Home, release: str) -> str:
    """The run of a release that is named by its bundle, its run or the end of the run's id."""
    rows = Ledger(home.ledger).runs()
    named = [row.run for row in rows if row.facts.get("bundle") == release and row.went_out]
    return named[-1] if named else show(home, release).row.run


def deliver_release(home: Home, release: str) -> tuple[str, ...]:
    """Every place the ledger says it goes to, each with the bundle on record; those that have it now."""
    row: RunRow = show(home, run_of(home, release)).row
    places = tuple(map(str, row.facts.get("to", ())))
    if row.state != "published":
        raise CannotDeliver(", ".join(places) or "anywhere", f"run {row.run} is {row.state}")
    bundle = Path(row.facts["outbox"]) / str(row.facts["bundle"])
    if not bundle.is_dir():
        raise CannotDeliver(", ".join(places), f"bundle {bundle.name} is no longer in its outbox")
    for place in places:
        deliver(bundle, place, str(row.facts.get("layout", "plain")))
    return places
