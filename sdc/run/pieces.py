"""Has work done that falls into pieces: all of them here, or some where other machines have room.

with done_by(others):                       # called with the number of pieces and the work
    made = each_piece(6, draw)              # what draw(0), …, draw(5) give

A piece is arrays of one length. It depends on its number alone, never on who makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdc.arrays import Array

Piece = Sequence["Array"]
Work = Callable[[int], Piece]
Doing = Callable[[int, Work], list[Piece]]

_doing: ContextVar[Doing | None] = ContextVar("doing", default=None)


@contextmanager
def done_by(doing: Doing) -> Iterator[None]:
    """Pieces that are asked for within are made as `doing` says."""
    token = _doing.set(doing)
    try:
        yield
    finally:
        _doing.reset(token)


def each_piece(count: int, work: Work) -> list[Piece]:
    """All pieces, in the order of their numbers."""
    doing = _doing.get()
    return made_here(count, work) if doing is None else doing(count, work)


def made_here(count: int, work: Work) -> list[Piece]:
    return [work(number) for number in range(count)]
