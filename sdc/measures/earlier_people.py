"""Where each person of the original is in a table released before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc.catalogue.measurement import NotAssessed
from sdc.data import sql
from sdc.data.label_lookup import containment
from sdc.data.release_pair import EarlierRelease, ReleasePair
from sdc.data.sharing import shared
from sdc.measures.linking import outsider_places

if TYPE_CHECKING:
    from sdc.arrays import Array
    from sdc.data.table import Table


@dataclass(frozen=True)
class Located:
    """An earlier release as seen from the original: for each key, the label of each original record.

    Labels are codes, -1 where blank. `places` is the record of the release that is the same person, -1 where
    there is none or where it is not known. `joined` marks the original records that have labels here; the
    others are in the release for nobody.
    """

    table: Table
    keys: tuple[str, ...]
    columns: tuple[Array, ...]
    places: Array
    joined: Array


@shared
def places(pair: ReleasePair, release: EarlierRelease) -> Array | None:
    """For each original record the record of the release that is the same person, -1 where that is not known.

    The runs know it, or else an outsider finds it. It is None where not even an outsider finds anybody.
    """
    import numpy as np

    if release.places is None:
        return outsider_places(pair, release)
    return np.asarray(
        release.places.arrow(f'SELECT "place" FROM {sql.name(release.places.name)}')
        .column("place")
        .to_numpy()
    )


@shared
def located(pair: ReleasePair, release: EarlierRelease, keys: Sequence[str]) -> Located | NotAssessed:
    """Finds the people of the original in an earlier release: by the person, or else by label.

    By the person, where the runs or an outsider's means say who is who; all others by the label that holds
    the record's value.

    Where the runs know it, a person who is not in the release is not in the join. By label, a value that an
    earlier release blanked for single records counts as shown.
    """
    import numpy as np

    table = release.table
    held = tuple(key for key in keys if key in table.columns)
    shown = [table.codes(key) for key in held]
    found = places(pair, release)
    if found is None:
        found = np.full(pair.original.rows, -1)
    linked = found >= 0
    by_person = [codes[np.maximum(found, 0)] for codes, _ in shown] if table.rows else []
    if release.places is not None or linked.all():
        return Located(table, held, tuple(by_person), found, linked)
    by_label = [_by_label(pair, release, key, levels) for key, (_, levels) in zip(held, shown, strict=True)]
    unknown = [key for key, labels in zip(held, by_label, strict=True) if labels is None]
    if unknown:
        return NotAssessed(
            f"the labels of {', '.join(unknown)} in earlier release {release.name} cannot be traced to values"
            " of the original"
        )
    columns = tuple(
        np.where(linked, mine, label)
        for mine, label in zip(by_person, by_label, strict=True)
        if label is not None
    )
    return Located(table, held, columns, found, np.ones(pair.original.rows, dtype=bool))


def _by_label(pair: ReleasePair, release: EarlierRelease, key: str, levels: Sequence[str]) -> Array | None:
    """For each original record the code of the label that holds its value; values in no label share a code.

    It is None where a value is in no label while a label holds no value: the one may stand for the other.
    """
    import numpy as np

    codes, values = pair.original.codes(key)
    generalised = containment(key, pair.original, release.table, pair.roles, release.steps)
    if generalised is not None and generalised.problem:
        return None
    position = {level: place for place, level in enumerate(levels)}
    labels = values if generalised is None else generalised.labels(values)
    at = np.array([*(position.get(label, len(levels)) for label in labels), -1])
    unexplained = len(levels) - len(set(at.tolist()) - {-1, len(levels)})
    if unexplained and len(levels) in at:
        return None
    traced: Array = at[codes]
    return traced


def blanks(table: Table, columns: Sequence[str]) -> Array:
    """Which values of a table are missing: a row for each record, a column for each variable."""
    import numpy as np

    if not columns:
        return np.zeros((table.rows, 0), dtype=bool)
    asked = ", ".join(
        f'{sql.comparable(sql.name(column), table.types[column])} IS NULL AS "{place}"'
        for place, column in enumerate(columns)
    )
    answer = table.arrow(f"SELECT {asked} FROM {sql.name(table.name)}")
    return np.column_stack([answer.column(str(place)).to_numpy() for place in range(len(columns))])
