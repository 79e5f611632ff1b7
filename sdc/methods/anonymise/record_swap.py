"""Could the household that stands out live somewhere else?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from sdc.catalogue import Column, Protected, Protection, Touches, method
from sdc.data.roles import Roles
from sdc.errors import BadOption, CannotProtect
from sdc.methods import columns
from sdc.statistics.counts.equivalence import numbered, packed

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array


@method(
    protection=Protection.PERTURBATIVE,
    touches=Touches.KEYS,
    example={"variables": ["region", "urbanisation"], "similar": ["sex"]},
)
def record_swap(
    table: pd.DataFrame,
    roles: Roles,
    rng: np.random.Generator,
    *,
    variables: list[Column],
    similar: list[Column] = [],  # noqa: B006
    keys: list[Column] | None = None,
    k: Annotated[int, Field(ge=2)] = 3,
    rate: Annotated[float, Field(ge=0, le=1)] = 0.05,
    standing_out: Literal["first", "all"] = "first",
) -> Protected:
    """Households swap where they live with similar households elsewhere, those that stand out first.

    `variables` are the geography from the coarsest area to the finest. A household stands out in an area
    where one of its members has a combination of `keys` (the other quasi-identifiers) that fewer than k
    persons there have. It swaps at the coarsest level at which it stands out: with a household of another
    area of that level, but of the same area above. Those who stand out come first, up to the share `rate` of
    all households, or all of them whatever the rate; then others swap across the finest areas until the rate
    is reached. A partner has as many members, and the same values of `similar` among them; where none is
    free, the last of `similar` is given up, then the one before. All members move, and each household once.
    Without household numbers every record is one.

    Formula: y_hG = x_{g(h)G} and y_{g(h)G} = x_hG for the geography G of household h and its partner g(h).

    Reference: Dalenius, Reiss (1982), doi:10.1016/0378-3758(82)90058-1; Shlomo, Tudor, Groom (2010),
    doi:10.1007/978-3-642-15838-4_4.
    """
    names = columns.known("record_swap", table, variables)
    if not names:
        raise BadOption(
            "record_swap", "variables", "name the geography, from the coarsest area to the finest"
        )
    others = (
        keys
        if keys is not None
        else [name for name in roles.quasi_identifiers if name in table.columns and name not in names]
    )
    homes = _Homes.of(table, roles, names, columns.known("record_swap", table, similar, "similar"))
    risky = _risky(table, columns.known("record_swap", table, others, "keys"), names, homes, k)
    partner = np.full(homes.count, -1)
    wanted = round(rate * homes.count)
    for level in range(len(names)):
        _swap(
            np.flatnonzero(risky[level]),
            level,
            homes,
            partner,
            rng,
            homes.count if standing_out == "all" else wanted - _moved(partner),
        )
    _swap(np.arange(homes.count), len(names) - 1, homes, partner, rng, wanted - _moved(partner))
    source = np.where(partner >= 0, homes.first[partner], homes.first)[homes.of_record]
    released = table.copy(deep=False)
    for name in names:
        released[name] = table[name].array.take(source)
    stands_out = np.any(risky, axis=0)
    left = int(np.count_nonzero(stands_out & (partner < 0)))
    counts = {
        "households": homes.count,
        "standing_out": int(stands_out.sum()),
        "swapped": _moved(partner),
        "standing_out_not_swapped": left,
    }
    return Protected(released, record=counts)


def _moved(partner: Array) -> int:
    return int(np.count_nonzero(partner >= 0))


@dataclass(frozen=True)
class _Homes:
    """Households: the number of each record's, and their first records, areas and profiles.

    Areas go level by level, profiles from full to bare.
    """

    of_record: Array
    first: Array
    areas: Array
    profiles: tuple[Array, ...]

    @property
    def count(self) -> int:
        return len(self.first)

    @classmethod
    def of(cls, table: pd.DataFrame, roles: Roles, geography: list[str], similar: list[str]) -> _Homes:
        unit = columns.units(table, roles)
        first = np.unique(unit, return_index=True)[1]
        areas = columns.code_matrix(table, geography)
        for place, name in enumerate(geography):
            split = np.unique(unit[areas[:, place] != areas[first][unit, place]]).size
            if split:
                raise CannotProtect("record_swap", f"{name} differs within {split} households")
        nested = np.column_stack(
            [numbered(packed(list(areas[first, : level + 1].T)))[1] for level in range(len(geography))]
        )
        size = np.bincount(unit)
        held = [size.astype(np.uint64)]
        for name in similar:
            codes = columns.coded(table[name])[0] + 1
            # Members in any order: the sum of one random number a value stands for all their values.
            marks = np.random.Generator(np.random.PCG64(0)).integers(
                1, 2**64, int(codes.max(initial=0)) + 1, dtype=np.uint64
            )
            total = np.zeros(len(first), dtype=np.uint64)
            np.add.at(total, unit, marks[codes])
            held.append(total)
        coded = [np.unique(column, return_inverse=True)[1] for column in held]
        profiles = tuple(numbered(packed(coded[: last + 1]))[1] for last in range(len(coded) - 1, -1, -1))
        return cls(unit, first, nested, profiles)


def _risky(table: pd.DataFrame, keys: list[str], geography: list[str], homes: _Homes, k: int) -> list[Array]:
    """For each level the households with a member whose keys fewer than k persons of the area have."""
    codes = columns.code_matrix(table, keys)
    risky = []
    for level in range(len(geography)):
        together = np.column_stack([homes.areas[homes.of_record, level], codes])
        person = numbered(packed(list(together.T)))[1]
        few = np.bincount(person)[person] < k
        risky.append(np.bincount(homes.of_record, few, minlength=homes.count) > 0)
    return risky


def _swap(
    candidates: Array, level: int, homes: _Homes, partner: Array, rng: np.random.Generator, most: int
) -> None:
    """Find partners for candidates in random order, until `most` households have moved."""
    above = homes.areas[:, level - 1] if level else np.zeros(homes.count, dtype=np.int64)
    lonely = rng.permutation(candidates[partner[candidates] < 0])
    for profile in homes.profiles:
        kind = numbered(packed([above, profile]))[1]
        order = np.argsort(kind, kind="stable")
        starts = np.searchsorted(kind[order], np.arange(kind.max(initial=-1) + 2))
        left = []
        for home in lonely.tolist():
            if most <= 0 or partner[home] >= 0:
                continue
            found = _drawn(
                home, order[starts[kind[home]] : starts[kind[home] + 1]], homes.areas[:, level], partner, rng
            )
            if found < 0:
                left.append(home)
                continue
            partner[home], partner[found] = found, home
            most -= 2
        lonely = np.array(left, dtype=np.int64)


def _drawn(
    home: int, alike: Array, area: Array, partner: Array, rng: np.random.Generator, tries: int = 20
) -> int:
    """A free household of another area among those alike, drawn evenly; -1 where there is none."""
    for place in rng.integers(len(alike), size=tries).tolist():
        other = int(alike[place])
        if partner[other] < 0 and area[other] != area[home]:
            return other
    free = alike[(partner[alike] < 0) & (area[alike] != area[home])]
    return int(rng.choice(free)) if free.size else -1
