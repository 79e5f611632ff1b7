"""Places for the names of points, where they meet no other name, point, interval or border."""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdc.report.figures.plot import Plot

Box = tuple[float, float, float, float]


def free(tried: Sequence[Box], taken: Sequence[Box]) -> Box | None:
    return next((box for box in tried if not any(_meet(box, other) for other in taken)), None)


def is_nearest(box: Box, dot: tuple[float, float], dots: Sequence[tuple[float, float]]) -> bool:
    """Whether no other point is nearer to a box than its own."""

    def away(place: tuple[float, float]) -> float:
        x, y = place
        return hypot(max(box[0] - x, x - box[2], 0), max(box[1] - y, y - box[3], 0))

    return all(away(dot) <= away(other) for other in dots)


def boxes(x: float, y: float, width: float, plot: Plot) -> list[Box]:
    """Where a name may stand: right, left, above or below its point, ever further away, the nearest first."""
    tried = [
        (left, y + drop * down - 8, left + width, y + drop * down + 8)
        for drop in range(0, 200, 8)
        for down in ((-1, 1) if drop else (1,))
        for left in (x + 13, x - 13 - width, x - width / 2)
    ]
    inside = [
        box
        for box in tried
        if box[0] >= plot.x.start
        and box[2] <= plot.x.end + 18
        and box[1] >= plot.y.end - 6
        and box[3] <= plot.y.start
    ]
    return inside or tried


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
