"""Searches the space of a profile as `sdc plan` does, on the records at hand, and keeps what was found."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from sdc.errors import BadStudy, SdcError
from sdc.gate.decision import Decision
from sdc.gate.judged import JudgedCandidate
from sdc.gate.scorecard import judged, read
from sdc.gate.search import Search
from sdc.studio.jobs import Cancelled, Job
from sdc.studio.trial import planned_steps

if TYPE_CHECKING:
    from flows.plan import Planned
    from sdc.profile.load import SearchSpace
    from sdc.profile.plan import Profile
    from sdc.studio.workbench import Workbench
    from sdc.study.workplace import Workplace

SEARCH = "search"
MOST_MINUTES = 24 * 60


@dataclass(eq=False)
class FrontSearch:
    """One search: the space, the records, and the candidates judged so far."""

    space: SearchSpace
    place: Workplace
    minutes: float
    tries: int | None = None
    found: dict[str, JudgedCandidate] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    _guard: threading.Lock = field(default_factory=threading.Lock)

    @property
    def profile(self) -> Profile:
        return self.space.profile

    @cached_property
    def total(self) -> int:
        return min(self.tries or len(self.profile.candidates), len(self.profile.candidates))

    def run(self, progress: Callable[..., None], _cancelled: Callable[[], bool]) -> None:
        """Try one candidate after another in the order of the search, until all were or the time is up."""
        from flows.plan import promising

        search, until = Search(self.space.grids), time.monotonic() + 60 * self.minutes
        while len(self.found) < self.total and time.monotonic() < until:
            best = promising(self.profile, list(self.found.values()))
            for name in search.batch(self.found, best, 1):
                progress(len(self.found) / self.total, f"{name}, {len(self.found) + 1} of {self.total}")
                made = self._judged(name, progress)
                with self._guard:
                    self.found[name] = made
                    self.seconds = time.monotonic() - self.began

    def _judged(self, name: str, progress: Callable[..., None]) -> JudgedCandidate:
        """A candidate with its numbers and what the criteria say; its table is dropped again."""
        from flows.candidates import impossible

        planned, share = planned_steps(self.profile, name), len(self.found) / self.total

        def announce(number: int, method: str) -> None:
            progress(share, f"{name}: step {number}, {method}")

        try:
            made = self.place.made(self.profile, planned, announce)
            assessments = []
            for criterion in self.profile.measurements(name):
                progress(share, f"{name}: {criterion.alias}")
                assessments.append(self.place.measured(self.profile, planned, criterion))
        except (Cancelled, BadStudy):
            raise
        except SdcError as error:
            return JudgedCandidate(name, impossible(name, error))
        finally:
            self.place.forget(planned)
        findings = tuple(
            limit.check(name, read(limit, criterion, name, assessments))
            for limit, criterion in judged(self.profile, name)
        )
        return JudgedCandidate(name, Decision(name, findings), tuple(assessments), made.candidate)

    @property
    def planned(self) -> Planned | None:
        """What `sdc plan` would say by now; None while nothing was judged."""
        from flows.compare import compared
        from flows.plan import Planned

        with self._guard:
            found = dict(self.found)
        in_order = [found[name] for name in self.profile.candidates if name in found]
        if not in_order:
            return None
        return Planned(compared(self.profile, in_order), len(self.profile.candidates), self.seconds)

    def steps(self, name: str) -> list[dict[str, Any]]:
        """The steps of a candidate of the space, as a profile writes them."""
        return [
            {"method": step.method, **({"with": dict(step.options)} if step.options else {})}
            for step in self.profile.candidates[name]
        ]


_searches: WeakKeyDictionary[Workbench, FrontSearch] = WeakKeyDictionary()


def last_search(workbench: Workbench) -> FrontSearch | None:
    return _searches.get(workbench)


def begin_search(workbench: Workbench, minutes: float, tries: int | None) -> Job:
    """Search the space of the profile as it is now, in the background; BadProfile where it has faults."""
    from sdc.profile.load import load_space

    space = load_space(workbench.path, workbench.files())
    search = FrontSearch(space, workbench.workplace(), minutes, tries)
    job = workbench.jobs.start(SEARCH, search.run)
    _searches[workbench] = search
    return job
