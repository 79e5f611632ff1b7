"""Which single values must go so that nobody is alone with them?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from sdc.catalogue import Column, MissingValues, Need, OfRecords, Protected, Protection, Touches, method
from sdc.data.long_table import LongTable
from sdc.data.roles import MissingRule, Roles
from sdc.errors import BadOption, CannotProtect
from sdc.methods import columns
from sdc.statistics.counts.equivalence import classes_in_parts
from sdc.statistics.suppression.demand import Demand, Terms, Unreachable
from sdc.statistics.suppression.households import suppressed_together
from sdc.statistics.suppression.solve import CodeParts, suppressed_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd

    from sdc.data.long_table import AnyTable

Share = Annotated[float, Field(ge=0, le=1)]
MOST_KEYS = 62


class KeyGroup(BaseModel):
    """A set of keys an intruder may know, with a k of its own if it has one.

    A list of names alone is such a set.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    keys: list[Column]
    k: Annotated[int, Field(ge=2), OfRecords()] | None = None

    @model_validator(mode="before")
    @classmethod
    def _names_alone(cls, given: Any) -> Any:
        return {"keys": given} if isinstance(given, list) else given


@method(
    protection=Protection.NON_PERTURBATIVE,
    touches=Touches.KEYS,
    needs={
        Need.QUASI_IDENTIFIERS: lambda options: (
            not options["keys"] and (options["whole"] or not options["groups"])
        ),
        Need.HOUSEHOLD: lambda options: options["by_household"],
        Need.HOUSEHOLD_LEVEL: lambda options: options["by_household"],
    },
    missing=MissingValues.ADDED,
    columnwise=True,
    in_parts=lambda options: not options["by_household"],
)
def local_suppression(
    table: AnyTable,
    roles: Roles,
    _rng: np.random.Generator,
    *,
    k: Annotated[int, Field(ge=2), OfRecords()] = 3,
    keys: list[Column] | None = None,
    groups: list[KeyGroup] = [],  # noqa: B006
    whole: bool = True,
    importance: list[Column] | dict[Column, Annotated[float, Field(gt=0)]] = [],  # noqa: B006
    by: list[Column] = [],  # noqa: B006
    cap: Share | dict[Column, Share] = 1.0,
    missing: MissingRule = MissingRule.OWN_CATEGORY,
    by_household: bool = False,
) -> Protected:
    """Values of keys go missing, few of them, until every record is one of at least k on the keys.

    k holds on all `keys` (the quasi-identifiers) together, unless `whole` is false, and on each of the
    `groups`. `by` names variables within whose classes k must hold. `importance` lists keys, the one to keep
    longest first: each is worth twice the next, and the last twice an unlisted one; or it maps keys to the
    cost of a suppression. `cap` is the largest share of records that may lose a key. A missing key is a value
    like any other (own_category) or matches every value (wildcard): then a record may stay unique in what is
    shown because k - 1 others may be like it. With `by_household` a key that the profile declares per
    household goes for all members or for none, or the others would reveal it; household_consistency is then
    not needed, and no value is false. The result is verified by counting, on both.

    Formula: min Σ_{i, q} cost_q 1{y_iq missing} subject to f(y_i) ≥ k for every record i.

    Reference: Hundepool et al. (2012), Statistical Disclosure Control, chapter 3, doi:10.1002/9781118348239;
    the problem is NP-hard, Meyerson, Williams (2004), doi:10.1145/1055558.1055591.
    """
    names, demands, fixed = _asked(table, roles, k, keys, groups, by, whole=whole)
    terms = Terms(
        (*_costs(names, importance, table), *(0.0 for _ in fixed)),
        (*_caps(names, cap, len(table)), *(0 for _ in fixed)),
    )
    values = {name: columns.distinct(table, name) for name in (*names, *fixed)}
    codes = _code_parts(table, values, fixed)
    _possible(len(table), (part[:, len(names) :] for part in codes()), demands, fixed)
    wildcard = missing is MissingRule.WILDCARD
    try:
        if by_household:
            (every,) = codes()
            home, common = columns.units(columns.loaded(table, table.columns), roles), _common(names, roles)
            made = suppressed_together(every, demands, terms, common, home, wildcard=wildcard)
            rows = np.arange(len(made))
        else:
            rows, made = suppressed_rows(codes, demands, terms, wildcard=wildcard)
    except Unreachable as end:
        capped = ", ".join(names[place] for place in end.capped)
        raise CannotProtect(
            "local_suppression",
            f"k was not reached for {end.records} records within the cap on {capped}; raise it or recode",
        ) from None
    released, counts = _without(table, names, rows, made[:, : len(names)] < 0)
    return Protected(
        released, record={"suppressed": counts, "total": sum(counts.values()), "missing": missing.value}
    )


