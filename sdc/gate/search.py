"""Orders the candidates of a space: the middles and corners first, then more around the best."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from sdc.profile.sweep import SweepGrid


@dataclass(frozen=True)
class Search:
    """An order on the candidates of a space that depends on the space and on what was found so far only."""

    grids: Mapping[str, SweepGrid]

    @cached_property
    def coarse_to_fine(self) -> list[str]:
        """The middle and the corners of every entry's grid, then the middles between them and so on.

        Entries take turns.
        """
        turns = [sorted(grid.places, key=partial(_fineness_in, grid)) for grid in self.grids.values()]
        in_turn = [
            names[turn]
            for turn in range(max(map(len, turns), default=0))
            for names in turns
            if turn < len(names)
        ]
        return sorted(in_turn, key=lambda name: name not in self.first)

    @cached_property
    def first(self) -> frozenset[str]:
        """The middle and all corners of every entry's grid: the strictest and the mildest are among them."""
        return frozenset(
            name
            for grid in self.grids.values()
            for name, place in grid.places.items()
            if _fineness(place, grid.lengths)[0] <= 0
        )

    def batch(self, done: Collection[str], promising: Collection[str], size: int) -> list[str]:
        """The next few candidates to try.

        Once every corner was tried, every second one is the nearest to a promising candidate.
        """
        tried = set(done)
        chosen: list[str] = []
        while len(chosen) < size:
            left = [name for name in self.coarse_to_fine if name not in tried]
            if not left:
                break
            refine = promising and self.first <= tried and len(tried) % 2
            chosen.append(min(left, key=lambda name: self._distance(name, promising)) if refine else left[0])
            tried.add(chosen[-1])
        return chosen

    def _distance(self, name: str, promising: Collection[str]) -> float:
        """Steps on the grid to the nearest promising candidate of the same entry, as a share of each axis."""
        near = float("inf")
        for grid in self.grids.values():
            if name in grid.places:
                for other in promising:
                    if other in grid.places:
                        near = min(near, _apart(grid.places[name], grid.places[other], grid.lengths))
        return near


def _apart(one: tuple[int, ...], other: tuple[int, ...], lengths: tuple[int, ...]) -> float:
    return sum(
        abs(a - b) / (length - 1) for a, b, length in zip(one, other, lengths, strict=True) if length > 1
    )


def _fineness_in(grid: SweepGrid, name: str) -> tuple[int, int, tuple[int, ...]]:
    return _fineness(grid.places[name], grid.lengths)


def _fineness(place: tuple[int, ...], lengths: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
    """The middle first, then by how often its axes must be halved to reach a place."""
    levels = [_level(position, length) for position, length in zip(place, lengths, strict=True)]
    middle = all(position == (length - 1) // 2 for position, length in zip(place, lengths, strict=True))
    return -1 if middle else max(levels, default=0), sum(levels), place


def _level(position: int, length: int) -> int:
    """How often an axis must be halved until a position is one of the ends of a part."""
    low, high, level = 0, length - 1, 0
    while position not in (low, high):
        middle = (low + high) // 2
        low, high = (low, middle) if position <= middle else (middle, high)
        level += 1
    return level
