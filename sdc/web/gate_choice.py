"""Says which candidate of a sealed record the gate chose, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdc.gate.choice import closest
from sdc.gate.decision import Decision


def in_focus(record: Mapping[str, Any]) -> str:
    """The candidate the gate chose, else the one nearest to leaving: what its report is about."""
    decisions = [
        Decision.from_record(held["name"], held["findings"]) for held in record.get("candidates", ())
    ]
    nearest = closest(decisions)
    return str(record.get("chosen") or (nearest.candidate if nearest else ""))


def because(record: Mapping[str, Any]) -> str:
    """Why the gate chose its candidate, as its report says; empty where it chose none or had only one.

    A record of an earlier version does not say it.
    """
    several = len(record.get("candidates", ())) > 1
    return str(record.get("choice", "")) if several and record.get("chosen") else ""
