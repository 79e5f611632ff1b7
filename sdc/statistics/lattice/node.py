"""What one choice of levels costs, and which records it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdc.arrays import Array
from sdc.statistics.lattice.diversity import Sensitive
from sdc.statistics.lattice.hierarchy import Ladder

Levels = tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """One choice of levels, evaluated: records in small classes (`small`), records left out, and the loss."""

    levels: Levels
    small: int
    suppressed: int
    loss: float
    feasible: bool
    kept: Array | None = None
    """For each row whether its class stays."""


@dataclass(frozen=True)
class Rows:
    """Distinct rows of base codes with their records; `sensitive` beside them."""

    codes: Array
    counts: Array
    sensitive: tuple[Sensitive, ...] = ()

    @property
    def records(self) -> int:
        return int(self.counts.sum())


@dataclass(frozen=True)
class Problem:
    """The task: classes of at least k that meet the demands, at most `limit` records left out, least loss.

    The loss of a record is the mean penalty of its values, weighted by `weights`, and 1 if it is left out;
    that of a table is the mean over its records. Those left out are a class of their own (all keys missing),
    which must be large and diverse enough too: where it is not, the class that costs least is left out with
    it.
    """

    ladders: tuple[Ladder, ...]
    rows: Rows
    weights: Array
    k: int
    limit: int
    by_height: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(ladder.levels for ladder in self.ladders)

    def penalty(self, key: int, level: int) -> Array:
        """The weighted penalty of each base code of a key at a level; by height, the share of the way up."""
        ladder = self.ladders[key]
        by_height = np.full(len(ladder.places[level]), level / (ladder.levels - 1))
        return np.asarray(
            self.weights[key]
            * (by_height if self.by_height else ladder.penalties[level][ladder.places[level]])
        )

    def classes(
        self, levels: Levels, keys: Sequence[int], codes: Array, counts: Array
    ) -> tuple[Array, Array]:
        """Classes of rows on some keys at their levels."""
        from sdc.kernels.lattice_classes import classes

        tables, place = [], 1
        sizes = [len(self.ladders[key].labels[level]) + 1 for key, level in zip(keys, levels, strict=True)]
        for key, level, size in zip(keys, levels, sizes, strict=True):
            tables.append(self.ladders[key].places[level].astype(np.uint64) * np.uint64(place))
            place *= size
        if place > 2**62:
            marks = np.random.Generator(np.random.PCG64(len(keys))).integers(
                1, 2**64, sum(sizes), dtype=np.uint64
            )
            starts = np.concatenate([[0], np.cumsum(sizes)])
            tables = [
                marks[starts[number] + self.ladders[key].places[level]]
                for number, (key, level) in enumerate(zip(keys, levels, strict=True))
            ]
        offsets = np.concatenate([[0], np.cumsum([len(table) for table in tables])]).astype(np.int64)
        of_row, counted = classes(codes, counts, np.concatenate(tables), offsets[:-1])
        return of_row, counted

    def evaluate(self, levels: Levels, *, with_rows: bool = False) -> Node:
        """Count the classes of a choice of levels, leave records out where needed, and add up the loss."""
        rows, keys = self.rows, range(len(self.ladders))
        of_row, sizes = self.classes(levels, keys, rows.codes, rows.counts)
        small = sizes < self.k
        fails = small.copy()
        for sensitive in rows.sensitive:
            fails |= sensitive.failing(of_row, len(sizes))
        penalty = sum(
            self.penalty(key, level)[rows.codes[:, key]] for key, level in zip(keys, levels, strict=True)
        )
        lost = np.bincount(of_row, rows.counts * (1.0 - penalty), minlength=len(sizes))
        sound = self._with_another(fails, sizes, lost, of_row)
        suppressed = int(sizes[fails].sum())
        loss = float(np.sum(rows.counts * penalty) + lost[fails].sum()) / rows.records
        return Node(
            levels,
            int(sizes[small].sum()),
            suppressed,
            loss,
            sound and suppressed <= self.limit,
            ~fails[of_row] if with_rows else None,
        )

    def _with_another(self, fails: Array, sizes: Array, lost: Array, of_row: Array) -> bool:
        """Makes the class of those left out sound, adding the cheapest other class if it is not.

        It returns whether the class is sound.
        """
        if not fails.any() or self._sound(fails, sizes, of_row):
            return True
        able = np.flatnonzero(~fails)
        for added in able[np.lexsort([able, lost[able]])][:1]:
            fails[added] = True
        return self._sound(fails, sizes, of_row)

    def _sound(self, fails: Array, sizes: Array, of_row: Array) -> bool:
        if sizes[fails].sum() < self.k:
            return False
        # One class for all left out; whatever the others are, only this one is asked about.
        together = np.where(fails[of_row], 0, 1)
        return not any(sensitive.failing(together, 2)[0] for sensitive in self.rows.sensitive)

    def least_loss(self) -> Array:
        """The loss of every choice of levels if nobody had to be left out: a bound from below."""
        total = np.zeros(self.shape)
        for key, ladder in enumerate(self.ladders):
            count = np.bincount(self.rows.codes[:, key], self.rows.counts, minlength=len(ladder.places[0]))
            means = [
                float(np.sum(count * self.penalty(key, level))) / self.rows.records
                for level in range(ladder.levels)
            ]
            total += np.array(means).reshape([-1 if axis == key else 1 for axis in range(len(self.shape))])
        return total

    def most_penalty(self) -> Array:
        """The largest penalty a record can have at every choice of levels."""
        total = np.zeros(self.shape)
        for key, ladder in enumerate(self.ladders):
            most = [float(self.penalty(key, level).max()) for level in range(ladder.levels)]
            total += np.array(most).reshape([-1 if axis == key else 1 for axis in range(len(self.shape))])
        return total

    def rolled_up(self, base: Levels) -> Problem:
        """The same problem on rows that are already as coarse as `base`.

        No finer level is needed any more.
        """
        of_row, sizes = self.classes(base, range(len(self.ladders)), self.rows.codes, self.rows.counts)
        if len(sizes) == len(of_row):
            return self
        first = np.zeros(len(sizes), dtype=np.int64)
        first[of_row[::-1]] = np.arange(len(of_row))[::-1]
        rows = Rows(
            self.rows.codes[first],
            sizes,
            tuple(sensitive.rolled_up(of_row.astype(np.int64)) for sensitive in self.rows.sensitive),
        )
        return Problem(self.ladders, rows, self.weights, self.k, self.limit, self.by_height)
