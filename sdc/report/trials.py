"""Says which changes of a candidate's steps, all of them tried, let it meet a criterion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.report import wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.catalogue.finding import Finding
    from sdc.gate.changes import TriedChange

MOST_SHOWN = 2


def said_of_trials(trials: Sequence[TriedChange], finding: Finding, findings: Sequence[Finding]) -> str:
    """The trials that meet a criterion, the best of them first; where there is none, the nearest.

    `findings` are all those of the candidate that was changed.
    """
    found = [(trial, held) for trial in trials if (held := trial.found(finding)) and held.value is not None]
    meeting = sorted(
        ((trial, held) for trial, held in found if held.holds),
        key=lambda each: sum(not other.holds for other in each[0].findings),
    )
    if meeting:
        shown = [_reached(trial, held, findings) for trial, held in meeting[:MOST_SHOWN]]
        return f"Tried: {'; '.join(shown)}.{_not_repeated(findings)}"
    if not found:
        return ""
    trial, nearest = max(found, key=lambda each: each[1].relative_margin)
    one = len(found) == 1
    tried = "The one change tried" if one else f"None of {len(found)} changes tried"
    if not _is_nearer(nearest, finding):
        return f"{tried} {'does not bring' if one else 'brings'} it nearer to the limit."
    return (
        f"{tried} {'does not meet' if one else 'meets'} it;"
        f" the nearest is {trial.words}, which gives {_value(trial, nearest)}."
    )


def _is_nearer(tried: Finding, held: Finding) -> bool:
    """Whether a trial is nearer to the limit than the candidate is, by as much as can be read."""
    if held.value is None or tried.value is None:
        return tried.value is not None
    return tried.relative_margin > held.relative_margin and wording.number(tried.value) != wording.number(
        held.value
    )


def _not_repeated(findings: Sequence[Finding]) -> str:
    """The checks of a table are made of candidates only, which matters where one does not hold."""
    missed = [
        found for found in findings if not (found.holds or found.family.measured or found.otherwise == "note")
    ]
    return " The checks of the table were not repeated." if missed else ""


def _reached(trial: TriedChange, held: Finding, findings: Sequence[Finding]) -> str:
    gives = f"{trial.words} gives {_value(trial, held)}"
    if trial.meets_all:
        return f"{gives} and meets every criterion of risk and utility"
    missed = [other for other in trial.findings if not other.holds]
    known = [
        other for other in missed if any(found.is_about(other) and not found.holds for found in findings)
    ]
    new = [other for other in missed if other not in known]
    also = f", but then {_named(new)} {_do(new)} not hold" if new else ""
    still = f"; {_named(known)} still {_do(known)} not hold" if known else ""
    return f"{gives} and meets it{also}{still}"


def _named(findings: Sequence[Finding]) -> str:
    return wording.listed([f"“{found.criterion}”" for found in findings])


def _do(findings: Sequence[Finding]) -> str:
    return "does" if len(findings) == 1 else "do"


def _value(trial: TriedChange, held: Finding) -> str:
    """What was measured, with its interval and the end that was judged."""
    assert held.value is not None
    known = trial.estimates.get(held.criterion)
    return wording.reading(known.value, known.interval, held.value) if known else wording.number(held.value)
