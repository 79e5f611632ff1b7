"""Says which candidate of a sealed record the gate chose, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sdc.catalogue.measurement import Assessment
from sdc.gate.choice import choose, closest
from sdc.gate.decision import Decision
from sdc.profile.plan import Preference


def in_focus(record: Mapping[str, Any]) -> str:
    """The candidate the gate chose, else the one nearest to leaving: what its report is about."""
    decisions = [
        Decision.from_record(held["name"], held["findings"]) for held in record.get("candidates", ())
    ]
    nearest = closest(decisions)
    return str(record.get("chosen") or (nearest.candidate if nearest else ""))


def because(record: Mapping[str, Any]) -> str:
    """Why the gate chose its candidate, as its report says; empty where it chose none or had only one."""
    candidates = record.get("candidates", ())
    if len(candidates) < 2 or not record.get("chosen"):
        return ""
    prefer = record["profile"]["plan"].get("prefer")
    chosen = choose(
        {held["name"]: Decision.from_record(held["name"], held["findings"]) for held in candidates},
        {
            held["name"]: [Assessment.from_record(each, held["name"]) for each in held["measurements"]]
            for held in candidates
        },
        Preference.model_validate(prefer) if prefer else None,
    )
    return chosen.because if chosen.name == record["chosen"] else ""
