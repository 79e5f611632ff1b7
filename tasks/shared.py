"""Puts the tables of a run on shared storage for other machines, and collects what they measured."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sdc.catalogue.candidate import Candidate
from sdc.catalogue.external import external_of
from sdc.catalogue.measurement import Assessment, NotAssessed
from sdc.catalogue.protection import Budget, Step
from sdc.catalogue.registry import find_measure
from sdc.data.release_pair import EarlierRelease, ReleasePair
from sdc.data.table import Table
from sdc.data.warehouse import KEY_VARIABLE
from sdc.data.warehouse.candidates import PERSONS
from sdc.data.warehouse.records import records_table
from sdc.data.warehouse.shared import SharedFolder
from sdc.data.warehouse.shared_tables import SentTable, SharedTables
from sdc.errors import SdcError, SharedUnusable
from sdc.gate.untouched import NAME
from sdc.methods.protect import leaving_order
from sdc.profile import Criterion, Profile
from sdc.run import digest, durable
from tasks.context import RunContext

RUN = "run"
ORIGINAL = "original"
UNTOUCHED = "untouched.original"
"""As which candidate the original is measured elsewhere; no candidate can be called that."""


def pair_text(candidate: str) -> str:
    """Under which name it is said what a candidate's pair is made of."""
    return f"pair_{candidate}"


def plan_text(candidate: str) -> str:
    """Under which name it is said how a candidate is to be made."""
    return f"plan_{candidate}"


def made_text(candidate: str) -> str:
    """Under which name it is said how a candidate was made elsewhere."""
    return f"made_{candidate}"


def leaving_name(copy: str) -> str:
    """Under which name the file of a candidate, or of a further synthesis of it, travels."""
    return f"leaving_{copy}"


def measurement_text(alias: str, candidate: str) -> str:
    """Under which name a measurement comes back; a dot, for neither name has one."""
    return f"measurement_{alias}.{candidate}"


class Shared:
    """A run's side of the folder: the pairs to be measured go there, measurements come from it."""

    def __init__(self, context: RunContext, folder: SharedFolder, software: dict[str, str]) -> None:
        self._context, self.url = context, folder.url
        self.tables = SharedTables(folder, context.warehouse, os.environ.get(KEY_VARIABLE))
        self._sent: dict[str, SentTable] = {}
        self._guard = threading.Lock()
        profile = context.profile
        self._say(
            RUN,
            {
                "software": software,
                "limits": profile.limits.model_dump(mode="json"),
                "missing": profile.missing_keys.value,
                "variables": digest.plain(list(profile.roles)),
            },
        )

    def can_be_made_elsewhere(self, name: str) -> bool:
        """Whether another machine can know all that a candidate is made from: no file, no odd option."""
        profile = self._context.profile
        return (
            external_of(profile.candidates[name]) is None
            and profile_from(_profile_record(profile)) == profile
        )

    def share_plan(self, name: str) -> None:
        """All that a candidate is made from; of the random numbers its own alone."""
        profile = self._context.profile
        for table in (ORIGINAL, PERSONS):
            self._send(table)
        randomness = self._context.randomness.of_candidate(name, profile.candidates[name])
        self._say(
            plan_text(name),
            {
                "profile": _profile_record(profile),
                "sent": {table: self._sent[table].as_record() for table in (ORIGINAL, PERSONS)},
                "randomness": randomness.key.hex(),
            },
        )

    def collect_candidate(self, name: str) -> Candidate:
        """A candidate that was made elsewhere, as if it had been made here: its file, its tables, its steps.

        The order of its records is known here; what was made must be what arrived.
        """
        context, warehouse = self._context, self._context.warehouse
        held = json.loads(self.tables.fetch_text(made_text(name)))
        if held["cannot"]:
            raise SdcError(held["cannot"])
        made = Candidate.from_record(held["candidate"])
        randomness = context.randomness.of_candidate(name, context.profile.candidates[name])
        orders = [leaving_order(randomness, rows, copy) for copy, rows in enumerate(held["rows"], start=1)]
        warehouse.directory.candidates.mkdir(mode=durable.PRIVATE_DIRECTORY, exist_ok=True)
        for copy, pieces, order in zip(made.copies, held["pieces"], orders, strict=True):
            self.tables.fetch_file(leaving_name(copy), pieces, warehouse.directory.stored(copy))
            arrived = warehouse.read_candidate(copy, order)
            if arrived.sha256 != made.fingerprints[copy]:
                raise SharedUnusable(self.url, f"candidate {name} did not arrive as it was made")
        return replace(
            made,
            path=str(warehouse.directory.stored(name)),
            sealed=tuple(held["sealed"]),
            persons=warehouse.store_persons(name, orders[0]) if made.persons else "",
        )

    def share(self, candidate: Candidate) -> None:
        """All a measure of this candidate may look at; a table of several candidates is sent once."""
        planned = self._context.profile.measurements(candidate.name)
        self._share(candidate.name, self._context.pair(candidate), planned, by_record=True)

    def share_untouched(self) -> None:
        """The original in the place of a candidate; the gate may ask of it what is asked of any."""
        self._share(UNTOUCHED, self._context.untouched, self._context.profile.criteria, by_record=False)

    def _share(self, name: str, pair: ReleasePair, planned: Sequence[Criterion], *, by_record: bool) -> None:
        tables = tables_of(pair)
        earlier = (
            earlier_record(pair)
            if any(find_measure(criterion.measure).looks_back for criterion in planned)
            else None
        )
        names = [
            *_names(tables),
            *(
                each[kind]
                for each in (earlier or {}).get("releases", ())
                for kind in ("table", "places")
                if each[kind]
            ),
        ]
        for table in names:
            self._send(table)
        self._say(
            pair_text(name),
            {
                "tables": tables,
                "sent": {table: self._sent[table].as_record() for table in names},
                "earlier": earlier,
                "randomness": self._context.measuring.key.hex(),
                "aligned": pair.aligned,
                "steps": [step.as_record() for step in pair.steps],
                "measurements": {criterion.alias: _criterion_record(criterion) for criterion in planned},
                "by_record": by_record,
            },
        )

    def collect(self, candidate: Candidate, criterion: Criterion) -> Assessment:
        """A measurement made elsewhere, stored as if it had been made here.

        What it says about single records stays in the warehouse.
        """
        held = json.loads(self.tables.fetch_text(measurement_text(criterion.alias, candidate.name)))
        if held["records"]:
            self.tables.fetch(records_table(criterion.alias, candidate.name), SentTable(**held["records"]))
        assessed = _answered(criterion, held, candidate.name)
        self._context.warehouse.store_assessment(assessed)
        return assessed

    def collect_untouched(self, criterion: Criterion) -> Assessment:
        """A measurement of the original made elsewhere, for the gate alone."""
        held = json.loads(self.tables.fetch_text(measurement_text(criterion.alias, UNTOUCHED)))
        return _answered(criterion, held, NAME)

    def withdraw(self, candidate: Candidate) -> None:
        """A candidate that is measured does not stay on shared storage."""
        with self._guard:
            for name in own_tables(tables_of(self._context.pair(candidate))):
                if sent := self._sent.pop(name, None):
                    self.tables.drop(name, sent)

    def _send(self, table: str) -> None:
        """A table is sent once."""
        with self._guard:
            if table not in self._sent:
                self._sent[table] = self.tables.send(table)

    def _say(self, name: str, content: dict[str, Any]) -> None:
        self.tables.send_text(name, json.dumps(content, allow_nan=False))


