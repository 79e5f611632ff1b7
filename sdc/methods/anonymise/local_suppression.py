"""Which single values must go so that nobody is alone with them?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator

from sdc.catalogue import Column, MissingValues, Need, OfRecords, Protected, Protection, Touches, method
from sdc.data.roles import MissingRule, Roles
from sdc.errors import BadOption, CannotProtect
from sdc.methods import columns
from sdc.statistics.suppression.demand import Demand, Terms, Unreachable
from sdc.statistics.suppression.households import suppressed_together
from sdc.statistics.suppression.solve import suppressed

if TYPE_CHECKING:
    import pandas as pd

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
)
def local_suppression(
    table: pd.DataFrame,
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
    _possible(table, demands, fixed)
    codes = np.hstack([columns.code_matrix(table, names), columns.code_matrix(table, fixed) + 1])
    wildcard = missing is MissingRule.WILDCARD
    try:
        if by_household:
            made = suppressed_together(
                codes, demands, terms, _common(names, roles), columns.units(table, roles), wildcard=wildcard
            )
        else:
            made = suppressed(codes, demands, terms, wildcard=wildcard)
    except Unreachable as end:
        capped = ", ".join(names[place] for place in end.capped)
        raise CannotProtect(
            "local_suppression",
            f"k was not reached for {end.records} records within the cap on {capped}; raise it or recode",
        ) from None
    gone = {name: (made[:, place] < 0) & (codes[:, place] >= 0) for place, name in enumerate(names)}
    released = table.copy(deep=False)
    for name, blank in gone.items():
        if blank.any():
            released[name] = table[name].mask(blank)
    counts = {name: int(blank.sum()) for name, blank in gone.items()}
    return Protected(
        released, record={"suppressed": counts, "total": sum(counts.values()), "missing": missing.value}
    )


def _asked(
    table: pd.DataFrame,
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


def _costs(names: list[str], importance: list[str] | dict[str, float], table: pd.DataFrame) -> list[float]:
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


def _possible(table: pd.DataFrame, demands: list[Demand], by: list[str]) -> None:
    """Whether k can be reached: k records of a kind need k records."""
    most = max(demand.k for demand in demands)
    sizes = [len(rows) for rows in columns.strata("local_suppression", table, by)]
    small = sum(size < most for size in sizes)
    if small:
        where = f"{small} of {len(sizes)} classes of {', '.join(by)} have" if by else "the table has"
        raise CannotProtect("local_suppression", f"k is {most}, but {where} fewer records")
