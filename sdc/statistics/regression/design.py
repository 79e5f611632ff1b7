"""Turns variables of mixed kinds into the columns of a regression."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations

import numpy as np

from sdc.arrays import Array
from sdc.statistics.distances.ordering import places

MOST_NARROW = 2**15 - 1
"""Matrices of no more columns number them in two bytes."""


class TermKind(StrEnum):
    """Which products of the variables are columns: each kind has those of the one before."""

    LINEAR = "linear"
    INTERACTIONS = "interactions"
    QUADRATIC = "quadratic"
    CUBIC = "cubic"


@dataclass(frozen=True)
class Feature:
    """A variable, record by record: numbers with NaN, or codes below `levels` with -1, for missing."""

    name: str
    values: Array
    levels: int | None = None

    @property
    def numeric(self) -> bool:
        return self.levels is None

    @cached_property
    def codes(self) -> Array:
        """A whole number for each value, -1 where missing.

        It is a category's code, or a number's place among the distinct ones.
        """
        return places(self.values) if self.levels is None else self.values


@dataclass(frozen=True)
class Block:
    """Columns of which each record fills one at most: which one (-1 for none) and with what.

    A value of None means one everywhere. `source` is the place of the variable it was made of.
    """

    column: Array
    value: Array | None
    width: int
    source: int

    def times(self, other: Block) -> Block:
        """All products of a column here with a column there."""
        column = np.where(
            (self.column >= 0) & (other.column >= 0),
            self.column.astype(np.int64) * other.width + other.column,
            -1,
        )
        values = [block.value for block in (self, other) if block.value is not None]
        value = values[0] * values[1] if len(values) == 2 else values[0] if values else None
        return _packed(column, value, self.width * other.width, -1)


@dataclass(frozen=True)
class Design:
    """A sparse regression matrix: row i has a value in column columns[i, k], where that is not -1.

    The value is one, or values[i, held[k]] where held[k] is not -1: most columns are indicators. Column 0 is
    the intercept. `binary` marks columns that hold only 0 and 1.
    """

    columns: Array
    values: Array
    held: Array
    width: int
    binary: Array

    def all_values(self) -> Array:
        """The value of every row in each of its columns."""
        whole = np.ones(self.columns.shape)
        whole[:, self.held >= 0] = self.values[:, self.held[self.held >= 0]]
        return whole


def _packed(column: Array, value: Array | None, width: int, source: int) -> Block:
    """The block without the columns no record fills."""
    used = np.bincount(column[column >= 0], minlength=width) > 0
    filled = int(used.sum())
    place = np.append(np.cumsum(used) - 1, -1).astype(_narrow(filled))
    return Block(place[column], value, filled, source)


def _narrow(width: int) -> type[np.signedinteger]:
    return np.int16 if width <= MOST_NARROW else np.int32


def _centred(values: Array) -> Array | None:
    """Numbers with mean 0 and standard deviation 1 where observed, 0 where missing.

    It is None where they do not vary.
    """
    observed = values[~np.isnan(values)]
    if not observed.size or observed.min() == observed.max():
        return None
    scale = observed.max() - observed.min()
    moved = (values - observed.min()) / scale
    mean, spread = np.nanmean(moved), np.nanstd(moved)
    centred: Array = np.nan_to_num((moved - mean) / spread, nan=0.0)
    return centred


def _main_effects(features: Iterable[Feature]) -> list[Block]:
    """The main effects of a variable.

    For a category they are its levels except the commonest, missing among them; for a number, its value and
    whether it is missing.
    """
    blocks = []
    for place, feature in enumerate(features):
        if feature.levels is not None:
            codes = np.where(feature.values < 0, feature.levels, feature.values)
            codes[codes == int(np.bincount(codes).argmax())] = -1
            blocks.append(_packed(codes, None, feature.levels + 1, place))
            continue
        centred, missing = _centred(feature.values), np.isnan(feature.values)
        if centred is not None:
            everywhere = np.broadcast_to(np.int16(0), centred.shape)
            blocks.append(Block(everywhere, centred, 1, place))
        if missing.any():
            blocks.append(Block(missing.astype(np.int16) - np.int16(1), None, 1, place))
    return [block for block in blocks if block.width]


def _powers(blocks: list[Block], terms: TermKind) -> list[Block]:
    numbers = [block for block in blocks if block.value is not None]
    squares = [block.times(block) for block in numbers]
    if terms is TermKind.QUADRATIC:
        return squares
    cubes = [square.times(number) for square, number in zip(squares, numbers, strict=True)]
    return [*squares, *cubes, *(one.times(other) for one, other in combinations(squares, 2))]


def term_blocks(features: Iterable[Feature], terms: TermKind = TermKind.LINEAR) -> list[Block]:
    """The blocks of the terms asked for, without the intercept. Variables are taken one after the other.

    Interactions are all products of columns of two variables; quadratic adds the squares of numbers; cubic
    adds their cubes and the products of two squares. Numbers are centred and scaled first, on all records
    together: products of raw numbers would depend on where their zero lies.
    """
    blocks = _main_effects(features)
    if terms is TermKind.LINEAR:
        return blocks
    products = [one.times(other) for one, other in combinations(blocks, 2) if one.source != other.source]
    powers = _powers(blocks, terms) if terms is not TermKind.INTERACTIONS else []
    return [block for block in (*blocks, *products, *powers) if block.width]


def design(blocks: list[Block], records: int) -> Design:
    """The matrix of the blocks, intercept first.

    Blocks are taken out of the list one by one, so that they are not in memory beside the whole matrix.
    """
    numbers = [place for place, block in enumerate(blocks, start=1) if block.value is not None]
    width = 1 + sum(block.width for block in blocks)
    columns = np.zeros((records, len(blocks) + 1), dtype=_narrow(width))
    values = np.empty((records, len(numbers)))
    held = np.full(len(blocks) + 1, -1, dtype=np.int32)
    held[numbers] = np.arange(len(numbers), dtype=np.int32)
    binary = np.ones(width, dtype=bool)
    begin = 1
    for place in range(1, len(blocks) + 1):
        block = blocks.pop(0)
        columns[:, place] = np.where(block.column >= 0, block.column.astype(columns.dtype) + begin, -1)
        if block.value is not None:
            values[:, held[place]] = block.value
            binary[begin : begin + block.width] = False
        begin += block.width
    return Design(columns, values, held, width, binary)
