"""What a number counts, which direction of it is good, and what it is read against."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import inf


class Better(StrEnum):
    """Which direction of a value is good."""

    HIGHER = "higher"
    LOWER = "lower"


class Unit(StrEnum):
    """What a number counts, in the words that follow it."""

    SHARE = "share"
    SHARE_OF_ORIGINAL = "share of the original's records"
    SHARE_OF_CANDIDATE = "share of the candidate's records"
    PER_CENT = "per cent"
    PER_CENT_OF_RECORDS = "per cent of the records"
    PER_CENT_OF_ORIGINAL = "per cent of the original's records"
    PER_MILLE = "per mille"
    RECORDS = "records"
    RECORDS_IN_CLASS = "records in the class"
    VALUES_IN_CLASS = "values in the class"
    RATIO = "times"
    DEVIATIONS = "standard deviations"
    DEVIATIONS_ROOT_TWO = "standard deviations times root 2"
    EPSILON = "epsilon"
    NATS = "nats"
    NATS_OR_SHARE = "nats with kl, else share"
    BITS = "bits"
    BITS_OR_SHARE = "bits or share"
    CORRELATION = "points of correlation"
    IMPURITY = "points of Gini impurity"
    CHI_SQUARE = "on the scale of chi-square"
    SQUARED_SHARE = "squared share"
    SUMMED_CHANGES = "relative changes, summed"
    OWN = "in the unit of the variable"
    NUMBER = "number"

    @property
    def whole(self) -> float | None:
        """What stands for all: 1 of a share, 100 of per cent, 1000 of per mille.

        Nothing where the number is no share.
        """
        return next(
            (
                whole
                for word, whole in (("share", 1.0), ("per cent", 100.0), ("per mille", 1000.0))
                if self.value.startswith(word)
            ),
            None,
        )

    @property
    def sign(self) -> str:
        """What stands behind a number: nothing behind a plain one or a plain share."""
        return (
            ""
            if self in (Unit.SHARE, Unit.NUMBER)
            else self.value.replace("per cent", "%").replace("per mille", "‰").replace("share of", "of")
        )

    @property
    def counts(self) -> bool:
        """Is it a whole number of something? An l that comes from an entropy is none."""
        return self is Unit.RECORDS_IN_CLASS


UNITS_BY_WORD = {
    "share": Unit.SHARE,
    "rate": Unit.SHARE,
    "percent": Unit.PER_CENT,
    "count": Unit.RECORDS,
    "records": Unit.RECORDS,
}
"""Units of parts by a word of their name: share_below_k is a share, records_below_3 counts records."""


@dataclass(frozen=True)
class Part:
    """A number beside a measure's value: the names it can have, which direction is good, and where it lies.

    `better` is None for a fact that is neither good nor bad: no limit on it promises anything.
    """

    name: str
    better: Better | None = None
    bounds: tuple[float, float] = (-inf, inf)
    declared_unit: Unit | None = None

    @property
    def unit(self) -> Unit:
        """What it counts: as declared, or as a word of its name says.

        A share before what it is a share of.
        """
        said = self.name.partition(".")[0].split("_")
        return self.declared_unit or next(
            (unit for word, unit in UNITS_BY_WORD.items() if word in said), Unit.NUMBER
        )

    @classmethod
    def declared(cls, text: str) -> Part:
        """From `name`, `name:lower` or `name:lower:0..1`; an end left out is open."""
        name, _, rest = text.partition(":")
        better, _, bounds = rest.partition(":")
        low, _, high = bounds.partition("..")
        return cls(name, Better(better) if better else None, (float(low or -inf), float(high or inf)))


@dataclass(frozen=True)
class Yardstick:
    """A number to hold a value against, and what would give it.

    A fixed number, or a part of the same measurement.

    `alarms`: a value that is worse is worth a look even where nothing is demanded.
    """

    number: float | str
    words: str
    alarms: bool = False

    @classmethod
    def declared(cls, text: str) -> Yardstick:
        """From `0: nothing done`, or `PART: words`.

        An exclamation mark before the colon says that it alarms.
        """
        head, _, words = text.strip().partition(": ")
        number = head.removesuffix("!")
        try:
            return cls(float(number), words, head.endswith("!"))
        except ValueError:
            return cls(number, words, head.endswith("!"))
