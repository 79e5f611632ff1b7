"""Says which files with how many records leave to which outbox: before a decision, and after it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from sdc.audit.subjects import leaving
from sdc.report import wording
from sdc.spelling import counted

if TYPE_CHECKING:
    from sdc.audit.record import RunView


def would_leave(view: RunView) -> str:
    """What an approval that is the last one sends out; a button says of which candidate, with its records."""
    formats = f" as {wording.listed(_formats(view))}" if _formats(view) else ""
    place = f" in the outbox “{_outbox(view)}”" if _outbox(view) else ""
    return f"The last approval publishes its stored file{formats}{place}."


def has_left(view: RunView) -> str:
    """What a decision has sent out, by name: candidate, records, files of data, bundle and outbox."""
    name, facts = leaving(view), view.row.facts
    rows = next((held["rows"] for held in _candidates(view) if held["name"] == name), None)
    endings = tuple(f".{each}" for each in _formats(view))
    files = [file for file in sorted(facts.get("outputs") or {}) if endings and file.endswith(endings)]
    data = [file for file in files if not file.startswith("dictionary")]
    said = [f"“{name}”", *([counted(rows, "record")] if rows is not None else [])]
    held = f" as {wording.listed(data)}" if data else ""
    outbox = _outbox(view)
    place = f" in {facts.get('bundle', '')}{f', outbox “{outbox}”' if outbox else ''}"
    return f"approved and published {', '.join(said)}{held}{place}"


def _candidates(view: RunView) -> list[Mapping[str, Any]]:
    return list((view.record or {}).get("candidates", ()))


def _formats(view: RunView) -> list[str]:
    plan = (view.record or {}).get("profile", {}).get("plan", {})
    return [str(each) for each in (plan.get("publish") or {}).get("formats", ())]


def _outbox(view: RunView) -> str:
    """The name of the outbox, without its place on the disk."""
    return PurePath(str(view.row.facts.get("outbox", ""))).name
