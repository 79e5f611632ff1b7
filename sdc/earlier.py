"""Where is each person of the original in a table released before?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc import sql
from sdc.containment import containment
from sdc.measurement import NotAssessed
from sdc.release_pair import EarlierRelease, ReleasePair

if TYPE_CHECKING:
    import numpy as np

    from sdc.table import Table

    Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Located:
    """An earlier release seen from the original: for each key it has, the code of its label for each original record, -1 where blank.

    `in_place`: its record i is the original's record i.
    """

    table: Table
    keys: tuple[str, ...]
    columns: tuple[Array, ...]
    in_place: bool


def located(pair: ReleasePair, release: EarlierRelease, keys: Sequence[str]) -> Located | NotAssessed:
    """By place, where the records are known to be in place or agree with the original's values; else by the label that holds each record's value.

    Where it is not known, records are taken to be in place when there are as many as in the original and every value of a
    key has one label throughout, the one that holds it where that can be read. By label, what an earlier release blanked for
    single records is taken as shown.
    """
    return pair.once(("located", release.table.name, tuple(keys)), lambda: _located(pair, release, keys))


def _located(pair: ReleasePair, release: EarlierRelease, keys: Sequence[str]) -> Located | NotAssessed:
    table = release.table
    held = tuple(key for key in keys if key in table.columns)
    shown = [table.codes(key) for key in held]
    if release.aligned:
        return Located(table, held, tuple(codes for codes, _ in shown), in_place=True)
    by_label = [_by_label(pair, release, key, levels) for key, (_, levels) in zip(held, shown, strict=True)]
    if held and release.aligned is None and table.rows == pair.original.rows:
        agree = (_in_place(pair, key, codes, labels) for key, (codes, _), labels in zip(held, shown, by_label, strict=True))
        if all(agree):
            return Located(table, held, tuple(codes for codes, _ in shown), in_place=True)
    unknown = [key for key, labels in zip(held, by_label, strict=True) if labels is None]
    if unknown:
        return NotAssessed(f"the labels of {', '.join(unknown)} in earlier release {release.name} cannot be traced to values of the original")
    return Located(table, held, tuple(labels for labels in by_label if labels is not None), in_place=False)


def _by_label(pair: ReleasePair, release: EarlierRelease, key: str, levels: Sequence[str]) -> Array | None:
    """For each original record the code of the label that holds its value, a code of their own for values none holds.

    None where a value is in no label while a label holds no value: the one may stand for the other.
    """
    import numpy as np

    codes, values = pair.original.codes(key)
    generalised = containment(key, pair.original, release.table, pair.roles, release.steps)
    if generalised is not None and generalised.problem:
        return None
    position = {level: place for place, level in enumerate(levels)}
    labels = values if generalised is None else generalised.labels(values)
    places = np.array([*(position.get(label, len(levels)) for label in labels), -1])
    unexplained = len(levels) - len(set(places.tolist()) - {-1, len(levels)})
    if unexplained and len(levels) in places:
        return None
    traced: Array = places[codes]
    return traced


def _in_place(pair: ReleasePair, key: str, codes: Array, by_label: Array | None) -> bool:
    """Does every original value have one label throughout, blanks aside, and the one that holds it where that is known?"""
    import numpy as np

    values, _ = pair.original.codes(key)
    shown = codes >= 0
    if by_label is not None:
        return bool((codes[shown] == by_label[shown]).all())
    pairs = np.unique(np.column_stack([values[shown], codes[shown]]), axis=0)
    return pairs.shape[0] == np.unique(pairs[:, 0]).size and not (values[shown] < 0).any()


def blanks(table: Table, columns: Sequence[str]) -> Array:
    """Which values of a table are missing: a row for each record, a column for each variable."""
    import numpy as np

    if not columns:
        return np.zeros((table.rows, 0), dtype=bool)
    asked = ", ".join(f'{sql.comparable(sql.name(column), table.types[column])} IS NULL AS "{place}"' for place, column in enumerate(columns))
    answer = table.arrow(f"SELECT {asked} FROM {sql.name(table.name)}")
    return np.column_stack([answer.column(str(place)).to_numpy() for place in range(len(columns))])
