"""Shows what a run is doing: a live line in a terminal, plain lines in a pipe, nothing when quiet."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from sdc.run.progress import Advance

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


PAUSE = 2.0


class Progress(Protocol):
    """Is told by the flow what stage it is in and what is done."""

    def stage(self, name: str, total: int = 1) -> None: ...

    def done(self, what: str, outcome: str = "") -> None: ...

    def under_way(self, what: str, advance: Advance) -> None: ...


def estimate(advance: Advance) -> str:
    """How far it is, and how long it may still take."""
    left = advance.left
    time_left = f"about {left:.0f} s left" if left < 100 else f"about {left / 60:.0f} min left"
    return f"{advance.what}, {advance.done} of {advance.of}, {time_left}"


class Silent:
    """Says nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def stage(self, name: str, total: int = 1) -> None:
        pass

    def done(self, what: str, outcome: str = "") -> None:
        pass

    def under_way(self, what: str, advance: Advance) -> None:
        pass


class Plain(Silent):
    """A line for each thing done, with the seconds since the start."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._stage, self._total, self._count = "", 1, 0
        self._told = self._started

    def stage(self, name: str, total: int = 1) -> None:
        self._stage, self._total, self._count = name, total, 0

    def done(self, what: str, outcome: str = "") -> None:
        self._count += 1
        seconds = time.monotonic() - self._started
        tail = f": {outcome}" if outcome else ""
        sys.stderr.write(f"{seconds:7.1f} s  {self._stage} {self._count}/{self._total}  {what}{tail}\n")

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

    def stage(self, name: str, total: int = 1) -> None:
        if self._bar is not None:
            self._bars.remove_task(self._bar)
        self._bar = self._bars.add_task("", total=total, stage=name)

    def done(self, what: str, outcome: str = "") -> None:
        if self._bar is not None:
            self._bars.update(self._bar, advance=1, description=f"{what} {outcome}".strip())

    def under_way(self, what: str, advance: Advance) -> None:
        if self._bar is not None:
            self._bars.update(self._bar, description=f"{what}: {estimate(advance)}")


def progress(*, quiet: bool) -> Silent:
    """The progress that fits where standard error goes."""
    if quiet:
        return Silent()
    return Live() if sys.stderr.isatty() else Plain()
