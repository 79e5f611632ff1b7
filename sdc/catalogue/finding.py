"""A finding: a criterion of a profile, checked on one candidate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any

from sdc.spelling import limit_in_words


class Otherwise(StrEnum):
    """What happens when a criterion does not hold."""

    WITHHOLD = "withhold"
    REFER = "refer"
    NOTE = "note"


class Concerns(StrEnum):
    """What a criterion is about: a measure of risk or of utility, the table itself, or the judging."""

    RISK = "risk"
    UTILITY = "utility"
    TABLE = "table"
    GATE = "gate"

    @property
    def measured(self) -> bool:
        """Whether the profile asks for it by a measure."""
        return self in (Concerns.RISK, Concerns.UTILITY)


@dataclass(frozen=True)
class Finding:
    """A criterion, checked.

    `value` is what was judged (the worse end of an interval), None where nothing was measured. `margin` is
    the distance to the nearer limit in the value's own unit, negative where the criterion does not hold.
    `reason` says in words why it does not hold; `would_pass` which values would.
    """

    criterion: str
    family: Concerns
    candidate: str
    holds: bool
    otherwise: Otherwise
    value: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    margin: float | None = None
    because: str = ""
    reason: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "family", Concerns(self.family))
        object.__setattr__(self, "otherwise", Otherwise(self.otherwise))

    @property
    def would_pass(self) -> str:
        return limit_in_words(self.at_least, self.at_most)

    def is_about(self, other: Finding) -> bool:
        """Whether both check the same criterion, on whatever candidate."""
        return (self.criterion, self.family, self.at_least, self.at_most) == (
            other.criterion,
            other.family,
            other.at_least,
            other.at_most,
        )

    @property
    def relative_margin(self) -> float:
        """The margin as a share of the nearer limit, or of one where that is zero.

        So criteria in other units can be compared. Minus infinity where there is no value, or where a value
        inside its limits was refused all the same.
        """
        limits = [limit for limit in (self.at_least, self.at_most) if limit is not None]
        if self.value is None or self.margin is None or not limits or (self.margin >= 0 and not self.holds):
            return -math.inf
        nearest = min(limits, key=lambda limit: abs(limit - (self.value or 0.0)))
        return self.margin / (abs(nearest) or 1.0)

    def as_record(self) -> dict[str, Any]:
        """Its one form in warehouse and record: every field by its name."""
        held = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**held, "family": self.family.value, "otherwise": self.otherwise.value}

    @classmethod
    def from_record(cls, held: Mapping[str, Any]) -> Finding:
        """A finding from its form in a record, which may hold more about it."""
        return cls(**{each.name: held[each.name] for each in fields(cls) if each.name in held})

    def as_json(self) -> dict[str, Any]:
        """The stable form of `--json`; `judged` is the number the gate compared with the limits."""
        held = self.as_record()
        judged = held.pop("value")
        return {**held, "judged": judged}

    def shut(self, reason: str) -> Finding:
        """The same criterion, not holding, with no leave to pass it over."""
        return replace(self, holds=False, otherwise=Otherwise.WITHHOLD, reason=reason)
