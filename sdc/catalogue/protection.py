"""What a method does to records, and what it gives back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sdc.run import digest

if TYPE_CHECKING:
    import pandas as pd

    from sdc.data.long_table import AnyTable
    from sdc.statistics.estimates.synthetic_inference import CombiningRule


class Protection(StrEnum):
    """What happens to the truth of a record."""

    NON_PERTURBATIVE = "non_perturbative"
    """Values become coarser or missing; none is false."""
    PERTURBATIVE = "perturbative"
    """Values may be false; the records are those of the original."""
    SYNTHETIC = "synthetic"
    """Values are drawn from a model."""


def judged_as(protection: Protection, *, aligned: bool) -> Protection:
    """What records are judged as.

    While record i is person i, a value drawn from a model is a false value like any other.
    """
    return Protection.PERTURBATIVE if aligned and protection is Protection.SYNTHETIC else protection


@dataclass(frozen=True)
class Budget:
    """A proved differential-privacy guarantee."""

    epsilon: float
    delta: float = 0.0

    @classmethod
    def from_record(cls, held: Mapping[str, Any] | None) -> Budget | None:
        """A budget from its form in a record; none where there was none."""
        return cls(held["epsilon"], held["delta"]) if held else None


@dataclass(frozen=True)
class Protected:
    """A protected table and what is to be remembered of its making.

    `record` holds facts fit for the audit and the public report (levels chosen, counts of suppressions by
    variable); `sealed` what only the sealed record may hold (a transition matrix); `labels` maps, for a
    column whose categories were grouped, each old label to its new one, so that measures match by
    containment; `syntheses` are further tables when more than one was drawn.
    """

    table: AnyTable
    record: Mapping[str, Any] = field(default_factory=dict)
    sealed: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    budget: Budget | None = None
    syntheses: tuple[pd.DataFrame, ...] = ()


@dataclass(frozen=True)
class Step:
    """One method as it was applied: what was asked for and what came of it."""

    method: str
    options: Mapping[str, Any]
    protection: Protection
    aligned: bool
    touched: frozenset[str]
    budget: Budget | None = None
    changed: Mapping[str, int] = field(default_factory=dict)
    record: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def invents_records(self) -> bool:
        """Are its records drawn from a model and no persons?"""
        return judged_as(self.protection, aligned=self.aligned) is Protection.SYNTHETIC

    def reached(self, variable: str) -> bool:
        """Did it touch a variable, and change it where changes were counted?"""
        return variable in self.touched and self.changed.get(variable) != 0

    def as_record(self) -> dict[str, Any]:
        held: dict[str, Any] = digest.plain(self)
        return held

    @classmethod
    def from_record(cls, held: Mapping[str, Any]) -> Step:
        """A step from its form in a record, which may hold more about it, or not its labels."""
        known = {each.name: held[each.name] for each in fields(cls) if each.name in held}
        typed = {
            "protection": Protection(held["protection"]),
            "touched": frozenset(held["touched"]),
            "budget": Budget.from_record(held["budget"]),
        }
        return cls(**{**known, **typed})


def composed(steps: Sequence[Step]) -> Budget | None:
    """What the steps spent together, by basic composition; None where one of them carries no proof."""
    budgets = [step.budget for step in steps if step.budget is not None]
    if not steps or len(budgets) < len(steps):
        return None
    return Budget(
        math.fsum(budget.epsilon for budget in budgets), math.fsum(budget.delta for budget in budgets)
    )


def covered(steps: Sequence[Step]) -> frozenset[str]:
    """The variables some step drew or noised.

    What is released as it was is not covered by what was spent on others.
    """
    return frozenset().union(*(step.touched for step in steps))


def untrue(steps: Sequence[Step]) -> frozenset[str]:
    """The variables whose values may be false after the steps."""
    return frozenset().union(
        *(step.touched for step in steps if step.protection is not Protection.NON_PERTURBATIVE)
    )


def drawn_parameters(steps: Sequence[Step]) -> frozenset[str]:
    """The variables some synthesis drew with parameters that were drawn themselves, not only estimated."""
    return frozenset().union(
        *(
            step.record.get("drawn_parameters", ())
            for step in steps
            if step.protection is Protection.SYNTHETIC
        )
    )


def combining_rule(steps: Sequence[Step]) -> CombiningRule:
    """How users combine several syntheses that these steps made.

    `partial` where some step keeps persons, `proper` where parameters were drawn, else `simple`.
    """
    if not steps or not any(step.invents_records for step in steps):
        return "partial"
    return "proper" if drawn_parameters(steps) else "simple"
