"""Every error raised on purpose: takes facts, writes one sentence, never shows a cell value."""

from __future__ import annotations

import errno
import traceback
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


@dataclass(frozen=True)
class Fault:
    """One thing wrong with a profile or its data: where, what, and what would be right."""

    place: str
    problem: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}" + (f"; {self.remedy}" if self.remedy else "")


class SdcError(Exception):
    """An error that may be shown to anyone: it carries names and counts only."""

    exit_code = 1


class Faulty(SdcError):
    """Several faults, reported at once."""

    exit_code = 2
    what = "input"

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        count = f"{counted(len(self.faults), 'fault')} in the {self.what}"
        super().__init__("\n".join([count, *(f"  {fault}" for fault in self.faults)]))


class BadProfile(Faulty):
    """The profile cannot be run as written."""

    what = "profile"


class BadData(Faulty):
    """The data do not hold what the profile declares."""

    what = "data"


class CannotLook(SdcError):
    """A record of a run cannot be shown."""

    exit_code = 2


class BadStudy(Faulty):
    """A study cannot be made, protected or measured as asked."""

    what = "study"


class BadOption(SdcError):
    """An option of a measure or method that cannot hold, found only once the data were seen."""

    exit_code = 2

    def __init__(self, unit: str, option: str, problem: str) -> None:
        self.unit, self.option, self.problem = unit, option, problem
        super().__init__(f"{unit}: option {option}: {problem}")


class UnknownName(SdcError):
    """A name the catalogue, ledger or table does not have."""

    exit_code = 2

    def __init__(
        self,
        kind: str,
        name: str,
        nearest: str | None = None,
        speaking: Sequence[str] = (),
        remedy: str = "",
    ) -> None:
        self.kind, self.name, self.nearest = kind, name, nearest
        also = [each for each in speaking if each != nearest]
        meant = f"; did you mean {nearest!r}?" if nearest else ""
        super().__init__(
            f"no {kind} is called {name!r}{meant}"
            + (f"; these speak of it: {', '.join(also)}" if also else "")
            + (f"; {remedy}" if remedy else "")
        )


class StepFailed(SdcError):
    """Something broke inside a named step; its own words may quote data and were dropped."""

    def __init__(self, step: str, kind: str, where: str = "") -> None:
        self.step, self.kind, self.where = step, kind, where
        super().__init__(f"{step} failed: {kind}" + (f" at {where}" if where else ""))


class CannotProtect(SdcError):
    """A method could not reach what it promised on these data."""

    def __init__(self, method: str, problem: str) -> None:
        self.method, self.problem = method, problem
        super().__init__(f"{method}: {problem}")


class CannotPublish(SdcError):
    """The bundle could not be written or verified; the outbox is as it was."""

    def __init__(self, place: Path | str, problem: str) -> None:
        self.place, self.problem = str(place), problem
        super().__init__(f"cannot publish to {place}: {problem}; the outbox was left as it was")


class CannotDeliver(SdcError):
    """A bundle that is published could not be brought to another place, or taken away from there."""

    def __init__(self, place: Path | str, problem: str) -> None:
        self.place, self.problem = str(place), problem
        super().__init__(f"cannot deliver to {place}: {problem}")


class CannotWithdraw(SdcError):
    """A release cannot be withdrawn."""


class PageLeaks(SdcError):
    """A public page says what it must not; the error names places and kinds, never the words."""

    def __init__(self, hits: Sequence[str]) -> None:
        self.hits = tuple(hits)
        kinds = Counter(hit.rpartition(": ")[2] for hit in self.hits)
        named = kinds.most_common(3 if len(kinds) > 4 else 4)
        told = "; ".join(
            [
                *(f"{kind} ({count})" for kind, count in named),
                *([f"{len(kinds) - 3} more kinds"] if len(kinds) > 4 else []),
            ]
        )
        shown = "\n".join(f"  {hit}" for hit in self.hits[:20]) + ("\n  ..." if len(self.hits) > 20 else "")
        where = counted(len(self.hits), "place")
        super().__init__(
            f"the public report is refused: it would disclose facts of the original in {where}:"
            f" {told}\n{shown}\nA run keeps the refused page as refused.html in its directory, readable by"
            " you alone: look at these lines there. Words of the profile (title, labels, reasons, publish,"
            " names of candidates) that name a person or a value: use other words. A variable whose"
            " values are shown: recode it, cut off its ends or leave it out."
        )


def headline(words: str) -> str:
    """The first line of an error's words, for lists and headings.

    The following lines are details.
    """
    return words.partition("\n")[0]


class LedgerBroken(SdcError):
    """The ledger's chain does not hold."""

    exit_code = 3

    def __init__(self, sequence: int, problem: str) -> None:
        self.sequence, self.problem = sequence, problem
        super().__init__(f"ledger entry {sequence}: {problem}")


class NothingToVerify(SdcError):
    """A home without a ledger: there is nothing to verify."""

    exit_code = 3

    def __init__(self, place: Path | str) -> None:
        self.place = str(place)
        super().__init__(f"there is no ledger in {place}: nothing was verified; SDC_HOME names the home")


class LedgerUnusable(SdcError):
    """The ledger could not be read or written."""

    def __init__(self, place: Path | str, problem: str) -> None:
        self.place, self.problem = str(place), problem
        super().__init__(f"the ledger {place} cannot be used: {problem}")


class HomeUnusable(SdcError):
    """The directory for ledger and runs could not be used."""

    def __init__(self, place: Path | str, problem: str) -> None:
        self.place, self.problem = str(place), problem
        super().__init__(f"the home directory {place} cannot be used: {problem}; SDC_HOME can name another")


class CannotEncrypt(SdcError):
    """A key was given but this DuckDB cannot keep the database file encrypted."""

    exit_code = 2


class WarehouseUnusable(SdcError):
    """A run's database could not be made, opened or written."""

    def __init__(self, place: Path | str, problem: str) -> None:
        self.place, self.problem = str(place), problem
        super().__init__(f"the warehouse {place} cannot be used: {problem}")


class SharedUnusable(SdcError):
    """The storage that other machines share could not be used."""

    def __init__(self, place: str, problem: str) -> None:
        self.place, self.problem = place, problem
        super().__init__(f"the shared storage {place} cannot be used: {problem}")


class CannotApprove(SdcError):
    """A decision that may not be taken, or whose signature does not hold."""

    exit_code = 3


OF_THE_MACHINE = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
}
"""What the machine lacks, in words: no place in the code helps there."""


@contextmanager
def redacted(step: str, passing: tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """The one guarded border: an error that crosses it upwards carries no words from the data.

    Errors of DuckDB, pandas and others quote cell values; only their kind and the place in the code pass.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, (SdcError, *passing)):
            raise
        if isinstance(error, OSError) and error.errno in OF_THE_MACHINE:
            raise StepFailed(step, OF_THE_MACHINE[error.errno]) from None
        frames = traceback.extract_tb(error.__traceback__)
        where = (
            f"{frames[-1].name}, line {frames[-1].lineno} of {frames[-1].filename.rsplit('/', 1)[-1]}"
            if frames
            else ""
        )
        raise StepFailed(step, type(error).__name__, where) from None
