"""Stops a run: a signal or a limit of time ends it in the main thread, where its ending goes on record.

Other threads are not waited for.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from sdc.errors import SdcError

GRACE_SECONDS = 5.0


class TookTooLong(SdcError):
    """A run did not end within the time its profile allows."""

    def __init__(self, minutes: float) -> None:
        self.minutes = minutes
        super().__init__(
            f"the run took longer than the {minutes:g} minutes its profile allows (limits: minutes) and was"
            " stopped"
        )


@contextmanager
def stoppable() -> Iterator[None]:
    """SIGTERM stops like Ctrl-C.

    Prefect, which takes the signal over while a flow runs, hands it back to this.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


@contextmanager
def within(minutes: float | None) -> Iterator[None]:
    """TookTooLong when what is inside does not end in time. Only the main thread can be interrupted.

    Elsewhere there is no limit.

    Prefect's own time-outs share one alarm clock: that of a task would silence that of its flow. The signal
    is one of our own, for what runs in the background, as by nohup or in a script, may be deaf to Ctrl-C.
    """
    main = threading.main_thread()
    if minutes is None or threading.current_thread() is not main:
        yield
        return
    over = threading.Event()

    def ring() -> None:
        over.set()
        signal.pthread_kill(main.ident or 0, signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, _interrupt)
    clock = threading.Timer(minutes * 60, ring)
    clock.daemon = True
    clock.start()
    try:
        yield
    except KeyboardInterrupt:
        if over.is_set():
            raise TookTooLong(minutes) from None
        raise
    finally:
        clock.cancel()
        signal.signal(signal.SIGUSR1, before)


def leave(code: int) -> NoReturn:
    """End this process with this code, within seconds.

    Threads of a stopped run may still compute in native code. Were the interpreter taken down under them, the
    process would die of a segmentation fault. So threads that end in time may report to Prefect, what is
    registered for the exit runs, and then the process ends without taking the interpreter down.
    """
    _codes.append(code)
    leave_soon(code)
    sys.exit(code)


def end(code: int) -> NoReturn:
    """End this process with this code when its work is done.

    Taking the interpreter down takes seconds once large libraries are loaded, and nobody needs it. Where what
    was printed cannot be written, it is taken down all the same: Python then says so.
    """
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        _codes.append(code)
    sys.exit(code)


def leave_soon(code: int = 1) -> None:
    """End this process after a few seconds, whatever its threads do: their run has its ending already."""

    def wait() -> None:
        time.sleep(GRACE_SECONDS)
        _end(code)

    threading.Thread(target=wait, daemon=True).start()


_codes: list[int] = []
"""The code this process leaves with, once that is known."""


@atexit.register  # before what large libraries register, so that it runs after it
def _end_after_all_others() -> None:
    if _codes:
        _end(_codes[0])


def _end(code: int) -> NoReturn:
    try:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
    finally:
        os._exit(code)
