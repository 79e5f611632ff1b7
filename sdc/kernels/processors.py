"""Work on rows that do not depend on each other, on all processors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Made = TypeVar("Made")

AT_ONCE = 256


def in_parts(count: int, work: Callable[[slice], object], at_once: int = AT_ONCE) -> None:
    """Call `work` on slices that together are all of `count` rows; each call writes to its own slice only.

    The first slice is done alone, so that a kernel is compiled once.
    """
    parts = _slices(count, at_once)
    if not parts:
        return
    work(parts[0])
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(work, parts[1:]))


def each_part(count: int, work: Callable[[slice], Made], at_once: int) -> Iterator[Made]:
    """What `work` makes of each slice of `count` rows, in order: added up, it depends on no processor."""
    parts = _slices(count, at_once)
    if len(parts) == 1:
        yield work(parts[0])
        return
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        yield from threads.map(work, parts)


def _slices(count: int, at_once: int) -> list[slice]:
    return [slice(start, min(start + at_once, count)) for start in range(0, count, at_once)]
