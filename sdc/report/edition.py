"""The editions of the report, and what each of them may show.

The internal edition shows everything except facts about single records. The public edition goes out with the
data and assumes a reader who adds it to the released file. Its rules, each applied here and nowhere else:

- a count of records between 1 and the threshold is "fewer than 10" (zero may be said: it points at nobody);
- a share of records that small is "below" the share the threshold has;
- every other number has three significant digits;
- of risk measures only the judged number is shown: their parts are counts of the original, or shares it can
  be counted from;
- parts of utility measures are shown unless they are small whole numbers, or speak of a domain or category;
- options and records of steps show numbers, names of variables and words of the catalogue; any other text is
  hidden;
- reasons in words, seeds, paths, people, hashes of confidential inputs and all candidates but the chosen one
  are left out. A hash of source or profile would tell somebody who guesses the last unknown value, or the
  seed, that they are right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from sdc.catalogue.registry import Family
from sdc.report import wording
from sdc.report.views import Shown

if TYPE_CHECKING:
    from sdc.catalogue.registry import Measure

THRESHOLD = 10
LEFT_OUT = (
    "The public edition is made to be read beside the released file. It leaves out the seed, paths, names of"
    " people, hashes of confidential inputs, reasons that quote counts, candidates that were not chosen and"
    " everything said of single records."
)


class Edition(StrEnum):
    """Who reads it."""

    INTERNAL = "internal"
    PUBLIC = "public"


@dataclass(frozen=True)
class Rules:
    """What may be shown in an edition. `variables` are names that may always be said."""

    edition: Edition
    variables: frozenset[str] = frozenset()
    threshold: int = THRESHOLD

    @property
    def public(self) -> bool:
        return self.edition is Edition.PUBLIC

    def number(self, value: float) -> Shown:
        """A number that counts nobody."""
        if self.public:
            return Shown(wording.number(value, 3, whole=abs(value) < 1000))
        return Shown(wording.number(value), repr(value))

    def count(self, records: int) -> Shown:
        """A number of records of the original, or of records something was done to."""
        if self.public and 0 < records < self.threshold:
            return Shown(f"fewer than {self.threshold}")
        return Shown(f"{records:,}")

    def share(self, share: float, records: int | None, whole: float = 1.0) -> Shown:
        """A share of so many records (`whole` is 100 for percent)."""
        floor = self.threshold * whole / records if records else None
        if self.public and floor is not None and 0 < share < floor:
            return Shown(f"below {wording.number(floor, 2)}")
        return self.number(share)

    def judged(self, value: float, measure: Measure, part: str | None, records: int | None) -> Shown:
        """The number a criterion judges, or a measurement's own value."""
        risk = measure.family is Family.RISK
        if risk and part is None and measure.bounds[0] == 0 and measure.bounds[1] in (1, 100):
            return self.share(value, records, measure.bounds[1])
        if risk and part is not None and 0 < value < 1:
            return self.share(value, records)
        return self.count(int(value)) if part is not None and self.small(value) else self.number(value)

    def parts(self, parts: Mapping[str, float], family: Family) -> dict[str, float]:
        """Those parts of a measurement that may be shown."""
        if not self.public:
            return dict(parts)
        return (
            {}
            if family is Family.RISK
            else {
                name: value for name, value in parts.items() if not self.small(value) and self._sayable(name)
            }
        )

    def part(self, name: str, value: float, records: int | None) -> Shown:
        """A part that may be shown; one that is a share of records is only bounded where they are few."""
        whole = {"share": 1.0, "percent": 100.0}.get(name.partition(".")[0].partition("_")[0])
        return self.number(value) if whole is None else self.share(value, records, whole)

    def _sayable(self, name: str) -> bool:
        """Whether a part is about variables or numbers of groups only, not about a domain or a category."""
        _, *rest = name.split(".")
        return (
            all(piece in self.variables or piece.isdigit() for piece in rest)
            or ".".join(rest) in self.variables
        )

    def small(self, value: float) -> bool:
        return value == int(value) and 0 < abs(value) < self.threshold
