"""Chooses the candidate that is to leave, and says why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Assessment, Interval, Measurement
from sdc.catalogue.numbers_in_words import reading
from sdc.catalogue.registry import find_measure
from sdc.catalogue.units import Better
from sdc.gate.decision import Decision, Verdict
from sdc.profile.parts import compared_number
from sdc.spelling import counted

if TYPE_CHECKING:
    from sdc.profile.plan import Preference


@dataclass(frozen=True)
class Choice:
    """The candidate that is to leave, none where none may, and the reason in a sentence."""

    name: str | None
    because: str


@dataclass(frozen=True)
class PreferredNumber:
    """What a profile prefers candidates by, as measured on one: its good direction, its interval if any."""

    number: float
    better: Better
    interval: Interval | None


def choose(
    decisions: Mapping[str, Decision],
    assessments: Mapping[str, Sequence[Assessment]],
    prefer: Preference | None,
) -> Choice:
    """The best of the candidates that pass, else of those that are referred, else none.

    Among those that pass, the preferred measurement decides, in its measure's direction. Candidates without
    it come last; on a tie, or without a preference, the first in the profile is taken. Among those that are
    referred, the one that misses fewest criteria of risk is best, then the one that misses fewest of all, and
    only then the preference decides.
    """
    values = {name: _preferred(assessments.get(name, ()), prefer) for name in decisions}
    passing = [name for name, decision in decisions.items() if decision.verdict is Verdict.PUBLISHED]
    if passing:
        best = min(passing, key=lambda name: _badness(values[name]))
        return Choice(
            best, f"{_pass(best, passing, len(decisions))}{_preference(best, passing, values, prefer)}."
        )
    referred = {
        name: _missed(decision)
        for name, decision in decisions.items()
        if decision.verdict is Verdict.REFERRED
    }
    if not referred:
        names = [f"“{name}” may not" for name in decisions]
        who = names[0] if len(names) == 1 else f"None of {len(names)} candidates may"
        return Choice(None, f"{who} leave.")
    best = min(referred, key=lambda name: (referred[name], _badness(values[name])))
    fewest = f"No candidate passes; “{best}” {_falls_short(decisions[best])}"
    if len(referred) == 1:
        return Choice(best, f"{fewest}, and is the only one that people may approve.")
    alike = [name for name, held in referred.items() if held == referred[best]]
    if len(alike) == 1:
        return Choice(best, f"{fewest}: the fewest of {len(referred)} that people may approve.")
    return Choice(
        best,
        f"{fewest}; {len(alike)} of {len(referred)} that people may approve miss as"
        f" few{_preference(best, alike, values, prefer)}.",
    )


def _missed(decision: Decision) -> tuple[int, int]:
    return len(decision.missed("risk")), len(decision.missed())


def _falls_short(decision: Decision) -> str:
    """What a referred candidate misses, in words: criteria of the profile, and checks of its table."""
    missed = [finding for finding in decision.missed() if finding.family.measured]
    checks = len(decision.missed()) - len(missed)
    risks = len(decision.missed("risk"))
    said = [f"misses {counted(len(missed), 'criterion', 'criteria')}, {risks} of risk"] if missed else []
    said += [f"fails {counted(checks, 'check')} of its table"] if checks else []
    return " and ".join(said)


def closest(decisions: Iterable[Decision]) -> Decision | None:
    """Of candidates of which none may leave, the one with the best worst margin."""
    return max(decisions, key=lambda held: (held.worst_margin(), -len(held.missed())), default=None)


def _pass(best: str, passing: Sequence[str], every: int) -> str:
    if len(passing) > 1:
        return f"{len(passing)} of {every} candidates pass"
    return f"“{best}” is the only one of {every} candidates that passes" if every > 1 else f"“{best}” passes"


def _preference(
    best: str,
    among: Sequence[str],
    values: Mapping[str, PreferredNumber | None],
    prefer: Preference | None,
) -> str:
    """Why this one of several that are equal before the gate."""
    if len(among) < 2:
        return ""
    held = values[best]
    others = [value.number for name in among if name != best and (value := values[name]) is not None]
    if prefer is None or held is None or held.number in others:
        tie = f" in {_label(prefer)}" if prefer and held else ""
        return f"; none is preferred{tie}, and “{best}” comes first in the profile"
    way = "lowest" if held.better is Better.LOWER else "highest"
    number = reading(held.number, held.interval)
    return f"; “{best}” has the {way} {_label(prefer)}, {number}, which the profile prefers"


def _label(prefer: Preference) -> str:
    return f"{prefer.measure}.{prefer.part}" if prefer.part else prefer.measure


def _preferred(assessments: Sequence[Assessment], prefer: Preference | None) -> PreferredNumber | None:
    for held in assessments:
        if prefer and prefer.measure == held.alias and isinstance(held.outcome, Measurement):
            measure = find_measure(held.measure)
            value = compared_number(measure, held.outcome, prefer.part)
            interval = held.outcome.interval if prefer.part is None else None
            return None if value is None else PreferredNumber(value, measure.better, interval)
    return None


def _badness(held: PreferredNumber | None) -> tuple[bool, float]:
    if held is None:
        return True, 0.0
    return False, held.number if held.better is Better.LOWER else -held.number
