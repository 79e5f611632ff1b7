"""The keys of `figures`: which figures the report draws, and of what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sdc.data.roles import VariableType
from sdc.profile.strict import Plan
from sdc.profile.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc.errors import Fault
    from sdc.profile.reading import Reading


class FiguresPlan(Plan):
    """Figures of the report; what is not named the report chooses itself."""

    pairs: tuple[tuple[str, str], ...] = ()
    variables: tuple[str, ...] = ()
    draw: tuple[str, ...] = ()


def figures_faults(reading: Reading) -> Iterator[Fault]:
    """Names that are no released variables, and pairs that are no two different numbers."""
    if not (reading.sound("figures") and reading.sound("variables")):
        return
    plan, roles = reading.profile.figures, reading.profile.roles
    for position, name in enumerate(plan.variables):
        if name not in roles.released:
            yield reading.fault(
                ("figures", "variables", position),
                f"figures names {name!r}, which is no variable that is released",
                did_you_mean(name, roles.released),
            )
    for position, both in enumerate(plan.pairs):
        place = ("figures", "pairs", position)
        unknown = [name for name in both if name not in roles.released]
        if unknown:
            yield reading.fault(
                place,
                f"figures names {unknown[0]!r}, which is no variable that is released",
                did_you_mean(unknown[0], roles.released),
            )
        elif both[0] == both[1] or any(roles[name].type is not VariableType.NUMERIC for name in both):
            yield reading.fault(
                place, f"{both[0]} and {both[1]} are not two numeric variables", "name two numbers"
            )