def tables_of(pair: ReleasePair) -> dict[str, Any]:
    """The names of a pair's tables by what they are to it."""
    return {
        "original": pair.original.name,
        "candidate": pair.candidate.name,
        "holdout": pair.holdout.name if pair.holdout else None,
        "population": pair.population.name if pair.population else None,
        "syntheses": [table.name for table in pair.syntheses],
        "leaving": [table.name for table in pair.leaving],
    }


def earlier_record(pair: ReleasePair) -> dict[str, Any]:
    """What was released before, or why that is not known."""
    earlier = pair.earlier
    if isinstance(earlier, NotAssessed):
        return {"not_assessed": earlier.reason}
    return {
        "releases": [
            {
                "table": each.table.name,
                "places": each.places.name if each.places else None,
                **digest.plain(
                    {"name": each.name, "steps": each.steps, "budget": each.budget, "covered": each.covered}
                ),
            }
            for each in earlier
        ]
    }


def earlier_from(told: dict[str, Any], tables: Mapping[str, Table]) -> Sequence[EarlierRelease] | NotAssessed:
    if "not_assessed" in told:
        return NotAssessed(told["not_assessed"])
    return [
        EarlierRelease(
            tables[each["table"]],
            each["name"],
            tables[each["places"]] if each["places"] else None,
            tuple(map(Step.from_record, each["steps"])),
            Budget.from_record(each["budget"]),
            frozenset(each["covered"]),
        )
        for each in told["releases"]
    ]


def own_tables(tables: dict[str, Any]) -> list[str]:
    """The tables that no other candidate has."""
    own = dict.fromkeys([tables["candidate"], *tables["syntheses"]])
    return [name for name in own if name != tables["original"]]


def _names(tables: dict[str, Any]) -> list[str]:
    named = [
        name for held in tables.values() for name in (held if isinstance(held, list) else [held]) if name
    ]
    return list(dict.fromkeys(named))


def _answered(criterion: Criterion, held: Mapping[str, Any], candidate: str) -> Assessment:
    """What was asked is what the profile asks; only the answer comes from elsewhere."""
    answer = Assessment.from_record(held["measurement"], candidate)
    return replace(answer, measure=criterion.measure, alias=criterion.alias, options=dict(criterion.options))


def _profile_record(profile: Profile) -> dict[str, Any]:
    return profile.model_dump(mode="json", by_alias=True)


def profile_from(told: dict[str, Any]) -> Profile:
    return Profile.model_validate(told)


def _criterion_record(criterion: Criterion) -> dict[str, Any]:
    told = criterion.model_dump(mode="json", by_alias=True)
    if criterion_from(told) != criterion:
        raise SdcError(
            f"{criterion.alias}: its options cannot be sent to another machine: write names of variables and"
            " levels as texts"
        )
    return told


def criterion_from(told: dict[str, Any]) -> Criterion:
    return Criterion.model_validate(told)
