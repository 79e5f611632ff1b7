"""Says which changes of a candidate's steps, all of them tried, let it meet a criterion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.report import wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.catalogue.finding import Finding
    from sdc.gate.changes import TriedChange

MOST_SHOWN = 2


def said_of_trials(trials: Sequence[TriedChange], finding: Finding) -> str:
    """The trials that meet a criterion, the best of them first; where there is none, the nearest."""
    found = [(trial, held) for trial in trials if (held := trial.found(finding)) and held.value is not None]
    meeting = sorted(
        ((trial, held) for trial, held in found if held.holds),
        key=lambda each: sum(not other.holds for other in each[0].findings),
    )
    if meeting:
        shown = [_reached(trial, held) for trial, held in meeting[:MOST_SHOWN]]
        return f"Tried: {'; '.join(shown)}."
    if not found:
        return ""
    trial, nearest = max(found, key=lambda each: each[1].relative_margin)
    tried = (
        "The one change tried does not meet it"
        if len(found) == 1
        else f"None of {len(found)} changes tried meets it"
    )
    return f"{tried}; the nearest is {trial.words}, which gives {wording.number(nearest.value or 0.0)}."


def _reached(trial: TriedChange, held: Finding) -> str:
    assert held.value is not None
    missed = [f"“{other.criterion}”" for other in trial.findings if not other.holds]
    outcome = (
        "meets every criterion of risk and utility"
        if trial.meets_all
        else f"meets it, but then {wording.listed(missed)} {'does' if len(missed) == 1 else 'do'} not hold"
    )
    return f"{trial.words} gives {wording.number(held.value)} and {outcome}"
