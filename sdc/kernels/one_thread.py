"""Linear algebra on one thread, so that sums of products are the same on any number of cores."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_guard = threading.Lock()
_within: list[Any] = []
"""The limit that holds, once for each thread that is within it."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold linear algebra to one thread: several add in an order that depends on their number.

    The limit is that of the process. It holds until the last thread that asked for it has left.
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
    # The limit holds for loaded libraries only; numpy and scipy each bring their own linear algebra.
    import numpy as np  # noqa: F401
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    return threadpool_limits(limits=1, user_api="blas")
