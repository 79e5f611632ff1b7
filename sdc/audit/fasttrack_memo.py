"""The memo of a fasttrack: what was compared with what, how far numbers moved, and what it says in words."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Drift:
    """A judged number then and now, and their difference as a share of the first."""

    criterion: str
    approved: float | None
    now: float | None
    share: float


@dataclass(frozen=True)
class Memo:
    """What was compared with what. Without `reasons` the run may leave.

    With them people decide, and they say why.
    """

    run: str
    like: str | None
    approvals: tuple[str, ...]
    allowed: float
    reasons: tuple[str, ...]
    drifts: tuple[Drift, ...]
    notes: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        return self.like is not None and not self.reasons

    def as_json(self) -> dict[str, Any]:
        shares = [
            {**asdict(each), "share": each.share if math.isfinite(each.share) else None}
            for each in self.drifts
        ]
        return {**asdict(self), "drifts": shares, "verdict": "same" if self.same else "review"}

    def as_markdown(self) -> str:
        verdict = (
            f"materially the release that people approved in run {self.like}"
            if self.same
            else "to be reviewed"
        )
        lines = ["# Fasttrack memo", "", f"Run {self.run}: {verdict}.", ""]
        lines += [*(f"- {reason}" for reason in self.reasons), *([""] if self.reasons else [])]
        lines += [
            *(f"Approved by {approval}." for approval in self.approvals),
            *([""] if self.approvals else []),
        ]
        if self.drifts:
            lines += [
                f"Drift allowed: {self.allowed:.3g} of the approved value.",
                "",
                "| criterion | approved | now | drift |",
                "|---|---|---|---|",
            ]
            told = [
                each
                for each in self.drifts
                if each.approved or each.now or not each.criterion.startswith("table.")
            ]
            lines += [
                f"| {each.criterion} | {said(each.approved)} | {said(each.now)} | {said(each.share)} |"
                for each in told
            ]
            lines += [""]
        return "\n".join([*lines, *(f"Note: {note}." for note in self.notes), *([""] if self.notes else [])])


def said(number: float | None) -> str:
    if number is None:
        return "not known"
    return f"{number:.4g}" if math.isfinite(number) else "without measure"
