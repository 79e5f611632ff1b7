"""Reports how far along long work is to whoever waits for it.

with reporting_to(show), work_of(len(names)):    # show is called with an Advance after each part
    report = reporter()
    report("model of age")
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Advance:
    """So many parts of a piece of work are done after so many seconds; the last was `what`.

    Names of variables, never a value.
    """

    done: int
    of: int
    what: str
    seconds: float

    @property
    def left(self) -> float:
        """The seconds the rest will take if its parts take as long as those done took on average."""
        return self.seconds / self.done * (self.of - self.done)


Listener = Callable[[Advance], None]
Reporter = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_reporter: ContextVar[Reporter | None] = ContextVar("reporter", default=None)


@contextmanager
def reporting_to(listener: Listener) -> Iterator[None]:
    """Work begun within is reported to the listener, from whatever thread it is done in.

    Other threads have their own listeners.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def work_of(parts: int) -> Iterator[None]:
    """A piece of work of so many parts; each is done when the `reporter` says so."""
    listener = _listener.get()
    token = _reporter.set(None if listener is None else _counting(parts, listener))
    try:
        yield
    finally:
        _reporter.reset(token)


def reporter() -> Reporter:
    """What is called with its name when one more part of the work at hand is done.

    Asked for here, it may be called in any thread.
    """
    return _reporter.get() or (lambda _what: None)


def _counting(parts: int, listener: Listener) -> Reporter:
    started, lock, done = time.monotonic(), threading.Lock(), 0

    def report(what: str) -> None:
        nonlocal done
        with lock:
            done += 1
            listener(Advance(done, max(parts, done), what, time.monotonic() - started))

    return report
