"""Numbers that cannot be believed after the steps of a candidate, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.catalogue.registry import find_measure
from sdc.catalogue.validity import believable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from sdc.catalogue.protection import Step
    from sdc.data.roles import Roles
    from sdc.gate.judged import JudgedCandidate
    from sdc.profile import Profile

CLASSES = "k_anonymity"
"""The measure that stands for all that counts records with equal keys."""


def doubt(
    candidate: JudgedCandidate,
    profile: Profile,
    measure: str,
    options: Mapping[str, Any],
    part: str | None = None,
) -> str:
    """Why a number cannot be believed on a candidate, and what could be measured instead.

    It is empty where the number can be believed.
    """
    return doubt_after(candidate.steps, profile.roles, measure, options, part)


def doubt_after(
    steps: Sequence[Step], roles: Roles, measure: str, options: Mapping[str, Any], part: str | None = None
) -> str:
    """The same where the steps alone are known."""
    answer = believable(find_measure(measure), options, steps, roles, part)
    if answer.valid:
        return ""
    return f"{answer.reason}{f'; measure {answer.alternatives[0]} instead' if answer.alternatives else ''}"


def doubt_of_classes(candidate: JudgedCandidate | None, profile: Profile) -> str:
    """Why sizes of classes say nothing about risk on a candidate; empty where they do."""
    return doubt(candidate, profile, CLASSES, {}) if candidate else ""
