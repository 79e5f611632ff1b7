"""The records of a candidate that a person may be, where its ranges overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.data.classes import Classed
from sdc.data.release_pair import ReleasePair, Side
from sdc.measures.found import Found
from sdc.statistics.counts.equivalence import alike

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from sdc.arrays import Array


@dataclass(frozen=True)
class Contained:
    """Classes of people by their exact keys, and which classes of the candidate's labels hold them.

    A column whose ranges overlap is cut at every border: a value lies in one segment, a range covers several.
    `holds` has a row for each class of people and a column for each class of the candidate, 1 where its
    labels hold the people's keys.
    """

    holds: csr_array
    released: Array
    people: dict[Side, Array]

    @classmethod
    def of(cls, pair: ReleasePair, columns: Sequence[str | Classed], *sides: Side) -> Contained:
        """The overlap for the people of these tables.

        `released` is the class of each candidate record, `people` that of each person.
        """
        import numpy as np
        from scipy.sparse import csr_array

        coded = [_coded(pair, column, sides) for column in columns]
        _, first, released = np.unique(
            alike([labels for labels, _, _ in coded])[0], return_index=True, return_inverse=True
        )
        rows = np.arange(first.size)
        cut: list[Array] = []
        for labels, covers, _ in coded:
            spans = [covers[label] for label in labels[first[rows]].tolist()]
            times = np.array([span.size for span in spans], dtype=np.int64)
            cut = [np.repeat(column, times) for column in cut]
            cut.append(np.concatenate([np.zeros(0, dtype=np.int64), *spans]))
            rows = np.repeat(rows, times)
        classes, number = alike(
            [np.concatenate([column, *held]) for column, (_, _, held) in zip(cut, coded, strict=True)]
        )
        ends = np.cumsum([rows.size, *(pair.table(side).rows for side in sides)])
        people = {
            side: classes[start:end] for side, start, end in zip(sides, ends[:-1], ends[1:], strict=True)
        }
        holds = csr_array(
            (np.ones(rows.size, dtype=np.int64), (classes[: rows.size], rows)), shape=(number, first.size)
        )
        return cls(holds, released, people)

    def found(self, targets: Array, released_targets: Array) -> tuple[Found, Found]:
        """The records that each person of the original finds in the classes that hold the person.

        They are counted among the originals in these classes, and in the candidate.
        """
        import numpy as np

        place, size = (
            self.people[Side.ORIGINAL],
            int(max(targets.max(initial=-1), released_targets.max(initial=-1))) + 2,
        )
        own = self.holds.T @ _counted(place, targets, (self.holds.shape[0], size))
        given = _counted(self.released, released_targets, (self.holds.shape[1], size))
        made = []
        for counted in (own, given):
            matches = self.holds @ np.asarray(counted.sum(axis=1)).ravel()
            hits = (self.holds @ counted).tocsr()[place, targets % size]
            made.append(Found(matches[place], hits))
        return made[0], made[1]

    def held(self, side: Side) -> Array:
        """How many people of a side lie in each class of the candidate."""
        import numpy as np

        counts: Array = self.holds.T @ np.bincount(self.people[side], minlength=self.holds.shape[0])
        return counts


def overlapping(pair: ReleasePair, columns: Sequence[str | Classed]) -> bool:
    """Whether ranges of the candidate overlap in any of the columns."""
    return any(
        isinstance(column, str) and (held := pair.containment(column)) is not None and held.overlapping
        for column in columns
    )


def _coded(
    pair: ReleasePair, column: str | Classed, sides: Sequence[Side]
) -> tuple[Array, dict[int, Array], list[Array]]:
    """The candidate's labels as codes, the codes each covers, and the values of each side as codes."""
    import numpy as np

    held = pair.containment(column) if isinstance(column, str) else None
    if held is None or not held.overlapping or held.partition is None:
        labels = pair.places(column, Side.CANDIDATE)
        return (
            labels,
            {code: np.array([code]) for code in np.unique(labels).tolist()},
            [pair.places(column, side) for side in sides],
        )
    part = held.partition
    borders = np.unique(np.concatenate([part.low, part.high]))
    first, after = (np.searchsorted(borders, ends, side="right") for ends in (part.low, part.high))
    covers = {
        place: np.arange(start, end) for place, (start, end) in enumerate(zip(first, after, strict=True))
    } | {-1: np.array([-1])}
    place = {label: number for number, label in enumerate(part.labels)}
    codes, levels = pair.candidate.codes(held.column)
    labels = np.array([*(place[level] for level in levels), -1])[codes]
    return labels, covers, [_segments(pair, held.column, side, borders) for side in sides]


def _segments(pair: ReleasePair, column: str, side: Side, borders: Array) -> Array:
    """The segment between borders in which each value lies, -1 where it is missing."""
    import numpy as np

    from sdc.data.label_lookup import as_number

    codes, levels = pair.table(side).codes(column)
    segment: Array = np.array(
        [*np.searchsorted(borders, [as_number(level) for level in levels], side="right"), -1], dtype=np.int64
    )[codes]
    return segment


def _counted(rows: Array, targets: Array, shape: tuple[int, int]) -> csr_array:
    """Records by class and target; a missing target is the last."""
    import numpy as np
    from scipy.sparse import csr_array

    return csr_array((np.ones(rows.size, dtype=np.int64), (rows, targets % shape[1])), shape=shape)
