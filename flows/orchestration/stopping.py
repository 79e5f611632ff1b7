"""Stops a run: a signal or a limit of time ends it in the main thread, where its ending goes on record.

Other threads are not waited for.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
    """End this process at once, with this code.

    Threads of a stopped run may still compute in native code. Were the interpreter taken down under them, the
    process would die of a segmentation fault. Their run has its ending already.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def leave_soon(code: int = 1) -> None:
    """The same after a few seconds, in which Prefect may report how the run ended."""

    def wait() -> None:
        time.sleep(GRACE_SECONDS)
        leave(code)

    threading.Thread(target=wait, daemon=True).start()
