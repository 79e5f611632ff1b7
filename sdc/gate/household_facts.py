"""Counts whether members of a household agree, and whether persons and households can be told apart again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sdc.catalogue.finding import Otherwise
from sdc.data import sql
from sdc.gate.declared import was_coarsened
from sdc.gate.table_rules import CountedCondition, Rule, none_of, present

if TYPE_CHECKING:
    from sdc.catalogue.protection import Step
    from sdc.profile import Profile

TOGETHER = "by_household of local_suppression blanks it for all members"
ALIKE = "household_consistency gives all members one value"


def household_rules(profile: Profile, steps: Sequence[Step]) -> Iterator[Rule]:
    """The rules of every variable of households; stricter where the source is two linked files."""
    home, linked = profile.roles.household, profile.source.households is not None
    if home is None:
        return
    if linked and profile.variables[home].missing == "allowed":
        yield _numbered(home)
    for name in profile.roles.released:
        if profile.variables[name].per == "household" and name != home:
            yield from _within_households(name, home, suppressed=was_coarsened(name, steps), linked=linked)


def _numbered(home: str) -> Rule:
    """A person without the number of a household cannot leave in a file of persons, whatever is allowed."""
    return none_of(
        f"household_missing.{home}",
        f"{{n}} record(s) without a number of the household ({home}), by which persons and households are"
        " linked",
        present(lambda _: CountedCondition(f"{sql.name(home)} IS NULL"), home),
        of=home,
    )


def _within_households(name: str, home: str, *, suppressed: bool, linked: bool) -> Iterator[Rule]:
    """A value of the whole household must be the same for its members.

    If it is missing for one member and known for another because of a method, the other reveals the hidden
    value. Of two linked files, that of households has one value for each.
    """
    column = sql.name(name)
    conflict = CountedCondition(f"min({column}) IS DISTINCT FROM max({column})", of_households=True)
    gap = CountedCondition(f"count({column}) > 0 AND count({column}) < count(*)", of_households=True)
    yield none_of(
        f"household_conflicts.{name}",
        f"{name} differs within {{n}} household(s){f'; {ALIKE}' if linked else ''}",
        present(lambda _: conflict, name, home),
        of=name,
    )
    remedies = [TOGETHER] if suppressed or linked else []
    remedy = "".join(f"; {each}" for each in (*remedies, *([ALIKE] if linked else [])))
    otherwise = Otherwise.REFER if suppressed else Otherwise.NOTE
    yield none_of(
        f"household_gaps.{name}",
        f"{name} is missing for some members of {{n}} household(s) and known for others{remedy}",
        present(lambda _: gap, name, home),
        of=name,
        otherwise=Otherwise.WITHHOLD if linked else otherwise,
    )
