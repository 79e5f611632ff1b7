"""Are the bundles that went out those the ledger knows, and does each still pin the ledger as it was?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sdc import digest
from sdc.anchor import Anchor
from sdc.chain import Entry
from sdc.ledger import RunRow, home_key
from sdc.publish import manifest

if TYPE_CHECKING:
    from sdc.run import Home


@dataclass(frozen=True)
class Fault:
    """Something that does not agree, and the entry of the ledger it is about."""

    entry: int
    problem: str


@dataclass(frozen=True)
class BundleAudit:
    """One look at the outboxes of a home whose chain holds."""

    home: Home
    entries: tuple[Entry, ...]
    rows: Mapping[str, RunRow]

    @cached_property
    def published(self) -> dict[Path, RunRow]:
        """Bundles that went out and are still where they went."""
        out = [row for row in self.rows.values() if row.state == "published" and {"outbox", "bundle", "manifest"} <= row.facts.keys()]
        places = {Path(row.facts["outbox"]) / row.facts["bundle"]: row for row in out}
        return {place: row for place, row in places.items() if place.is_dir()}

    def faults(self) -> Iterator[Fault]:
        yield from self._known()
        yield from self._strange()

    def _known(self) -> Iterator[Fault]:
        """Every bundle that is still in its outbox is whole, and the one the ledger knows."""
        for place, row in self.published.items():
            number = max(entry.sequence for entry in self.entries if entry.run == row.run and "manifest" in entry.body)
            listed = place / manifest.MANIFEST
            if not listed.is_file() or digest.of_file(listed) != row.facts["manifest"]:
                yield Fault(number, f"the manifest of bundle {place.name} is gone or was altered")
                continue
            for problem in manifest.faults(place):
                yield Fault(number, f"bundle {place.name}: {problem}")
            yield from self._unpinned(place)

    def _strange(self) -> Iterator[Fault]:
        """Bundles of this home's runs that the ledger does not call published."""
        own = home_key(self.entries)
        named = dict.fromkeys(Path(row.facts["outbox"]) for row in self.rows.values() if "outbox" in row.facts)
        for bundle, held in (found for outbox in named if outbox.is_dir() for found in manifest.bundles(outbox)):
            run = str(held.get("run"))
            row = self.rows.get(run)
            ours = row is not None or (self.home.runs / run).is_dir() or (own and manifest.anchor(held).get("key") == own)
            if not ours or (row is not None and row.state in ("published", "running")):
                continue
            said = f"says it is {row.state}" if row is not None else "does not know it"
            yield Fault(len(self.entries) + 1, f"missing: bundle {bundle.name} of run {run} is out, and the ledger {said}")
            yield from self._unpinned(bundle)

    def _unpinned(self, bundle: Path) -> Iterator[Fault]:
        """Every bundle pins the ledger as it was when it was made."""
        pinned = manifest.anchor(json.loads((bundle / manifest.MANIFEST).read_bytes()))
        if not pinned or not pinned["sequence"]:
            return
        anchor = Anchor(int(pinned["sequence"]), str(pinned["hash"]))
        if problem := anchor.fault(self.entries):
            yield Fault(anchor.sequence, f"{problem} (the anchor is in bundle {bundle.name})")
