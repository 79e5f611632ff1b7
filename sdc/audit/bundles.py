"""Compares the bundles in the outboxes with those the ledger knows, and the ledger with what they pin."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.audit.chain import Anchor, Entry
from sdc.audit.people import home_key
from sdc.audit.runs import RunRow
from sdc.audit.tombstone import clearing_notes, manifest_problems
from sdc.catalogue.candidate import copy_name
from sdc.publish import manifest
from sdc.publish.parts import HOUSEHOLDS, PERSONS, part_of, synthesis_of
from sdc.publish.splitting import differs
from sdc.publish.stacking import stack_differs
from sdc.run import digest
from sdc.run.home import is_alive, known_runs

if TYPE_CHECKING:
    from sdc.run.home import Home


@dataclass(frozen=True)
class LedgerFault:
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
    def announced(self) -> dict[Path, RunRow]:
        """Where the ledger says bundles went."""
        out = [
            row
            for row in self.rows.values()
            if (row.went_out or row.state == "running")
            and {"outbox", "bundle", "manifest"} <= row.facts.keys()
        ]
        return {_place(row): row for row in out}

    @cached_property
    def published(self) -> dict[Path, RunRow]:
        """Bundles that went out and are still where they went."""
        return {place: row for place, row in self.announced.items() if row.went_out and place.is_dir()}

    @cached_property
    def elsewhere(self) -> tuple[tuple[Path, Mapping[str, Any]], ...]:
        """Bundles in the outboxes of this home that lie where the ledger has none."""
        named = dict.fromkeys(
            Path(row.facts["outbox"]) for row in self.rows.values() if "outbox" in row.facts
        )
        found = (each for outbox in named if outbox.is_dir() for each in manifest.bundles(outbox))
        return tuple((place, held) for place, held in found if place not in self.announced)

    def faults(self) -> Iterator[LedgerFault]:
        yield from self._known()
        yield from self._elsewhere()

    def notes(self) -> Iterator[str]:
        """Bundles that are whole and lie elsewhere or were taken away, and what cannot be compared."""
        renamed = set()
        for place, held in self.elsewhere:
            row = self._announced_by(held)
            if row is not None:
                renamed.add(row.run)
                yield f"bundle {place.name} in the outbox is {_relation(row)}"
            elif not held:
                yield f"{place.name} in the outbox has a manifest that cannot be read: not compared"
        for place, row in self.published.items():
            tables = _tables(place)
            in_parts = any(map(part_of, tables)) or (tables and _is_stacked(_chosen(row)))
            if in_parts and self._judged(row) is None:
                yield f"bundle {place.name}: its candidate is not stored here any more: tables not compared"
        for place, row in self.announced.items():
            if row.went_out and place not in self.published and row.run not in renamed:
                yield f"no longer in its outbox: bundle {place.name} of run {row.run}"
            if row.state == "withdrawn":
                yield from clearing_notes(row)

    def _known(self) -> Iterator[LedgerFault]:
        """Every bundle that is still in its outbox is whole, and the one the ledger knows."""
        for place, row in self.published.items():
            number = self._announcement(row)
            if not _is_announced(place, row):
                yield LedgerFault(number, f"the manifest of bundle {place.name} is gone or was altered")
                continue
            found = manifest.faults(place)
            if row.state == "withdrawn":
                found = manifest_problems(place, row, found)
            for problem in found:
                yield LedgerFault(number, f"bundle {place.name}: {problem}")
            for name in self._not_as_judged(place, row):
                problem = f"bundle {place.name}: {name} is not the candidate that was judged"
                yield LedgerFault(number, problem)
            yield from self._unpinned(place)

    def _not_as_judged(self, place: Path, row: RunRow) -> list[str]:
        """Parquet files of a bundle that are not the judged file of the candidate that left.

        They are so byte for byte. Persons and households, joined again, have its records.
        """
        chosen = _chosen(row)
        judged = [chosen.get("sha256"), *chosen.get("further", ())]
        listed = json.loads((place / manifest.MANIFEST).read_bytes())["files"]
        tables = {each["path"]: each["sha256"] for each in listed if each["path"].endswith(".parquet")}
        if _is_stacked(chosen) or any(map(part_of, tables)):
            return self._parts_not_as_judged({name: place / name for name in tables}, row)
        wrong = []
        for name, sha256 in tables.items():
            number = synthesis_of(name) or 1
            if judged[0] and (number > len(judged) or sha256 != judged[number - 1]):
                wrong.append(name)
        return wrong

    def _parts_not_as_judged(self, tables: Mapping[str, Path], row: RunRow) -> list[str]:
        """The same for tables that hold the judged ones in parts or in a stack, record by record."""
        stored = self._judged(row)
        if stored is None or not tables or not all(each.is_file() for each in tables.values()):
            return []
        if _is_stacked(_chosen(row)):
            return [*tables] if stack_differs(stored, {part_of(n): p for n, p in tables.items()}) else []
        found: dict[int, dict[str, Path]] = {}
        for name, each in tables.items():
            found.setdefault(synthesis_of(name) or 1, {})[part_of(name)] = each
        return [
            each.name
            for number, parts in found.items()
            if {*parts} != {PERSONS, HOUSEHOLDS}
            or number > len(stored)
            or differs(stored[number - 1], parts[PERSONS], parts[HOUSEHOLDS])
            for each in parts.values()
        ]

    def _judged(self, row: RunRow) -> list[Path] | None:
        """The stored files of the candidate that left, if all are here and those that were judged."""
        name, chosen = str(row.facts.get("chosen")), _chosen(row)
        directory = self.home.directory(row.run)
        further = chosen.get("further", ())
        known = [(directory.stored(name), chosen.get("sha256"))]
        known += [(directory.stored(copy_name(name, n)), sha) for n, sha in enumerate(further, start=2)]
        here = all(sha256 and file.is_file() and digest.of_file(file) == sha256 for file, sha256 in known)
        return [file for file, _ in known] if here else None

    def _elsewhere(self) -> Iterator[LedgerFault]:
        """Copies that were altered, and bundles of this home that the ledger does not call published."""
        own, known = home_key(self.entries), known_runs(self.home)
        for place, held in self.elsewhere:
            run = str(held.get("run"))
            row = self.rows.get(run)
            if (told := self._announced_by(held)) is not None:
                yield from self._altered(place, told)
                continue
            ours = row is not None or run in known or (own and manifest.anchor(held).get("key") == own)
            if not ours or (row is not None and row.state == "running" and is_alive(self.home, run)):
                continue
            said = f"says it is {row.state}" if row is not None else "does not know it"
            yield LedgerFault(
                len(self.entries) + 1,
                f"missing: bundle {place.name} of run {run} is out, and the ledger {said}",
            )
            yield from self._unpinned(place)

    def _altered(self, place: Path, row: RunRow) -> Iterator[LedgerFault]:
        """What differs between a copy and the bundle the ledger has."""
        problems = (
            manifest.faults(place)
            if _is_announced(place, row)
            else ["its manifest is not the one the ledger has"]
        )
        for problem in problems:
            yield LedgerFault(
                self._announcement(row), f"bundle {place.name} is {_relation(row)}, and {problem}"
            )

    def _announced_by(self, held: Mapping[str, Any]) -> RunRow | None:
        return next((row for row in self.announced.values() if row.run == held.get("run")), None)

    def _announcement(self, row: RunRow) -> int:
        return max(
            entry.sequence for entry in self.entries if entry.run == row.run and "manifest" in entry.body
        )

    def _unpinned(self, bundle: Path) -> Iterator[LedgerFault]:
        """Every bundle pins the ledger as it was when it was made."""
        pinned = manifest.anchor(json.loads((bundle / manifest.MANIFEST).read_bytes()))
        if not pinned or not pinned["sequence"]:
            return
        anchor = Anchor(pinned["sequence"], pinned["hash"])
        if problem := anchor.fault(self.entries):
            yield LedgerFault(anchor.sequence, f"{problem} (the anchor is in bundle {bundle.name})")


def _tables(place: Path) -> list[str]:
    return [each.name for each in place.glob("*.parquet")]


def _chosen(row: RunRow) -> Mapping[str, Any]:
    """What the ledger says of the candidate that left."""
    held: Mapping[str, Any] = row.facts.get("candidates", {}).get(row.facts.get("chosen"), {})
    return held


def _is_stacked(chosen: Mapping[str, Any]) -> bool:
    return bool(chosen.get("further")) and chosen.get("syntheses") == "stacked"


def _place(row: RunRow) -> Path:
    return Path(row.facts["outbox"]) / str(row.facts["bundle"])


def _is_announced(place: Path, row: RunRow) -> bool:
    """Is the manifest there the very one the ledger has?"""
    listed = place / manifest.MANIFEST
    return listed.is_file() and digest.of_file(listed) == row.facts["manifest"]


def _relation(row: RunRow) -> str:
    """What a bundle under another name is to the one the ledger knows."""
    place = _place(row)
    return f"a copy of {place.name}" if place.is_dir() else f"{place.name} renamed"
