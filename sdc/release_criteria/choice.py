"""Which of the candidates is to leave?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sdc.assess import Assessment
from sdc.catalogue import Better, find_measure
from sdc.gate import Decision, Verdict
from sdc.measurement import Measurement

if TYPE_CHECKING:
    from sdc.profile.plan import Preference


def choose(decisions: Mapping[str, Decision], assessments: Mapping[str, Sequence[Assessment]], prefer: Preference | None) -> str | None:
    """The best of the candidates that pass, else of those that are referred, else none.

    Best by the preferred measurement in its measure's direction; candidates without it come last, and ties and
    profiles without a preference go to the first in the order of the profile.
    """
    for verdict in (Verdict.PUBLISHED, Verdict.REFERRED):
        passing = [name for name, decision in decisions.items() if decision.verdict is verdict]
        if passing:
            return min(passing, key=lambda name: _badness(assessments.get(name, ()), prefer))
    return None


def _badness(assessments: Sequence[Assessment], prefer: Preference | None) -> tuple[bool, float]:
    if prefer is None:
        return False, 0.0
    for held in assessments:
        if prefer.measure == held.alias and isinstance(held.outcome, Measurement):
            value = held.outcome.value if prefer.part is None else held.outcome.parts.get(prefer.part)
            if value is not None:
                return False, value if find_measure(held.measure).better is Better.LOWER else -value
    return True, 0.0
