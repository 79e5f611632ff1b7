"""One record of a run beside its original: what changed, which keys make it unique, which blank would help.

It is confidential. Whoever looks signs for it first, with a key for the role `records`; the ledger has who
looked at which record and why, never a value of it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from sdc.audit import vouched
from sdc.audit.remarks import CLEARANCE, LOOK, remark
from sdc.data import sql
from sdc.data.warehouse import KEY_VARIABLE, read_only
from sdc.errors import CannotApprove, CannotLook
from sdc.profile.plan import Profile
from sdc.spelling import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    import duckdb

    from sdc.audit.record import RunView
    from sdc.run.home import Home

MOST_LISTED, MOST_KEYS_TOGETHER, MANY_KEYS = 10, 3, 12
USUAL_K = 3


@dataclass(frozen=True)
class ShownValue:
    """A variable of the record, in the original and in the candidate."""

    name: str
    label: str
    is_key: bool
    original: str
    candidate: str

    @property
    def changed(self) -> bool:
        return self.original != self.candidate


@dataclass(frozen=True)
class RecordPage:
    """What is shown of one record; `alike` counts the records with its keys, itself among them."""

    candidate: str
    number: int
    records: int
    values: tuple[ShownValue, ...]
    alike: int
    k: int
    unique_on: tuple[str, ...]
    remedies: tuple[str, ...]
    riskiest: tuple[tuple[int, int], ...]

    @property
    def sentence(self) -> str:
        crowd = (
            "nobody else has its keys"
            if self.alike == 1
            else f"{counted(self.alike, 'record')} have its keys, this one among them"
        )
        changed = sum(value.changed for value in self.values)
        return f"{crowd}; {changed} of {counted(len(self.values), 'value')} were changed"


def candidates_to_look_at(record: Mapping[str, Any]) -> list[str]:
    """Candidates whose records stand in the order of the original."""
    return [
        str(each["name"])
        for each in record["candidates"]
        if each["steps"] is not None and all(step["aligned"] for step in each["steps"]) and each["sha256"]
    ]


def look(
    home: Home,
    view: RunView,
    candidate: str,
    number: int | None,
    *,
    by: str,
    reason: str,
    passphrase: str,
) -> RecordPage:
    """The record, after the look is signed and in the ledger; without a number, the one most at risk."""
    record, run = view.record, view.row.run
    if record is None:
        raise CannotLook(f"the sealed record of run {run} is not here, or not the one the ledger knows")
    if candidate not in candidates_to_look_at(record):
        raise CannotLook(f"the records of {candidate!r} do not stand in the order of the original")
    directory = home.directory(run)
    try:
        vouched.require_unaltered(directory, record, (directory.warehouse,))
    except CannotApprove:
        raise CannotLook(f"files of run {run} are not those that its sealed record vouches for") from None
    if not reason.strip():
        raise CannotLook("say why you look; it stays on record")
    profile = Profile.model_validate(record["profile"]["plan"])
    with read_only(directory, os.environ.get(KEY_VARIABLE)) as database:
        table = f"candidate_{candidate}"
        if not database.has(table) or not database.has("original"):
            raise CannotLook(f"the run no longer keeps the records of {candidate!r}")
        cursor = database.cursor()
        riskiest = _riskiest(cursor, table, profile.roles.quasi_identifiers)
        wanted = number if number is not None else riskiest[0][0]
        rows = database.table(table).rows
        if not 1 <= wanted <= rows:
            raise CannotLook(f"records are numbered from 1 to {rows:,}, in the order of the source")
        words = f"record {wanted:,} of {candidate}: {reason.strip()}"
        remark(home, run, LOOK, role=CLEARANCE, by=by, text=words, passphrase=passphrase)
        return _page(cursor, profile, candidate, wanted, rows, riskiest)


def _riskiest(
    cursor: duckdb.DuckDBPyConnection, table: str, keys: Sequence[str]
) -> tuple[tuple[int, int], ...]:
    """Numbers of the records in the smallest crowds, with their sizes."""
    listed = ", ".join(map(sql.name, keys)) or "NULL"
    found = cursor.execute(
        f"SELECT rowid + 1 AS number, count(*) OVER (PARTITION BY {listed}) AS size FROM {sql.name(table)}"
        f" ORDER BY size, number LIMIT {MOST_LISTED}"
    ).fetchall()
    return tuple((int(number), int(size)) for number, size in found)


def _page(
    cursor: duckdb.DuckDBPyConnection,
    profile: Profile,
    candidate: str,
    number: int,
    rows: int,
    riskiest: tuple[tuple[int, int], ...],
) -> RecordPage:
    names, table = profile.roles.released, f"candidate_{candidate}"
    before, after = (_values(cursor, held, names, number) for held in ("original", table))
    keys = {name: after[name] for name in profile.roles.quasi_identifiers}
    sizes = _sizes(cursor, table, {name: held for name, held in keys.items() if held is not None})
    (alike,) = _counts(cursor, table, keys, [tuple(keys)])
    k = _demanded(profile)
    return RecordPage(
        candidate,
        number,
        rows,
        tuple(
            ShownValue(
                name,
                profile.variables[name].label or "",
                name in profile.roles.quasi_identifiers,
                _said(before[name]),
                _said(after[name]),
            )
            for name in names
        ),
        alike,
        k,
        _unique_on(sizes),
        _remedies(cursor, table, keys, k) if alike < k else (),
        riskiest,
    )


def _values(
    cursor: duckdb.DuckDBPyConnection, table: str, names: Sequence[str], number: int
) -> dict[str, Any]:
    listed = ", ".join(map(sql.name, names))
    found = cursor.execute(f"SELECT {listed} FROM {sql.name(table)} WHERE rowid = ?", [number - 1]).fetchall()
    return dict(zip(names, found[0], strict=True))


def _said(value: Any) -> str:
    return "missing" if value is None else str(value)


def _sizes(
    cursor: duckdb.DuckDBPyConnection, table: str, held: Mapping[str, Any]
) -> dict[tuple[str, ...], int]:
    """How many records share the values of this one on every small set of its keys."""
    most = MOST_KEYS_TOGETHER if len(held) <= MANY_KEYS else 2
    sets = [each for size in range(1, most + 1) for each in combinations(held, size)]
    return dict(zip(sets, _counts(cursor, table, held, sets), strict=True))


def _counts(
    cursor: duckdb.DuckDBPyConnection, table: str, held: Mapping[str, Any], sets: Sequence[tuple[str, ...]]
) -> list[int]:
    """Records equal to these values on each set of variables, in one look at the table."""
    if not sets:
        return []
    equal = {name: f"e{place}" for place, name in enumerate(held)}
    columns = ", ".join(
        f"({sql.name(name)} IS NOT DISTINCT FROM ?) AS {sign}" for name, sign in equal.items()
    )
    asked = ", ".join(f"count_if({' AND '.join(equal[name] for name in each) or 'true'})" for each in sets)
    found = cursor.execute(
        f"SELECT {asked} FROM (SELECT {columns or '1'} FROM {sql.name(table)})", list(held.values())
    ).fetchall()
    return [int(count) for count in found[0]]


def _unique_on(sizes: Mapping[tuple[str, ...], int]) -> tuple[str, ...]:
    """Sets of keys that nobody else shares, none of which contains another."""
    found: list[tuple[str, ...]] = []
    for each, size in sizes.items():
        if size == 1 and not any(set(smaller) <= set(each) for smaller in found):
            found.append(each)
    return tuple(" + ".join(each) for each in found)


def _remedies(
    cursor: duckdb.DuckDBPyConnection, table: str, held: Mapping[str, Any], k: int
) -> tuple[str, ...]:
    """Which keys, blanked in this record, leave a crowd of k on the others: one of them, or else two.

    A key that is blank already is one of the others: an intruder sees the blank.
    """
    present = [name for name, value in held.items() if value is not None]
    for size in (1, 2):
        blanked = list(combinations(present, size))
        rest = [tuple(name for name in held if name not in each) for each in blanked]
        sizes = _counts(cursor, table, held, rest)
        good = sorted(
            ((count, each) for count, each in zip(sizes, blanked, strict=True) if count >= k),
            key=lambda found: (-found[0], found[1]),
        )
        if good:
            return tuple(
                f"without {' and '.join(each)} it is one of {count:,} on the other keys"
                for count, each in good
            )
    return ("no two keys blanked are enough",)


def _demanded(profile: Profile) -> int:
    limits = [
        criterion.at_least
        for criterion in profile.risk
        if criterion.measure == "k_anonymity" and criterion.at_least is not None and criterion.part is None
    ]
    return int(max(limits, default=USUAL_K))
