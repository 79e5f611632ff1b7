"""Searches the space a profile declares for candidates that pass the gate, and recommends one."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from prefect import flow

from flows.candidates import pace_of, some_candidates
from flows.compare import Compared, compared, ended, scratch
from flows.release import candidate
from sdc.catalogue.numbers_in_words import reading
from sdc.gate import choose
from sdc.gate.decision import Verdict
from sdc.gate.judged import JudgedCandidate
from sdc.gate.pareto import MapAxis
from sdc.gate.search import Search
from sdc.profile import Profile
from sdc.profile.load import load_space
from sdc.profile.plan import Preference
from sdc.run.progress_display import Progress
from sdc.spelling import limit_in_signs, number
from tasks.context import run_context
from tasks.ingest import ingest

WRITTEN_AS = "recommended"


@dataclass(frozen=True)
class Planned:
    """What was tried, in the order of the profile, and what came of it."""

    tried: Compared
    total: int
    seconds: float

    @cached_property
    def passing(self) -> dict[str, JudgedCandidate]:
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
            return [*said, *_nearest_miss(self.tried.profile, self.tried.judged)]
        if self.tried.axes is None:
            return [*said, f"Recommended: {self.recommended}."]
        return [*said, *self._reasons(self.recommended, self.tried.axes)]

    def _reasons(self, name: str, axes: tuple[MapAxis, MapAxis]) -> list[str]:
        risk, utility = axes
        beaten = len(self.passing) - len(self.front)
        said = [
            f"Recommended: {name}, with {self._at(name, axes)}.",
            (
                f"{len(self.front)} of those that pass {'is' if len(self.front) == 1 else 'are'} beaten by no"
                f" other on {risk.label} and {utility.label}, {beaten} {'is' if beaten == 1 else 'are'}."
            ),
        ]
        for wish, place in (("less risk", 0), ("more use", 1)):
            other = self._next_better(name, axes, place)
            said += [f"If {wish} is wanted: {other}, with {self._at(other, axes)}."] if other else []
        return said

    def _at(self, name: str, axes: tuple[MapAxis, MapAxis]) -> str:
        taken = next(each.assessments for each in self.tried.judged if each.name == name)
        said = []
        for axis, value in zip(axes, self.tried.points[name], strict=True):
            held = axis.measured(taken)
            interval = held.interval if held and axis.part is None else None
            said.append(f"{axis.label} {reading(value, interval) if interval else number(value)}")
        return " and ".join(said)

    def _next_better(self, name: str, axes: tuple[MapAxis, MapAxis], place: int) -> str | None:
        """Of the front, the least step towards less of this axis."""

        def badness(other: str) -> float:
            return axes[place].badness(self.tried.points[other][place])

        better = [other for other in self.front if badness(other) < badness(name)]
        return max(better, key=lambda other: (badness(other), other), default=None)

    @property
    def as_written(self) -> str:
        """The recommended candidate as it would stand in the profile, and the criteria that must name it."""
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


def _nearest_miss(profile: Profile, judged: Sequence[JudgedCandidate]) -> list[str]:
    """The candidate whose worst margin is the best, and what it misses by how much."""
    from sdc.report.judged_findings import reading_of

    nearest = max(judged, key=lambda each: (each.decision.worst_margin(), -len(each.decision.missed())))
    said = [
        (
            f"{finding.criterion} {reading_of(nearest, finding, profile)}"
            f" ({limit_in_signs(finding.at_least, finding.at_most)})"
            if finding.value is not None
            else finding.criterion
        )
        for finding in nearest.decision.missed()
    ]
    missed = f"{len(said)}: {', '.join(said)}"
    return [f"None passes; the nearest by its worst margin, {nearest.name}, misses {missed}."]


@flow(name="plan", validate_parameters=False, persist_result=False)
def plan(run: str, minutes: float, tries: int | None) -> None:
    """Ingest, then judge a few candidates at a time in the order of the search.

    It ends when the time is up or all were tried.
    """
    ingest(run)
    context = run_context(run)
    search, judged = Search(context.grids), context.judged
    total = min(tries or len(context.profile.candidates), len(context.profile.candidates))
    context.progress.stage("assess", pace_of(context, search.coarse_to_fine[:total]))
    until = time.monotonic() + 60 * minutes
    while len(judged) < total and time.monotonic() < until:
        best = promising(context.profile, list(judged.values()))
        names = search.batch(judged, best, min(context.machines.at_once, total - len(judged)))
        some_candidates(run, candidate, names)
        for name in names:
            if (made := judged[name].made) is not None:
                context.forget(made)


def promising(profile: Profile, judged: Sequence[JudgedCandidate]) -> list[str]:
    """Those that pass and are not beaten; while none passes, those with the best worst margin."""
    passing = [each.name for each in judged if each.decision.verdict is Verdict.PUBLISHED]
    if passing:
        return sorted(compared(profile, judged).front_of(passing))
    best = max((each.decision.worst_margin() for each in judged), default=0.0)
    return sorted(each.name for each in judged if each.decision.worst_margin() == best)


def plan_release(
    profile_path: Path,
    ready: Callable[[], object],
    progress: Progress,
    *,
    minutes: float,
    tries: int | None = None,
) -> Planned:
    """Search the space of a profile for so many minutes since the source was read, or so many candidates."""
    space = load_space(profile_path)
    started = time.monotonic()
    with scratch(space.loaded, ready, progress) as context:
        context.grids = space.grids
        ended(plan(context.name, minutes, tries, return_state=True))
        judged = [context.judged[name] for name in space.profile.candidates if name in context.judged]
    return Planned(compared(space.profile, judged), len(space.profile.candidates), time.monotonic() - started)
