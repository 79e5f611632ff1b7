"""Edits of the candidates of a profile: added, copied, renamed, removed; steps added, moved, changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from sdc.errors import SdcError
from sdc.profile.reading import FAMILIES
from sdc.profile.wording import SIMPLE_NAME, SIMPLE_NAME_IN_WORDS

if TYPE_CHECKING:
    from sdc.studio.profile_text import ProfileText

CANDIDATES = "candidates"
RECODE = "global_recode"


class BadCandidate(SdcError):
    """What was asked of the candidates cannot be done."""


def names(text: ProfileText) -> list[str]:
    held = text.at((CANDIDATES,))
    return [str(name) for name in held] if isinstance(held, dict) else []


def steps(text: ProfileText, name: str) -> list[Any] | None:
    """The steps as they are written; None where the candidate is no plain list of steps."""
    held = text.at((CANDIDATES, name))
    return held if isinstance(held, list) else None


def free_name(text: ProfileText, wish: str) -> str:
    """A name no candidate has; `x_2` would be taken for a second synthesis of `x`, so letters are added."""
    taken, letters = set(names(text)), "bcdefghijklmnopqrstuvwxyz"
    if wish not in taken:
        return wish
    return next((f"{wish}_{letter}" for letter in letters if f"{wish}_{letter}" not in taken), f"{wish}_more")


def _require_name(text: ProfileText, name: str) -> None:
    if not re.match(SIMPLE_NAME, name):
        raise BadCandidate(f"a candidate cannot be called so; write {SIMPLE_NAME_IN_WORDS}")
    if name in names(text):
        raise BadCandidate("there is a candidate of this name already; give another")


def add(text: ProfileText, name: str, *, expected: int) -> None:
    _require_name(text, name)
    text.set((CANDIDATES, name), [], expected=expected, said=f"added candidate {name}")


def copy(text: ProfileText, name: str, *, expected: int) -> str:
    """The same steps once more; the name of the copy."""
    new = free_name(text, name)
    held = deepcopy(text.at((CANDIDATES, name)))
    text.set((CANDIDATES, new), held, expected=expected, said=f"copied {name}")
    return new


def rename(text: ProfileText, name: str, new: str, *, expected: int) -> None:
    """Another name, here and in the criteria that are for it."""
    if new == name:
        return
    _require_name(text, new)

    def change(draft: ProfileText, _revision: int) -> None:
        draft.rename((CANDIDATES, name), new, expected=draft.revision)
        for family, place, covered in _limited(draft):
            if name in covered:
                named = [new if each == name else each for each in covered]
                draft.set((family, place, "for"), named, expected=draft.revision)

    text.edit(change, expected=expected, said=f"renamed {name} to {new}")


def remove(text: ProfileText, name: str, *, expected: int) -> None:
    """Take a candidate out, and its name out of the criteria that are for some only."""

    def change(draft: ProfileText, _revision: int) -> None:
        draft.remove((CANDIDATES, name), expected=draft.revision)
        for family, place, covered in reversed(_limited(draft)):
            if name in covered:
                others = [each for each in covered if each != name]
                # A criterion that is for nobody else would be for all without its list.
                if others:
                    draft.set((family, place, "for"), others, expected=draft.revision)
                else:
                    draft.remove((family, place), expected=draft.revision)

    text.edit(change, expected=expected, said=f"removed candidate {name}")


def _limited(text: ProfileText) -> list[tuple[str, int, list[str]]]:
    """Criteria that are for some candidates only."""
    found = []
    for family in FAMILIES:
        held = text.at((family,))
        for place, criterion in enumerate(held if isinstance(held, list) else []):
            covered = criterion.get("for") if isinstance(criterion, dict) else None
            if isinstance(covered, list):
                found.append((family, place, [str(each) for each in covered]))
    return found


def as_step(method: str, options: Mapping[str, Any]) -> dict[str, Any]:
    return {"method": method, **({"with": dict(options)} if options else {})}


def add_step(text: ProfileText, name: str, step: Mapping[str, Any], position: int, *, expected: int) -> None:
    said = f"added {step['method']} to {name}"
    text.insert((CANDIDATES, name), position, dict(step), expected=expected, said=said)


def change_step(
    text: ProfileText, name: str, position: int, options: Mapping[str, Any], *, expected: int
) -> None:
    """Other options; without any the key goes too."""
    held = require_step(text, name, position)
    place, said = (CANDIDATES, name, position), f"changed {held['method']} of {name}"
    if options:
        text.set((*place, "with"), dict(options), expected=expected, said=said)
    elif "with" in held:
        text.remove((*place, "with"), expected=expected, said=said)


def remove_step(text: ProfileText, name: str, position: int, *, expected: int) -> None:
    held = require_step(text, name, position)
    said = f"removed {held['method']} from {name}"
    text.remove((CANDIDATES, name, position), expected=expected, said=said)


def move_step(text: ProfileText, name: str, position: int, to: int, *, expected: int) -> None:
    held = require_step(text, name, position)
    many = steps(text, name) or []
    if not 0 <= to < len(many):
        raise BadCandidate("the step stands at the end already")
    said = f"moved {held['method']} of {name}"
    text.move((CANDIDATES, name), position, to, expected=expected, said=said)


def require_step(text: ProfileText, name: str, position: int) -> dict[str, Any]:
    held = steps(text, name)
    if held is None or not 0 <= position < len(held) or not isinstance(held[position], dict):
        raise BadCandidate("there is no such step; look at the page as it is now")
    found: dict[str, Any] = held[position]
    return found


def recode_at(text: ProfileText, name: str, variable: str) -> tuple[int | None, dict[str, Any]]:
    """The step that recodes a variable and how; the first step that could, where none does."""
    first = None
    for position, step in enumerate(steps(text, name) or []):
        if isinstance(step, dict) and step.get("method") == RECODE:
            held = step.get("with") or {}
            if isinstance(held, dict) and isinstance(held.get(variable), dict):
                return position, dict(held[variable])
            first = position if first is None else first
    return first, {}


def set_recode(
    text: ProfileText, name: str, variable: str, option: Mapping[str, Any], *, expected: int
) -> None:
    """Write how a variable is recoded; a step for it is added before all others where there is none."""
    position, before = recode_at(text, name, variable)
    said = f"recoded {variable}"
    if position is None:
        if option:
            step = as_step(RECODE, {variable: dict(option)})
            text.insert((CANDIDATES, name), 0, step, expected=expected, said=said)
        return
    place = (CANDIDATES, name, position)
    if option:
        text.set((*place, "with", variable), dict(option), expected=expected, said=said)
        return
    if not before:
        return
    said = f"left {variable} as it is"
    others = {key: held for key, held in (text.at((*place, "with")) or {}).items() if key != variable}
    if others:
        text.remove((*place, "with", variable), expected=expected, said=said)
    else:
        text.remove(place, expected=expected, said=said)
