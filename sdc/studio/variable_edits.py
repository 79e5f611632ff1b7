"""Edits of the section `variables`: roles, types, labels and levels, of one variable or many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc.data.roles import Role, VariableType
from sdc.profile.plan import SHORT_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sdc.studio.profile_text import ProfileText
    from sdc.studio.workbench import Workbench

ROLE_WORDS = {
    Role.QUASI_IDENTIFIER: "key",
    Role.SENSITIVE: "sensitive",
    Role.OTHER: "other",
    Role.DIRECT_IDENTIFIER: "direct identifier",
    Role.DROPPED: "dropped",
    Role.HOUSEHOLD: "household number",
    Role.WEIGHT: "survey weight",
    Role.STRATUM: "stratum of the sample",
}
TYPES = (*VariableType, *SHORT_TYPES)


def declared(text: ProfileText, name: str) -> dict[str, Any]:
    """What the profile says of a variable, a role alone written out."""
    held = text.at(("variables", name))
    return dict(held) if isinstance(held, dict) else {"role": held} if isinstance(held, str) else {}


def declare(workbench: Workbench, told: Mapping[str, Mapping[str, Any]], expected: int, said: str) -> None:
    """Write what was said of variables; a value that is empty, or the usual one, is left out."""

    def change(text: ProfileText, _: int) -> None:
        for name, keys in told.items():
            _declare(text, name, keys)

    workbench.profile_text.edit(change, expected=expected, said=said)


def _declare(text: ProfileText, name: str, told: Mapping[str, Any]) -> None:
    now = declared(text, name)
    wanted = {**now, **told}
    for key, value in told.items():
        if value in ("", [], {}, None) or (key, value) in USUAL:
            del wanted[key]
    wanted = wanted or {"role": Role.OTHER.value}
    if wanted == now:
        return
    place = ("variables", name)
    if not isinstance(text.at(place), dict) or not now:
        text.set(place, _short(wanted), expected=text.revision)
        return
    for key in [key for key in now if key not in wanted]:
        if len(text.at(place)) > 1:
            text.remove((*place, key), expected=text.revision)
    for key, value in wanted.items():
        if now.get(key) != value:
            text.set((*place, key), value, expected=text.revision)


USUAL = (("type", "categorical"), ("per", "record"), ("missing", "allowed"))
"""What need not be written of a variable."""


def _short(told: dict[str, Any]) -> Any:
    return told["role"] if list(told) == ["role"] else told


def with_role(workbench: Workbench, names: Iterable[str], role: str, expected: int) -> int:
    """Give many variables one role."""
    chosen = list(names)
    words = ROLE_WORDS[Role(role)]
    declare(workbench, {name: {"role": role} for name in chosen}, expected, f"made {len(chosen)} {words}")
    return len(chosen)
