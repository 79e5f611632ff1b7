"""What of a profile was understood, and the faults of the rest."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sdc.catalogue.external import makers
from sdc.catalogue.registry import CatalogueEntry, measures
from sdc.errors import Fault
from sdc.profile.plan import Approval, Criterion, Limits, MicrodataSource, Notify, Profile
from sdc.profile.publish_plan import Publish
from sdc.profile.shape import as_typed, fits, keys_at, misfits
from sdc.profile.wording import subject

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from sdc.profile.document import Document, Place

FAMILIES = ("risk", "utility")
SECTIONS = {
    "source": MicrodataSource,
    "publish": Publish,
    "approval": Approval,
    "limits": Limits,
    "notify": Notify,
}
STAND_IN: dict[Place, Any] = {
    ("name",): "unnamed",
    ("source",): {"path": "unknown"},
    ("source", "path"): "unknown",
    ("source", "population", "path"): "unknown",
    ("source", "households", "path"): "unknown",
    ("variables",): {},
    ("candidates",): {},
    ("prefer", "measure"): "unknown",
    ("map", "risk"): "unknown",
    ("map", "utility"): "unknown",
}

NESTED = (("source", "population"), ("source", "households"))


class Note(Fault):
    """Something to know about a profile that stops nothing."""


@dataclass(frozen=True)
class Reading:
    """A profile as far as it could be understood.

    What could not be understood is replaced by a stand-in and listed as broken.
    """

    profile: Profile
    document: Document
    broken: frozenset[Place]

    def sound(self, *place: str | int) -> bool:
        """Whether everything at, in and around this place was understood."""
        return not any(other[: len(place)] == place or place[: len(other)] == other for other in self.broken)

    @property
    def names_are_known(self) -> bool:
        """Whether it is known which variables there are, if not what each is."""
        return ("variables",) not in self.broken

    @cached_property
    def understood(self) -> tuple[str, ...]:
        """Candidates all of whose steps are known, with options that hold."""
        return tuple(
            name
            for name, steps in self.profile.candidates.items()
            if self.sound("candidates", name)
            and all(
                step.method in makers() and fits(makers()[step.method].options, step.options)
                for step in steps
            )
        )

    def fault(self, place: Place, problem: str, remedy: str = "") -> Fault:
        return self.document.fault(place, problem, remedy)

    def note(self, place: Place, problem: str, remedy: str = "") -> Note:
        fault = self.document.fault(place, problem, remedy)
        return Note(fault.place, fault.problem, fault.remedy)

    def criteria(self) -> Iterator[tuple[Place, Criterion]]:
        """Every criterion whose measure could be read, with its place."""
        for family in FAMILIES:
            for position, criterion in enumerate(getattr(self.profile, family)):
                place = (family, position)
                if (
                    (family,) not in self.broken
                    and place not in self.broken
                    and (*place, "measure") not in self.broken
                ):
                    yield place, criterion


def read_profile(document: Document) -> tuple[Reading, list[Fault]]:
    """The document as a profile, and every value that does not fit the plan."""
    values = _options_as_typed(as_typed(Profile, document.values, (), document), document)
    blanks = {
        place: document.fault(place, f"{subject(place)} has no value", "write one, or delete the line")
        for place in _blanks(values, ())
    }
    wrong = {**blanks, **misfits(Profile, values, (), document, lambda place: _elsewhere(place, values))}
    whole = _mended(values, wrong)
    profile = Profile.model_validate_json(json.dumps(whole), strict=True, by_alias=True, by_name=False)
    return Reading(profile, document, frozenset(wrong)), list(wrong.values())


def _blanks(values: Any, place: Place) -> Iterator[Place]:
    """Keys without a value: an empty limit must not pass for no limit.

    In options, no value may be a value.
    """
    if values is None and place:
        yield place
    inner = (
        values.items() if isinstance(values, dict) else enumerate(values) if isinstance(values, list) else ()
    )
    for step, value in inner:
        if step != "with" or place[:1] not in (("candidates",), *((family,) for family in FAMILIES)):
            yield from _blanks(value, (*place, step))


def _options_as_typed(values: dict[str, Any], document: Document) -> dict[str, Any]:
    """The same for `with`: a variable called 007 is named 007 in options too."""
    for place, entry, held in _uses(values):
        if isinstance(held.get("with"), dict):
            held["with"] = as_typed(entry.options, held["with"], (*place, "with"), document)
    return values


def _uses(values: dict[str, Any]) -> Iterator[tuple[Place, CatalogueEntry, dict[str, Any]]]:
    """Every step and criterion that names something the catalogue has."""
    candidates = values.get("candidates")
    for name, steps in candidates.items() if isinstance(candidates, dict) else ():
        yield from _known("method", makers(), steps, ("candidates", name))
    for family in FAMILIES:
        yield from _known("measure", measures(), values.get(family), (family,))


def _known(
    key: str, known: Any, items: Any, place: Place
) -> Iterator[tuple[Place, CatalogueEntry, dict[str, Any]]]:
    for position, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict) and isinstance(item.get(key), str) and item[key] in known:
            yield (*place, position), known[item[key]], item


def _elsewhere(place: Place, values: dict[str, Any]) -> str:
    """Where a key belongs that is unknown at its place."""
    *before, key = place
    for used, entry, _ in _uses(values):
        if used == tuple(before) and key in entry.options.model_fields:
            return f"it is an option of {entry.name}: write with: {{{key}: ...}}"
    homes = [
        section
        for section, model in SECTIONS.items()
        if key in keys_at(model, ()) and (section,) != tuple(before)
    ]
    if homes:
        return f"it belongs under {homes[0]}:"
    return (
        "it belongs at the top of the profile, without indentation"
        if before and key in keys_at(Profile, ())
        else ""
    )


def _mended(values: dict[str, Any], wrong: Collection[Place]) -> dict[str, Any]:
    """The values without what does not fit, with stand-ins where needed: the rest can be examined too."""
    whole = deepcopy(values)
    for place in wrong:
        *around, last = _key(place)
        holder: Any = whole
        for step in around:
            holder = holder[step]
        if (*around, last) in STAND_IN:
            holder[last] = deepcopy(STAND_IN[*around, last])
        elif isinstance(holder, list) or (last in ("measure", "method") and len(around) > 1):
            stand_in = {"method": "unknown"} if place[0] == "candidates" else {"measure": "unknown"}
            _replace(whole, tuple(around) if isinstance(last, str) else (*around, last), stand_in)
        elif len(around) == 1 and around[0] in ("variables", "candidates"):
            holder[last] = {} if around[0] == "variables" else []
        else:
            holder.pop(last, None)
    return whole


def _key(place: Place) -> Place:
    """The key of a profile, variable, step or criterion in which something does not fit."""
    depth = {"variables": 3, "risk": 3, "utility": 3, "candidates": 4}.get(
        str(place[0]), 3 if place[:2] in NESTED else 2
    )
    return place[:depth]


def _replace(values: Any, place: Place, value: Any) -> None:
    for step in place[:-1]:
        values = values[step]
    values[place[-1]] = value
