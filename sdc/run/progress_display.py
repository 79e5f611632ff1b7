"""Shows what a run is doing: a live line in a terminal, plain lines in a pipe, nothing when quiet."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from sdc.run.pace import Pace, seconds_in_words
from sdc.run.progress import Advance

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


PAUSE = 2.0


class Progress(Protocol):
    """Is told by the flow what stage it is in and what is done."""

    def stage(self, name: str, pace: Pace | None = None) -> None: ...

    def begin(self, what: str) -> None: ...

    def done(self, what: str, outcome: str = "", seconds: float | None = None) -> None: ...

    def under_way(self, what: str, advance: Advance) -> None: ...


def estimate(advance: Advance) -> str:
    """How far it is, and how long it may still take."""
    return f"{advance.what}, {advance.done} of {advance.of}, {seconds_in_words(advance.left)} left"


class Silent:
    """Says nothing, and knows the pace."""

    _pace: Pace | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def stage(self, name: str, pace: Pace | None = None) -> None:
        """A stage begins: of the parts whose pace is given, or of one."""
        del name
        self._pace = pace

    def begin(self, what: str) -> None:
        if self._pace is not None:
            self._pace.begin(what)

    def done(self, what: str, outcome: str = "", seconds: float | None = None) -> None:
        del outcome
        if self._pace is not None and what in self._pace.parts:
            self._pace.end(what, seconds)

    def under_way(self, what: str, advance: Advance) -> None:
        pass


class Plain(Silent):
    """A line for each thing done, with the seconds since the start."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._stage, self._total, self._count = "", 1, 0
        self._told = self._estimated = self._started

    def stage(self, name: str, pace: Pace | None = None) -> None:
        super().stage(name, pace)
        self._stage, self._total, self._count = name, len(pace.parts) if pace else 1, 0

    def done(self, what: str, outcome: str = "", seconds: float | None = None) -> None:
        super().done(what, outcome, seconds)
        self._count += 1
        now = time.monotonic()
        tail = f": {outcome}" if outcome else ""
        if self._pace is not None and now - self._estimated >= PAUSE and (more := self._pace.in_words):
            self._estimated = now
            tail += f"  ({more})"
        sys.stderr.write(
            f"{now - self._started:7.1f} s  {self._stage} {self._count}/{self._total}  {what}{tail}\n"
        )

    def under_way(self, what: str, advance: Advance) -> None:
        """Nothing of work that goes fast: a line at most every two seconds."""
        now = time.monotonic()
        if now - self._told >= PAUSE and advance.seconds >= PAUSE:
            self._told = now
            sys.stderr.write(
                f"{now - self._started:7.1f} s  {self._stage} {self._count}/{self._total}  {what}:"
                f" {estimate(advance)}\n"
            )


class Live(Silent):
    """One bar for the current stage, in a terminal."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeElapsedColumn,
        )

        columns = (
            SpinnerColumn(),
            TextColumn("{task.fields[stage]:<9}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.description}"),
        )
        self._bars: Bars = Progress(
            *columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True
        )
        self._bar: TaskID | None = None

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def stage(self, name: str, pace: Pace | None = None) -> None:
        super().stage(name, pace)
        if self._bar is not None:
            self._bars.remove_task(self._bar)
        self._bar = self._bars.add_task("", total=len(pace.parts) if pace else 1, stage=name)

    def begin(self, what: str) -> None:
        super().begin(what)
        if self._bar is not None and self._pace is not None:
            self._bars.update(self._bar, description=self._pace.in_words)

    def done(self, what: str, outcome: str = "", seconds: float | None = None) -> None:
        super().done(what, outcome, seconds)
        if self._bar is not None:
            more = self._pace.in_words if self._pace else ""
            self._bars.update(self._bar, advance=1, description=more or f"{what} {outcome}".strip())

    def under_way(self, what: str, advance: Advance) -> None:
        if self._bar is not None:
            self._bars.update(self._bar, description=f"{what}: {estimate(advance)}")


def progress(*, quiet: bool) -> Silent:
    """The progress that fits where standard error goes."""
    if quiet:
        return Silent()
    return Live() if sys.stderr.isatty() else Plain()
