"""Keeps what was counted of the original while variables are chosen: work in the background, done once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sdc.data.release_pair import ReleasePair
from sdc.run import digest
from sdc.studio.live_risk import (
    Giveaway,
    LiveRisk,
    candidates_for_keys,
    demanded_k,
    giveaways,
    live_risk,
)
from sdc.studio.trial import LARGE, SAMPLE

if TYPE_CHECKING:
    from sdc.profile.plan import Profile
    from sdc.studio.jobs import Job
    from sdc.studio.workbench import Workbench
    from sdc.study.workplace import Workplace

RISK, GIVEAWAYS = "counting the keys", "looking for variables that tell others"


@dataclass(eq=False)
class LiveState:
    """The numbers beside the variables, with those before the last edit; of a large file a sample first."""

    workbench: Workbench
    _pairs: dict[str, tuple[str, Workplace, ReleasePair]] = field(default_factory=dict, repr=False)
    _first: dict[str, tuple[str, Any]] = field(default_factory=dict, repr=False)
    _last: dict[bool, tuple[str, LiveRisk]] = field(default_factory=dict, repr=False)
    _before: dict[bool, LiveRisk] = field(default_factory=dict, repr=False)
    """By whether they are of a sample: unique people of one are not compared with those of all records."""

    def risk(self) -> Job:
        """The work that counts the risk of the keys as they are now."""
        return self.workbench.jobs.wanted(RISK, self._subject(), self._counted)

    def giveaways(self) -> Job:
        return self.workbench.jobs.wanted(GIVEAWAYS, self._subject(), self._told)

    def first(self, job: Job) -> Any:
        """What a sample says while all records are being counted; None where there is no such thing."""
        held = self._first.get(job.name)
        return held[1] if held is not None and held[0] == job.subject and job.is_under_way else None

    def before_of(self, risk: LiveRisk) -> LiveRisk | None:
        """The numbers before the last edit, of as many records."""
        return self._before.get(risk.of_sample)

    def _subject(self) -> str:
        """All that the numbers depend on."""
        values = self.workbench.profile_text.values or {}
        told = [values.get(key) for key in ("source", "variables", "missing_keys", "risk")]
        return digest.of_bytes(digest.canonical([told, self.workbench.stamps()]))

    def _counted(self, progress: Any, _cancelled: Any) -> LiveRisk:
        subject = self._subject()
        progress(0.0, "reading the records")
        place, profile = self.workbench.workplace(), self.workbench.reading().profile
        keys, others = candidates_for_keys(profile)
        if place.ingested.rows > LARGE:
            progress(0.0, "a sample")
            pair = self._original(place.sampled(profile, SAMPLE), profile)
            first = replace(live_risk(pair, keys, others, demanded_k(profile), progress), of_sample=True)
            self._remember(subject, first)
            self._first[RISK] = (subject, first)
        found = live_risk(self._original(place, profile), keys, others, demanded_k(profile), progress)
        self._remember(subject, found)
        return found

    def _remember(self, subject: str, found: LiveRisk) -> None:
        last = self._last.get(found.of_sample)
        if last is not None and last[0] != subject:
            self._before[found.of_sample] = last[1]
        self._last[found.of_sample] = (subject, found)

    def _told(self, progress: Any, _cancelled: Any) -> list[Giveaway]:
        subject = self._subject()
        progress(0.0, "reading the records")
        place, profile = self.workbench.workplace(), self.workbench.reading().profile
        if place.ingested.rows > LARGE:
            sample = self._original(place.sampled(profile, SAMPLE), profile)
            self._first[GIVEAWAYS] = (subject, giveaways(sample.original, profile, progress))
        return giveaways(self._original(place, profile).original, profile, progress)

    def _original(self, place: Workplace, profile: Profile) -> ReleasePair:
        """The records against themselves, with the roles as they are now."""
        key = digest.of_bytes(digest.canonical([profile.variables, profile.missing_keys]))
        where = str(place.directory)
        held = self._pairs.get(where)
        if held is None or held[0] != key or held[1] is not place:
            original = place.warehouse.database.table("original")
            pair = ReleasePair(original, original, profile.roles, missing=profile.missing_keys)
            # Those of records that were read before are of no use any more.
            self._pairs = {path: kept for path, kept in self._pairs.items() if kept[0] == key}
            held = self._pairs[where] = (key, place, pair)
        return held[2]