def _code_parts(table: AnyTable, values: dict[str, np.ndarray], fixed: list[str]) -> CodeParts:
    """The keys of the records as codes, a part at a time; of variables that stay a missing value is one too.

    The records of a frame are one part, coded once.
    """
    placed = {name: columns.places_among(columns.kind(table, name), known) for name, known in values.items()}

    def coded() -> Iterator[np.ndarray]:
        for part in columns.parts(table, list(values)):
            matrix = np.empty((len(part), len(values)), dtype=np.int32)
            for place, name in enumerate(values):
                matrix[:, place] = placed[name](part[name]) + (name in fixed)
            yield matrix

    if isinstance(table, LongTable):
        return coded
    held = list(coded())
    return lambda: iter(held)


def _without(
    table: AnyTable, names: list[str], rows: np.ndarray, blank: np.ndarray
) -> tuple[AnyTable, dict[str, int]]:
    """The table where the keys of some records are blank, and how many values of each key have gone.

    What was missing before has not gone.
    """
    counts = dict.fromkeys(names, 0)
    touched = {name: column for name, column in zip(names, blank.T, strict=True) if column.any()}
    begins = (first for first, _ in columns.spans(table))

    def change(part: pd.DataFrame) -> dict[str, pd.Series]:
        begin, made = next(begins), {}
        first, last = np.searchsorted(rows, [begin, begin + len(part)])
        for name, column in touched.items():
            gone = np.zeros(len(part), dtype=bool)
            gone[rows[first:last] - begin] = column[first:last]
            counts[name] += int(np.count_nonzero(gone & part[name].notna().to_numpy()))
            made[name] = part[name].mask(gone)
        return made

    return columns.changed(table, list(touched), change) if touched else table, counts


def _asked(
    table: AnyTable,
    roles: Roles,
    k: int,
    keys: list[str] | None,
    groups: list[KeyGroup],
    by: list[str],
    *,
    whole: bool,
) -> tuple[list[str], list[Demand], list[str]]:
    """All keys in the order of the table, the demands on them by place, and the variables that stay."""
    wanted = [(columns.keys("local_suppression", table, roles, keys), k)] if whole or not groups else []
    wanted += [
        (columns.known("local_suppression", table, group.keys, "groups"), group.k or k) for group in groups
    ]
    fixed = columns.known("local_suppression", table, by, "by")
    used = {name for members, _ in wanted for name in members}
    both = sorted(used & set(fixed))
    if both:
        raise BadOption("local_suppression", "by", f"{both[0]} is a key too")
    names = [name for name in table.columns if name in used]
    if len(names) + len(fixed) > MOST_KEYS:
        raise BadOption("local_suppression", "keys", f"{len(names)} keys are more than {MOST_KEYS}")
    place = {name: number for number, name in enumerate([*names, *fixed])}
    demands = [
        Demand(tuple(sorted(place[name] for name in (*members, *fixed))), least) for members, least in wanted
    ]
    return names, demands, fixed


def _common(names: list[str], roles: Roles) -> list[int]:
    """The places of keys that belong to the household."""
    places = [place for place, name in enumerate(names) if roles[name].household_level]
    if not places:
        raise BadOption("local_suppression", "by_household", "no key is declared per household")
    return places


def _costs(names: list[str], importance: list[str] | dict[str, float], table: AnyTable) -> list[float]:
    columns.known("local_suppression", table, importance, "importance")
    strangers = [name for name in importance if name not in names]
    if strangers:
        raise BadOption("local_suppression", "importance", f"{strangers[0]} is not a key")
    if isinstance(importance, dict):
        return [importance.get(name, 1.0) for name in names]
    return [
        2.0 ** (len(importance) - importance.index(name)) if name in importance else 1.0 for name in names
    ]


def _caps(names: list[str], cap: float | dict[str, float], records: int) -> list[int]:
    if isinstance(cap, dict):
        strangers = [name for name in cap if name not in names]
        if strangers:
            raise BadOption("local_suppression", "cap", f"{strangers[0]} is not a key")
        return [int(cap.get(name, 1.0) * records) for name in names]
    return [int(cap * records) for _ in names]


def _possible(records: int, kinds: Iterable[np.ndarray], demands: list[Demand], by: list[str]) -> None:
    """Whether k can be reached: k records of a kind need k records."""
    most = max(demand.k for demand in demands)
    sizes = classes_in_parts(kinds)[1] if by else np.array([records])
    small = int(np.count_nonzero(sizes < most))
    if small:
        where = f"{small} of {len(sizes)} classes of {', '.join(by)} have" if by else "the table has"
        raise CannotProtect("local_suppression", f"k is {most}, but {where} fewer records")
