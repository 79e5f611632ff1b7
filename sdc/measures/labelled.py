"""By which labels can a column be compared, record by record?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.comparison import BOTH

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Labelled:
    """A column of both tables on common labels, in declared or byte order.

    Codes record by record, -1 where missing.
    """

    labels: tuple[str, ...]
    original: Array
    candidate: Array

    def codes(self, side: Side) -> Array:
        return self.original if side is Side.ORIGINAL else self.candidate


def labelled(pair: ReleasePair, column: str) -> Labelled:
    """A column by its values.

    Where the candidate is coarser, original values go by the candidate's label that holds them.
    """
    return pair.once(("labelled", column), lambda: _labelled(pair, column))


def _labelled(pair: ReleasePair, column: str) -> Labelled:
    import numpy as np

    levels, generalised = pair.levels(column), pair.containment(column)
    codes = [pair.codes(column, side) for side in BOTH]
    texts = [list(levels), list(levels)]
    if generalised is not None and not generalised.problem:
        held = np.unique(codes[0][codes[0] >= 0]).tolist()
        for code, label in zip(held, generalised.labels([levels[code] for code in held]), strict=True):
            texts[0][code] = label
    used = {
        texts[table][code] for table in (0, 1) for code in np.unique(codes[table][codes[table] >= 0]).tolist()
    }
    declared = pair.roles[column].order if column in pair.roles else ()
    labels = (*(label for label in declared if label in used), *sorted(used - set(declared), key=str.encode))
    place = {label: code for code, label in enumerate(labels)}
    renumbered = [np.array([*(place.get(text, -1) for text in named), -1], dtype=np.int32) for named in texts]
    return Labelled(labels, renumbered[0][codes[0]], renumbered[1][codes[1]])
