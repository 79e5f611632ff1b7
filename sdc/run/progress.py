"""How far along is work that takes long? Whoever waits for it may listen."""

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
Teller = Callable[[str], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_teller: ContextVar[Teller | None] = ContextVar("teller", default=None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Work begun within is told to the listener, from whatever thread it is done in.

    Other threads have their own listeners.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def work_of(parts: int) -> Iterator[None]:
    """A piece of work of so many parts; each is done when the `teller` says so."""
    listener = _listener.get()
    token = _teller.set(None if listener is None else _counting(parts, listener))
    try:
        yield
    finally:
        _teller.reset(token)


def teller() -> Teller:
    """What is called with its name when one more part of the work at hand is done.

    Asked for here, it may be called in any thread.
    """
    return _teller.get() or (lambda _what: None)


def _counting(parts: int, listener: Listener) -> Teller:
    started, lock, done = time.monotonic(), threading.Lock(), 0

    def tell(what: str) -> None:
        nonlocal done
        with lock:
            done += 1
            listener(Advance(done, max(parts, done), what, time.monotonic() - started))

    return tell
