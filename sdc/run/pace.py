"""Estimates how long a run will still take, from how long its parts took in the last run and in this one."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sdc.run import durable

if TYPE_CHECKING:
    from sdc.run.home import Home


@dataclass
class Pace:
    """The parts of a stage by name: which are running, which are done, and the seconds the rest will take.

    `before` has seconds of parts from an earlier run. A part that is not in it is thought to take as long as
    those done took on average.
    """

    parts: Sequence[str]
    before: Mapping[str, float] = field(default_factory=dict)
    clock: Callable[[], float] = time.monotonic
    took: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._started = self.clock()
        self._begun: dict[str, float] = {}
        self._guard = threading.Lock()

    def begin(self, part: str) -> None:
        with self._guard:
            self._begun[part] = self.clock()

    def end(self, part: str, seconds: float | None = None) -> None:
        """A part is done; `seconds` if it was timed where it was done, on another machine perhaps."""
        with self._guard:
            now = self.clock()
            begun = self._begun.pop(part, now)
            self.took[part] = now - begun if seconds is None else seconds

    @property
    def running(self) -> list[str]:
        with self._guard:
            return list(self._begun)

    @property
    def left(self) -> float | None:
        """Seconds until all parts are done, if as many run at a time as until now.

        None before the first is done, and when all are.
        """
        with self._guard:
            if not self.took or self.took.keys() >= {*self.parts}:
                return None
            usual = sum(self.took.values()) / len(self.took)
            now = self.clock()
            rest = sum(
                max(self.before.get(part, usual) - (now - self._begun.get(part, now)), 0.0)
                for part in self.parts
                if part not in self.took
            )
            at_a_time = max(sum(self.took.values()) / max(now - self._started, 1e-9), 1.0)
            return rest / at_a_time

    @property
    def in_words(self) -> str:
        left, running = self.left, self.running
        told = [] if left is None else [f"{seconds_in_words(left)} left"]
        if running:
            others = f" and {len(running) - 2} more" if len(running) > 2 else ""
            told.append(f"running: {', '.join(running[:2])}{others}")
        return "; ".join(told)


def seconds_in_words(seconds: float) -> str:
    return f"about {seconds:.0f} s" if seconds < 100 else f"about {seconds / 60:.0f} min"


def remember(home: Home, profile: str, records: int, took: Mapping[str, float]) -> None:
    """Keep the seconds of this run's parts for the next; a home that cannot be written loses an estimate."""
    with suppress(OSError):
        home.pace.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
        held = {part: round(seconds, 3) for part, seconds in took.items()}
        durable.replace(
            home.pace / f"{profile}.json", json.dumps({"records": records, "seconds": held}).encode()
        )


def remembered(home: Home, profile: str, records: int) -> dict[str, float]:
    """What parts took in the last run of the profile, in proportion to the records; empty where unknown."""
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, ZeroDivisionError):
        held = json.loads((home.pace / f"{profile}.json").read_bytes())
        share = records / held["records"]
        return {str(part): float(seconds) * share for part, seconds in held["seconds"].items()}
    return {}
