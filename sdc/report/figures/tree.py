"""The tree by which the impurity of both tables was measured, with the impurity of each leaf."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import Assessment, Measurement
from sdc.report import wording
from sdc.report.drawing import Drawing, line, text
from sdc.report.figures.figure_registry import MODELS, figure
from sdc.report.figures.plot import said, short
from sdc.report.views import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sdc.report.drawing import Mark
    from sdc.report.figures.scene import Scene

WIDE, DEEP, TOP = 58, 46, 18
MOST_LEAVES = 12
"""More do not fit on a page."""
EXAMPLE = Measurement(
    0.125,
    {
        "original": 0.25,
        "candidate": 0.375,
        "leaves": 3,
        "first.1.age": 2,
        "second.1": 3,
        "first.3.region": 4,
        "second.3": 5,
        "leaf.2": 1,
        "leaf.4": 2,
        "leaf.5": 3,
        **{f"original.{leaf}": leaf / 8 for leaf in (1, 2, 3)},
        **{f"candidate.{leaf}": leaf / 16 for leaf in (1, 2, 3)},
    },
)


@dataclass(frozen=True)
class DrawnTree:
    """Nodes by number: the variable that splits one and its children, or the leaf it is."""

    splits: Mapping[int, tuple[str, int, int]]
    leaves: Mapping[int, int]

    @classmethod
    def of(cls, parts: Mapping[str, float]) -> DrawnTree | None:
        splits, leaves = {}, {}
        for part, value in parts.items():
            if found := re.fullmatch(r"first\.(\d+)\.(.+)", part):
                splits[int(found[1])] = found[2], int(value), int(parts[f"second.{found[1]}"])
            elif found := re.fullmatch(r"leaf\.(\d+)", part):
                leaves[int(found[1])] = int(value)
        return cls(splits, leaves) if splits else None

    def below(self, node: int) -> list[int]:
        """The leaves below a node, from left to right."""
        if node in self.leaves:
            return [node]
        _, first, second = self.splits[node]
        return [*self.below(first), *self.below(second)]

    def depth(self, node: int = 1) -> int:
        return 0 if node in self.leaves else 1 + max(map(self.depth, self.splits[node][1:]))


@figure(chapter=MODELS, order=70, measures=("tree_impurity",), example=EXAMPLE)
def tree(scene: Scene) -> Iterator[Figure | None]:
    """One for each measurement whose tree is small enough."""
    for held in scene.drawer.taken("tree_impurity"):
        yield tree_of(held)


def tree_of(held: Assessment) -> Figure | None:
    """Variables at the nodes, the impurity of both tables at the leaves."""
    parts = held.outcome.parts if isinstance(held.outcome, Measurement) else {}
    drawn = DrawnTree.of(parts)
    if drawn is None or len(drawn.leaves) > MOST_LEAVES:
        return None
    order = {node: place for place, node in enumerate(drawn.below(1))}
    size = (WIDE * len(order) + 20, TOP + DEEP * drawn.depth() + 48)
    marks = _marks(drawn, order, 1, TOP, parts)
    caption = (
        f"{said(held)} At each leaf stand the impurity of the original and, below it, of the candidate:"
        f" over all leaves {short(parts['original'])} and {short(parts['candidate'])}."
    )
    rows = tuple(
        (f"leaf {leaf}", short(parts[f"original.{leaf}"]), short(parts[f"candidate.{leaf}"]))
        for leaf in sorted(drawn.leaves.values())
    )
    drawing = Drawing(*size, tuple(marks), "The tree grown on the original, and the impurity of its leaves")
    anchor, title = wording.anchor("tree", held.alias), "The tree of the original"
    return Figure(anchor, title, caption, drawing, ("leaf", "original", "candidate"), rows, wide=True)


def _x(drawn: DrawnTree, order: Mapping[int, int], node: int) -> float:
    below = [order[leaf] for leaf in drawn.below(node)]
    return 10 + WIDE * ((min(below) + max(below)) / 2 + 0.5)


def _marks(
    drawn: DrawnTree, order: Mapping[int, int], node: int, y: float, parts: Mapping[str, float]
) -> list[Mark]:
    x = _x(drawn, order, node)
    if node in drawn.leaves:
        leaf = drawn.leaves[node]
        return [
            text(x, y + 4, short(parts[f"original.{leaf}"]), "middle original strong"),
            text(x, y + 19, short(parts[f"candidate.{leaf}"]), "middle candidate strong"),
            text(x, y + 33, f"leaf {leaf}", "tick middle"),
        ]
    name, *children = drawn.splits[node]
    marks = [text(x, y, name, "label middle")]
    for child in children:
        marks.append(line(x, y + 5, _x(drawn, order, int(child)), y + DEEP - 12, "base"))
        marks += _marks(drawn, order, int(child), y + DEEP, parts)
    return marks
