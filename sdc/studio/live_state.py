"""Keeps what was counted of the original while variables are chosen: work in the background, done once."""

from __future__ import annotations

from dataclasses import dataclass, field
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

if TYPE_CHECKING:
    from sdc.profile.plan import Profile
    from sdc.studio.jobs import Job
    from sdc.studio.workbench import Workbench
    from sdc.study.workplace import Workplace

RISK, GIVEAWAYS = "counting the keys", "looking for variables that tell others"


@dataclass(eq=False)
class LiveState:
    """The numbers beside the variables, with those before the last edit."""

    workbench: Workbench
    before: LiveRisk | None = None
    _last: tuple[str, LiveRisk] | None = None
    _pair: tuple[str, Workplace, ReleasePair] | None = field(default=None, repr=False)

    def risk(self) -> Job:
        """The work that counts the risk of the keys as they are now."""
        return self.workbench.jobs.wanted(RISK, self._subject(), self._counted)

    def giveaways(self) -> Job:
        return self.workbench.jobs.wanted(GIVEAWAYS, self._subject(), self._told)

    def _subject(self) -> str:
        """All that the numbers depend on."""
        values = self.workbench.profile_text.values or {}
        told = [values.get(key) for key in ("source", "variables", "missing_keys", "risk")]
        return digest.of_bytes(digest.canonical([told, self.workbench.stamps()]))

    def _counted(self, progress: Any, _cancelled: Any) -> LiveRisk:
        subject = self._subject()
        progress(0.0, "reading the records")
        pair, profile = self._original()
        keys, others = candidates_for_keys(profile)
        found = live_risk(pair, keys, others, demanded_k(profile), progress)
        if self._last is not None and self._last[0] != subject:
            self.before = self._last[1]
        self._last = (subject, found)
        return found

    def _told(self, progress: Any, _cancelled: Any) -> list[Giveaway]:
        progress(0.0, "reading the records")
        pair, profile = self._original()
        return giveaways(pair.original, profile, progress)

    def _original(self) -> tuple[ReleasePair, Profile]:
        """The records against themselves, with the roles as they are now."""
        place = self.workbench.workplace()
        profile = self.workbench.reading().profile
        key = digest.of_bytes(digest.canonical([profile.variables, profile.missing_keys]))
        held = self._pair
        if held is None or held[0] != key or held[1] is not place:
            original = place.warehouse.database.table("original")
            pair = ReleasePair(original, original, profile.roles, missing=profile.missing_keys)
            held = self._pair = (key, place, pair)
        return held[2], profile
