"""Sums of products that come out the same on any number of cores."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_guard = threading.Lock()
_within: list[Any] = []
"""The limit that holds, once for everyone who is within it."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Within it linear algebra runs on one thread.

    Several would add in an order that hangs on how many there are.

    The limit is the process's: it holds until the last thread that asked for it has left.
    """
    with _guard:
        _within.append(_within[-1] if _within else _limited())
    try:
        yield
    finally:
        with _guard:
            limit = _within.pop()
            if not _within:
                limit.restore_original_limits()


def _limited() -> Any:
    # A library that is loaded later would not be held to the limit; these two bring their own.
    import numpy as np  # noqa: F401
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    return threadpool_limits(limits=1, user_api="blas")
