"""A search of the space a profile declares.

Which candidates pass the gate and are beaten by none, and which to take.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from prefect import flow

from flows.candidate import SIDE_BY_SIDE, judge_some, told
from flows.compare import Compared, compared, ended, scratch
from sdc.gate import choose
from sdc.gate.decision import Verdict
from sdc.gate.pareto import Axis
from sdc.gate.search import Search
from sdc.profile import Profile
from sdc.profile.load import load_space
from sdc.profile.plan import Preference
from sdc.run.progress_display import Silent
from sdc.spelling import limit_in_signs, number
from tasks.ingest import ingest
from tasks.outcome import Judged
from tasks.workspace import workspace

WRITTEN_AS = "recommended"


@dataclass(frozen=True)
class Planned:
    """What was tried, in the order of the profile, and what came of it."""

    tried: Compared
    total: int
    seconds: float

    @cached_property
    def passing(self) -> dict[str, Judged]:
        return {each.name: each for each in self.tried.judged if each.decision.verdict is Verdict.PUBLISHED}

    @cached_property
    def front(self) -> frozenset[str]:
        """Those that pass and that no other that passes beats; while none passes, of all that were tried."""
        return self.tried.front_of(self.passing or [each.name for each in self.tried.judged])

    @cached_property
    def recommended(self) -> str | None:
        """The best that is not beaten: by what the profile prefers, else by the utility of the map."""
        best = [self.passing[name] for name in self.passing if name in self.front] or list(
            self.passing.values()
        )
        axis = self.tried.axes
        prefer = self.tried.profile.prefer or (
            Preference(measure=axis[1].alias, part=axis[1].part) if axis else None
        )
        return choose(
            {each.name: each.decision for each in best},
            {each.name: each.assessments for each in best},
            prefer,
        ).name

    @property
    def in_words(self) -> list[str]:
        """What a person is to know, sentence by sentence."""
        done = len(self.tried.judged)
        extent = "all" if done == self.total else f"{done} of"
        tried = f"Tried {extent} {self.total} candidates in {self.seconds / 60:.1f} minutes"
        said = [f"{tried}; {len(self.passing)} pass every criterion."]
        if self.recommended is None:
            return [*said, *_nearest_miss(self.tried.judged)]
        if self.tried.axes is None:
            return [*said, f"Recommended: {self.recommended}."]
        return [*said, *self._reasons(self.recommended, self.tried.axes)]

    def _reasons(self, name: str, axes: tuple[Axis, Axis]) -> list[str]:
        risk, utility = axes
        beaten = len(self.passing) - len(self.front)
        said = [
            f"Recommended: {name}, with {self._at(name, axes)}.",
            (
                f"{len(self.front)} of those that pass are beaten by no other on {risk.label} and"
                f" {utility.label}, {beaten} are."
            ),
        ]
        for wish, place in (("less risk", 0), ("more use", 1)):
            other = self._next_better(name, axes, place)
            said += [f"If {wish} is wanted: {other}, with {self._at(other, axes)}."] if other else []
        return said

    def _at(self, name: str, axes: tuple[Axis, Axis]) -> str:
        risk, utility = self.tried.points[name]
        return f"{axes[0].label} {number(risk)} and {axes[1].label} {number(utility)}"

    def _next_better(self, name: str, axes: tuple[Axis, Axis], place: int) -> str | None:
        """Of the front, the least step towards less of this axis."""

        def badness(other: str) -> float:
            return axes[place].badness(self.tried.points[other][place])

        better = [other for other in self.front if badness(other) < badness(name)]
        return max(better, key=lambda other: (badness(other), other), default=None)

    @property
    def as_written(self) -> str:
        """The recommended candidate as it would stand in the profile, under a name of its own, and the criteria that must name it."""
        if self.recommended is None:
            return ""
        profile = self.tried.profile
        steps = profile.candidates[self.recommended]
        lines = [
            f"    - {{method: {step.method}"
            + (f", with: {json.dumps(step.options)}" if step.options else "")
            + "}"
            for step in steps
        ]
        limited = [
            criterion.alias
            for criterion in profile.criteria
            if criterion.candidates and criterion.covers(self.recommended)
        ]
        named = (
            [f"# and write {WRITTEN_AS} in for: of {', '.join(dict.fromkeys(limited))}"] if limited else []
        )
        return "\n".join(["candidates:", f"  {WRITTEN_AS}:", *lines, *named])

    def as_json(self) -> dict[str, Any]:
        return {
            **self.tried.as_json(),
            "chosen": self.recommended,
            "because": " ".join(self.in_words[1:]),
            "front": sorted(self.front),
            "tried": len(self.tried.judged),
            "total": self.total,
            "in_words": self.in_words,
            "steps": (
                [step.model_dump(by_alias=True) for step in self.tried.profile.candidates[self.recommended]]
                if self.recommended
                else None
            ),
        }


def _nearest_miss(judged: Sequence[Judged]) -> list[str]:
    """The candidate whose worst margin is the best, and what it misses by how much."""
    nearest = max(judged, key=lambda each: (each.decision.worst_margin(), -len(each.decision.missed())))
    said = [
        (
            f"{finding.criterion} {number(finding.value)} ({limit_in_signs(finding.at_least, finding.at_most)})"
            if finding.value is not None
            else finding.criterion
        )
        for finding in nearest.decision.missed()
    ]
    missed = f"{len(said)}: {', '.join(said)}"
    return [f"None passes; the nearest by its worst margin, {nearest.name}, misses {missed}."]


@flow(name="plan", validate_parameters=False, persist_result=False)
def plan(run: str, minutes: float, tries: int | None) -> None:
    """Ingest, then judge a few candidates at a time, in the order of the search, until the time is up or all were tried."""
    told(run).stage("ingest")
    told(run).done("source", ingest(run).in_words)
    space = workspace(run)
    search = Search(load_space(space.profile_path).grids)
    total = min(tries or len(space.profile.candidates), len(space.profile.candidates))
    told(run).stage(
        "assess", sum(2 + len(space.profile.measurements(name)) for name in search.coarse_to_fine[:total])
    )
    until = time.monotonic() + 60 * minutes
    while len(space.judged) < total and time.monotonic() < until:
        names = search.batch(
            space.judged,
            _promising(space.profile, list(space.judged.values())),
            min(SIDE_BY_SIDE, total - len(space.judged)),
        )
        judge_some(run, names)
        for name in names:
            made = space.judged[name].candidate
            if made is not None:
                space.forget(made)


def _promising(profile: Profile, judged: Sequence[Judged]) -> list[str]:
    """Those that pass and are not beaten; while none passes, those with the best worst margin."""
    passing = [each.name for each in judged if each.decision.verdict is Verdict.PUBLISHED]
    if passing:
        return sorted(compared(profile, judged).front_of(passing))
    best = max((each.decision.worst_margin() for each in judged), default=0.0)
    return sorted(each.name for each in judged if each.decision.worst_margin() == best)


def plan_release(
    profile_path: Path,
    ready: Callable[[], object],
    progress: Silent,
    *,
    minutes: float,
    tries: int | None = None,
) -> Planned:
    """Search the space of a profile until so many minutes have gone since the source was read, or so many candidates were tried."""
    searched = load_space(profile_path).profile
    started = time.monotonic()
    with scratch(profile_path, searched, ready, progress) as run:
        ended(plan(run, minutes, tries, return_state=True))
        found = workspace(run).judged
        judged = [found[name] for name in searched.candidates if name in found]
    return Planned(compared(searched, judged), len(searched.candidates), time.monotonic() - started)
