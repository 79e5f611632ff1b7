"""Lets one thread end the work of another, wherever in Python that is."""

from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType


class Interrupted(BaseException):
    """Somebody ended the work of this thread.

    It is no `Exception`: what catches the error of a measure that breaks must let this pass.
    """


class Interruption:
    """Work of one thread, between `with` and its end, that any other thread may end.

    The interpreter raises in the thread before its next instruction; a call into compiled code ends first.
    Once the work has ended nothing is raised any more, so that the thread can be given other work.
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._thread: int | None = None

    def __enter__(self) -> Self:
        with self._guard:
            self._thread = threading.get_ident()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._guard:
            if self._thread is not None:
                _raise_in(self._thread, None)
            self._thread = None

    def end(self) -> None:
        """End the work, if it is under way."""
        with self._guard:
            if self._thread is not None:
                _raise_in(self._thread, Interrupted)


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    """Raise in a thread, or take back what was not raised there yet."""
    asked = ctypes.py_object(kind) if kind is not None else None
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), asked)
