"""Says with how many decimals each number of a candidate leaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sdc.catalogue.external import external_of
from sdc.catalogue.protection import Protection
from sdc.catalogue.registry import find_method
from sdc.catalogue.validity import touched
from sdc.data.decimals import MOST_DECIMALS, decimals_of
from sdc.methods.anonymise.rounding import rounding

if TYPE_CHECKING:
    from sdc.data.table import Table
    from sdc.profile import Profile, StepPlan


def leaving_decimals(profile: Profile, plans: Sequence[StepPlan], original: Table) -> dict[str, int]:
    """The decimals of each numeric variable, where they are limited.

    They are those of the source, more where a step rounds to a finer base, and those of the profile where it
    says. A file made elsewhere keeps its digits unless the profile says otherwise.
    """
    declared = {name: plan.decimals for name, plan in profile.variables.items() if plan.decimals is not None}
    if external_of(plans) is not None:
        return declared
    found = decimals_of(original, profile.roles.released)
    for name, asked in _bases(plans):
        if name in found:
            found[name] = max(found[name], asked)
    return {name: places for name, places in {**found, **declared}.items() if name in original.columns}


def seen_decimals(profile: Profile, plans: Sequence[StepPlan]) -> dict[str, int]:
    """The decimals that the profile declares of variables, with which steps see them already.

    What a step promises of numbers then holds in what leaves. A variable that a step makes coarser is seen as
    it is: 29.6 is in the band from 20 to below 30, and 30 is not.
    """
    roles, entries = profile.roles, [(find_method(plan.method), plan.options) for plan in plans]
    coarser = {
        name
        for entry, options in entries
        if entry.protection is Protection.NON_PERTURBATIVE
        for name in touched(entry, options, roles)
    }
    return {
        name: plan.decimals
        for name, plan in profile.variables.items()
        if plan.decimals is not None and name not in coarser
    }


def _bases(plans: Sequence[StepPlan]) -> Iterator[tuple[str, int]]:
    """Variables that a step rounds, with the decimals of the base."""
    for plan in plans:
        if plan.method == rounding.__name__:
            for name, asked in plan.options.items():
                yield name, _places(asked)


def _places(asked: Any) -> int:
    base = asked.get("to") if isinstance(asked, Mapping) else asked
    exponent = Decimal(str(base)).normalize().as_tuple().exponent
    return min(max(0, -exponent), MOST_DECIMALS) if isinstance(exponent, int) else 0
