"""Expands one entry of a profile into many candidates.

Options are swept over lists, a file takes the place of steps, and a space is only searched.

    candidates:
      masked:
        - {method: local_suppression, sweep: {k: [3, 5, 10]}}  # three candidates
      coupled: {sweep: {k: [3, 5]}, steps: [...]}              # k in every step that has one
      from_r: {path: from_r.csv, protection: perturbative}     # a file made elsewhere
    space: {...}                                               # as candidates; for `sdc plan` alone

Everything is written out before the profile is read, every value with the line it came from.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from sdc.catalogue.external import EXTERNAL, makers
from sdc.profile.candidate_names import label
from sdc.profile.document import kind_of

if TYPE_CHECKING:
    from sdc.errors import Fault
    from sdc.profile.document import Document, Place

Held = TypeVar("Held")
MOST = 1000
"""How many candidates a profile may come to."""


@dataclass(frozen=True)
class SweepGrid:
    """The candidates one entry stands for: where each lies on the axes of its sweep."""

    lengths: tuple[int, ...]
    places: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class WrittenOut:
    """A document in which every candidate is a list of steps.

    `searched` are those that only `sdc plan` uses.
    """

    document: Document
    grids: Mapping[str, SweepGrid]
    searched: frozenset[str]
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class _Axis:
    """An option and the values it takes: in which steps, and where the values stand in the file."""

    option: str
    values: Sequence[Any]
    steps: tuple[int, ...]
    place: Place

    def label(self, position: int) -> str:
        return f"{self.option}{label(self.values[position], position)}"


@dataclass
class _Writer:
    """One pass over the candidates of a document."""

    document: Document
    made: dict[str, Any] = field(default_factory=dict)
    lines: dict[Place, int] = field(default_factory=dict)
    texts: dict[Place, str] = field(default_factory=dict)
    grids: dict[str, SweepGrid] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def complain(self, place: Place, problem: str, remedy: str = "") -> None:
        self.faults.append(self.document.fault(place, problem, remedy))

    def section(self, section: str) -> frozenset[str]:
        """Write out all entries of a section; which candidates came of it."""
        entries = self.document.values.get(section)
        before = frozenset(self.made)
        if section == "space" and section in self.document.values and not isinstance(entries, dict):
            self.complain(
                (section,),
                f"space: is followed by {kind_of(entries)}",
                "write it as candidates: is written, or delete it",
            )
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            if name in self.grids:
                self.complain(
                    (section, name), f"{name!r} is a candidate already", "give one of the two another name"
                )
                continue
            self.entry((section, name), name, entry)
        return frozenset(self.made) - before

    def entry(self, place: Place, name: str, entry: Any) -> None:
        if isinstance(entry, dict) and "path" in entry:
            self.made[name] = [{"method": EXTERNAL.name, "with": entry}]
            self.grids[name] = SweepGrid((), {name: ()})
            self.lines["candidates", name] = self.document.line(place)
            self.copy(place, ("candidates", name, 0, "with"))
            return
        steps, where = (
            (entry.get("steps"), (*place, "steps"))
            if isinstance(entry, dict) and "steps" in entry
            else (entry, place)
        )
        for key in entry if where != place else ():
            if key not in ("steps", "sweep"):
                self.complain((*place, key), f"unknown key {key!r}", "beside steps: only sweep: may stand")
        axes = [*self.own_axes(place, entry, steps), *self.step_axes(where, steps)]
        count = math.prod(len(axis.values) for axis in axes)
        if len(self.made) + count > MOST:
            self.complain(
                place,
                f"with {name!r} the profile comes to {len(self.made) + count:,} candidates, and {MOST:,} are"
                " the most",
                "sweep less",
            )
            axes = []
        if not axes:
            self.made[name] = _bare(steps)
            self.grids[name] = SweepGrid((), {name: ()})
            self.copy(where, ("candidates", name))
            return
        self.grid(name, steps, where, axes)

    def grid(self, name: str, steps: Any, where: Place, axes: Sequence[_Axis]) -> None:
        places: dict[str, tuple[int, ...]] = {}
        for positions in itertools.product(*(range(len(axis.values)) for axis in axes)):
            labels = [axis.label(position) for axis, position in zip(axes, positions, strict=True)]
            called = "_".join([name, *labels])
            if called in self.made:
                self.complain(
                    where,
                    f"two candidates would be called {called!r}",
                    "sweep each value once, and name no candidate like it",
                )
                continue
            places[called] = positions
            self.made[called] = _with(steps, axes, positions)
            self.copy(where, ("candidates", called))
            for axis, position in zip(axes, positions, strict=True):
                for step in axis.steps:
                    self.copy((*axis.place, position), ("candidates", called, step, "with", axis.option))
        self.grids[name] = SweepGrid(tuple(len(axis.values) for axis in axes), places)

    def own_axes(self, place: Place, entry: Any, steps: Any) -> Iterator[_Axis]:
        """`sweep` beside `steps`: the option in every step whose method has it."""
        if not isinstance(entry, dict) or "sweep" not in entry:
            return
        for option, values, where in self.swept((*place, "sweep"), entry["sweep"]):
            having = tuple(position for position, step in enumerate(_listed(steps)) if _has(step, option))
            fixed = [position for position in having if option in _options(steps[position])]
            if not having:
                self.complain(
                    where,
                    f"no step of this candidate has an option {option!r}",
                    "name an option of one of its methods",
                )
            elif fixed:
                self.complain(
                    where,
                    f"{option!r} is swept, and fixed in step {fixed[0] + 1}",
                    "take it out of one of the two",
                )
            else:
                yield _Axis(option, values, having, where)

    def step_axes(self, place: Place, steps: Any) -> Iterator[_Axis]:
        """`sweep` in a step: the option in that step alone."""
        for position, step in enumerate(_listed(steps)):
            if not isinstance(step, dict) or "sweep" not in step:
                continue
            for option, values, where in self.swept((*place, position, "sweep"), step["sweep"]):
                if option in _options(step):
                    self.complain(
                        where, f"{option!r} is swept, and fixed under with:", "take it out of one of the two"
                    )
                else:
                    yield _Axis(option, values, (position,), where)

    def swept(self, place: Place, sweep: Any) -> Iterator[tuple[str, list[Any], Place]]:
        if not isinstance(sweep, dict) or not sweep:
            self.complain(
                place, f"sweep: is followed by {kind_of(sweep)}", "write sweep: {option: [value, value]}"
            )
            return
        for option, values in sweep.items():
            if not isinstance(values, list) or not values:
                self.complain(
                    (*place, option),
                    f"{option!r} is swept over {kind_of(values)}",
                    f"write {option}: [value, value]",
                )
            else:
                yield option, values, (*place, option)

    def copy(self, origin: Place, target: Place) -> None:
        """Where something written out stands in the file."""
        self.lines.update(_moved(self.document.lines, origin, target))
        self.texts.update(_moved(self.document.texts, origin, target))


def _moved(held: Mapping[Place, Held], origin: Place, target: Place) -> dict[Place, Held]:
    return {
        (*target, *place[len(origin) :]): value
        for place, value in held.items()
        if place[: len(origin)] == origin
    }


def written_out(document: Document) -> WrittenOut:
    """The document with every candidate by itself; criteria `for` an entry cover all it stands for."""
    if not any(isinstance(document.values.get(section), dict) for section in ("candidates", "space")):
        return WrittenOut(document, {}, frozenset(), ())
    writer = _Writer(document)
    writer.section("candidates")
    searched = writer.section("space")
    kept = {section: held for section, held in document.values.items() if section != "space"}
    values = {**kept, "candidates": writer.made}
    apart = (("candidates",), ("space",))
    lines = {
        place: line for place, line in document.lines.items() if place[:1] not in apart or len(place) == 1
    }
    texts = {place: text for place, text in document.texts.items() if place[:1] not in apart}
    whole = replace(document, values=values, lines={**lines, **writer.lines}, texts={**texts, **writer.texts})
    return WrittenOut(_widened(whole, writer.grids), writer.grids, searched, tuple(writer.faults))


def _widened(document: Document, grids: Mapping[str, SweepGrid]) -> Document:
    values, lines = dict(document.values), dict(document.lines)
    for family in ("risk", "utility"):
        items = []
        for position, item in enumerate(_listed(values.get(family))):
            if not isinstance(item, dict) or not isinstance(item.get("for"), list):
                items.append(item)
                continue
            named = [
                (name, place) for place, group in enumerate(item["for"]) for name in _meant(group, grids)
            ]
            for place, (_, written) in enumerate(named):
                lines[family, position, "for", place] = document.line((family, position, "for", written))
            items.append({**item, "for": [name for name, _ in named]})
        if family in values and isinstance(values[family], list):
            values[family] = items
    return replace(document, values=values, lines=lines)


def _meant(group: Any, grids: Mapping[str, SweepGrid]) -> list[Any]:
    return list(grids[group].places) if isinstance(group, str) and group in grids else [group]


def _with(steps: Any, axes: Sequence[_Axis], positions: Sequence[int]) -> list[Any]:
    """The steps with one value of each axis.

    Options that are no mapping stay as they are: the reading names that fault.
    """
    made: list[Any] = _bare(steps)
    for axis, position in zip(axes, positions, strict=True):
        for step in axis.steps:
            if isinstance(made[step].get("with", {}), dict):
                made[step] = {
                    **made[step],
                    "with": {**_options(made[step]), axis.option: axis.values[position]},
                }
    return made


def _bare(steps: Any) -> Any:
    """Steps without their sweeps."""
    if not isinstance(steps, list):
        return steps
    return [
        {key: held for key, held in step.items() if key != "sweep"} if isinstance(step, dict) else step
        for step in steps
    ]


def _listed(steps: Any) -> list[Any]:
    return steps if isinstance(steps, list) else []


def _options(step: Any) -> dict[str, Any]:
    held = step.get("with") if isinstance(step, dict) else None
    return held if isinstance(held, dict) else {}


def _has(step: Any, option: str) -> bool:
    entry = makers().get(str(step.get("method"))) if isinstance(step, dict) else None
    return entry is not None and option in entry.options.model_fields
