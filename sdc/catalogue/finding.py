"""A finding: a criterion of a profile, checked on one candidate."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from sdc.spelling import limit_in_words


@dataclass(frozen=True)
class Finding:
    """A criterion, checked.

    `value` is what was judged (the worse end of an interval), None where nothing was measured. `margin` is
    the distance to the nearer limit in the value's own unit, negative where the criterion does not hold.
    `reason` says in words why it does not hold; `would_pass` which values would.
    """

    criterion: str
    family: str
    candidate: str
    holds: bool
    otherwise: str
    value: float | None = None
    at_least: float | None = None
    at_most: float | None = None
    margin: float | None = None
    because: str = ""
    reason: str = ""

    @property
    def would_pass(self) -> str:
        return limit_in_words(self.at_least, self.at_most)

    @property
    def relative_margin(self) -> float:
        """The margin as a share of the nearer limit (of one where that is zero), so that criteria in other units can be compared.

        Minus infinity where there is no value, or where a value inside its limits was refused all the same.
        """
        limits = [limit for limit in (self.at_least, self.at_most) if limit is not None]
        if self.value is None or self.margin is None or not limits or (self.margin >= 0 and not self.holds):
            return -math.inf
        nearest = min(limits, key=lambda limit: abs(limit - (self.value or 0.0)))
        return self.margin / (abs(nearest) or 1.0)

    def as_json(self) -> dict[str, Any]:
        """The stable form of `--json`; `judged` is the number the gate compared with the limits."""
        told = (
            "criterion",
            "family",
            "candidate",
            "holds",
            "otherwise",
            "at_least",
            "at_most",
            "margin",
            "because",
            "reason",
        )
        return {**{name: getattr(self, name) for name in told}, "judged": self.value}

    def shut(self, reason: str) -> Finding:
        """The same criterion, not holding, with no leave to pass it over."""
        return replace(self, holds=False, otherwise="withhold", reason=reason)
