"""What the keys chosen so far tell about people, and what each variable more, less or coarser would change.

Counts come from the pair's own counting and from registered measures, on the original as it was read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from sdc.catalogue.measurement import Measurement
from sdc.data.classes import Classed
from sdc.data.release_pair import ReleasePair, Side
from sdc.data.roles import MissingRule, Role
from sdc.ingest.determined_keys import NEARLY, told_share
from sdc.measures.assess import assess
from sdc.statistics.counts.equivalence import numbered
from sdc.statistics.counts.histogram import round_edges
from sdc.statistics.counts.subsets import key_tables
from sdc.statistics.counts.wildcard import matching_records

if TYPE_CHECKING:
    from sdc.arrays import Array
    from sdc.data.classes import RecordClasses
    from sdc.data.table import Table
    from sdc.profile.plan import Profile

USUAL_K = 3
BANDS = 8
"""How many bands a number is cut into to see what coarsening would do."""
RARE = 0.05
"""Categories of fewer records are joined to see what coarsening would do."""
MOST_KEYS_TOGETHER = 3
MOST_SHOWN = 5
SUDA_SETS = 256
"""So many sets of keys are looked at while somebody waits."""


@dataclass(frozen=True)
class Effect:
    """What one variable does: unique records without it, or with it where it is no key yet."""

    name: str
    is_key: bool
    uniques: int
    change: int
    contribution: float | None = None
    coarser: int | None = None
    how: str = ""


@dataclass(frozen=True)
class Together:
    """Some keys together, and how many records they single out."""

    keys: tuple[str, ...]
    uniques: int


@dataclass(frozen=True)
class LiveRisk:
    """Records, unique ones, those in classes below k, and what would change that."""

    keys: tuple[str, ...]
    k: int
    records: int
    uniques: int
    below: int
    smallest: int
    effects: tuple[Effect, ...] = ()
    riskiest: tuple[Together, ...] = ()
    largest_set: int = 0
    """Sets of up to so many keys were looked at for contributions; 0 where none were."""
    of_sample: bool = False

    def effect(self, name: str) -> Effect | None:
        return next((each for each in self.effects if each.name == name), None)


def demanded_k(profile: Profile) -> int:
    """The k that the profile demands of k_anonymity, else the usual one."""
    wanted = [
        int(each.at_least)
        for each in profile.criteria
        if each.measure == "k_anonymity" and each.part is None and each.at_least is not None
    ]
    return max([*wanted, 2]) if wanted else USUAL_K


def live_risk(
    pair: ReleasePair,
    keys: Sequence[str],
    others: Sequence[str],
    k: int,
    progress: Callable[[float, str], None] = lambda _share, _said: None,
) -> LiveRisk:
    """The risk on the keys, and what adding one of the others, or dropping or coarsening a key, would do."""
    if not keys:
        alone = [_with(pair, (), name, 0) for name in others]
        return LiveRisk((), k, pair.original.rows, 0, 0, pair.original.rows, tuple(alone))
    sizes = pair.class_sizes(keys)
    uniques = sizes.records_below(2)
    classes = pair.record_classes(keys)
    contributions, largest = _contributions(pair, keys)
    effects = []
    for effect in chain(
        _of_keys(pair, keys, classes, uniques, contributions),
        (_with(pair, keys, name, uniques) for name in others),
    ):
        effects.append(effect)
        progress(len(effects) / (len(keys) + len(others)), f"without or with {effect.name}")
    return LiveRisk(
        tuple(keys),
        k,
        sizes.total_records,
        uniques,
        sizes.records_below(k),
        sizes.smallest,
        tuple(effects),
        tuple(_riskiest(keys, classes)),
        largest,
    )


def candidates_for_keys(profile: Profile) -> tuple[list[str], list[str]]:
    """The keys, and the variables that could become one."""
    keys, others = [], []
    for name, plan in profile.variables.items():
        if plan.role is Role.QUASI_IDENTIFIER:
            keys.append(name)
        elif plan.role in (Role.OTHER, Role.SENSITIVE, Role.STRATUM):
            others.append(name)
    return keys, others


def _with(pair: ReleasePair, keys: Sequence[str], name: str, uniques: int) -> Effect:
    found = pair.class_sizes([*keys, name]).records_below(2)
    return Effect(name, is_key=False, uniques=found, change=found - uniques)


def _of_keys(
    pair: ReleasePair,
    keys: Sequence[str],
    classes: RecordClasses,
    uniques: int,
    contributions: Mapping[str, float],
) -> Iterator[Effect]:
    for place, name in enumerate(keys):
        rest = [key for key in keys if key != name]
        without = pair.class_sizes(rest).records_below(2) if rest else 0
        coarser, how = _coarser(pair, keys, place, classes)
        yield Effect(
            name,
            is_key=True,
            uniques=without,
            change=without - uniques,
            contribution=contributions.get(name),
            coarser=None if coarser is None else coarser - uniques,
            how=how,
        )


def _coarser(
    pair: ReleasePair, keys: Sequence[str], place: int, classes: RecordClasses
) -> tuple[int | None, str]:
    """Unique records if this key had bands, or its rare categories were one."""
    name = keys[place]
    if pair.original.is_numeric(name):
        banded = _bands(pair, name)
        if banded is None:
            return None, ""
        band, how = banded
        with_missing = [*keys[:place], *keys[place + 1 :]]
        if pair.missing is MissingRule.WILDCARD:
            return None, ""
        counts = pair.counts([*with_missing, band], Side.CANDIDATE)[0]
        return int((counts == 1).sum()), how
    joined = _joined(classes, place)
    if joined is None:
        return None, ""
    codes, many = joined
    rows, which = numbered_rows(codes)
    count = np.bincount(which, classes.count).astype(np.int64)
    if pair.missing is MissingRule.WILDCARD:
        count = np.where(matching_records(rows, count) == 1, count, 0)
        return int(count.sum()), f"its {many} rarest categories as one"
    return int((count == 1).sum()), f"its {many} rarest categories as one"


def numbered_rows(codes: Array) -> tuple[Array, Array]:
    """The distinct rows, and for each row which of them it is."""
    place = np.zeros(codes.shape[0], dtype=np.int64)
    for column in codes.T:
        place = numbered(place * (int(column.max(initial=-1)) + 2) + column + 1)[1]
    some = np.zeros(int(place.max(initial=-1)) + 1, dtype=np.int64)
    some[place] = np.arange(place.size)
    return codes[some], place


def _bands(pair: ReleasePair, name: str) -> tuple[Classed, str] | None:
    """About eight bands with round borders; None where there are no more values than that."""
    numbers = pair.numbers(name, Side.ORIGINAL)
    known = numbers[~np.isnan(numbers)]
    values = np.unique(known[:10_000])
    if values.size <= BANDS:
        return None
    edges = round_edges(float(known.min()), float(known.max()), BANDS)
    if edges[1] - edges[0] <= np.diff(values).min():
        # Whole numbers from 1 to 9 in bands of 1 would be as they are.
        edges = round_edges(float(known.min()), float(known.max()), BANDS // 2)
    return Classed(name, tuple(map(float, edges[1:-1]))), f"bands of {edges[1] - edges[0]:g}"


def _joined(classes: RecordClasses, place: int) -> tuple[Array, int] | None:
    """The codes with the rare categories of one key as one; None where fewer than two are rare."""
    column = classes.codes[:, place]
    held = np.bincount(column + 1, classes.count)
    rare = np.flatnonzero((held > 0) & (held < RARE * held.sum()))
    rare = rare[rare > 0]
    # Where all are rare, only those that hold half of the records are joined.
    rare = rare[np.argsort(held[rare], kind="stable")]
    rare = rare[np.cumsum(held[rare]) <= held.sum() / 2]
    if rare.size < 2:
        return None
    codes = classes.codes.copy()
    codes[np.isin(column + 1, rare), place] = rare[0] - 1
    return codes, int(rare.size)


def _contributions(pair: ReleasePair, keys: Sequence[str]) -> tuple[dict[str, float], int]:
    """The percentage of all SUDA scores from sets with each key."""
    sizes = range(1, len(keys) + 1)
    sets = [sum(comb(len(keys), each) for each in range(1, size + 1)) for size in sizes]
    largest = max((size for size, many in zip(sizes, sets, strict=True) if many <= SUDA_SETS), default=1)
    outcome = assess("special_uniques", pair, {"keys": list(keys), "max_size": largest}).outcome
    if not isinstance(outcome, Measurement):
        return {}, 0
    return {key: float(outcome.parts[f"contribution.{key}"]) for key in keys}, largest


def _riskiest(keys: Sequence[str], classes: RecordClasses) -> list[Together]:
    """The sets of few keys that single out most records, smaller sets first where they do as much."""
    found = [
        Together(tuple(keys[each] for each in table.keys), int(table.records[table.records == 1].sum()))
        for table in key_tables(classes.codes, classes.count, min(MOST_KEYS_TOGETHER, len(keys)))
    ]
    told = sorted((each for each in found if each.uniques), key=lambda each: (-each.uniques, len(each.keys)))
    return told[:MOST_SHOWN]


@dataclass(frozen=True)
class Giveaway:
    """A variable that tells another, and how often."""

    by: str
    of: str
    share: float


def giveaways(
    table: Table,
    profile: Profile,
    progress: Callable[[float, str], None] = lambda _share, _said: None,
) -> list[Giveaway]:
    """Variables that give a key or a sensitive variable away, most often first."""
    roles = profile.roles
    hidden = [name for name in (*roles.quasi_identifiers, *roles.sensitive) if name in table.columns]
    telling = [name for name in roles.analysed if name in table.columns]
    pairs = [(by, of) for of in hidden for by in telling if by != of]
    found = []
    for place, (by, of) in enumerate(pairs):
        share = told_share(table, by, of)
        if share >= NEARLY:
            found.append(Giveaway(by, of, share))
        progress((place + 1) / len(pairs), f"does {by} tell {of}?")
    return sorted(found, key=lambda each: -each.share)
