"""Reads what was released before from the same source, as far as it can still be trusted.

    history = releases(Ledger(home.ledger).entries(), profile.family)      # oldest first
    read_earlier(home, history, database, roles, secret)   # their tables, verified, each person in its place

A table is taken from the run that stored it or from the bundle in the outbox, and only if its SHA-256 is the
one on record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sdc.audit.ledger import Entry, Event, folded
from sdc.audit.released_tables import CannotRead, Release, read_each
from sdc.catalogue.measurement import NotAssessed
from sdc.catalogue.protection import Budget, Step, composed, covered
from sdc.data.release_pair import EarlierRelease
from sdc.data.warehouse.candidates import PERSONS
from sdc.run import digest

if TYPE_CHECKING:
    from sdc.data.database import Database
    from sdc.data.roles import Roles
    from sdc.data.table import Table
    from sdc.run.directory import RunDirectory
    from sdc.run.home import Home
    from sdc.run.secret import Secret


def releases(entries: Sequence[Entry], family: str, besides: str = "") -> list[Release]:
    """All that was published of a family, or is about to appear, in the order in which it was announced."""
    announced = {
        entry.run: entry.sequence for entry in entries if entry.event in (Event.PUBLISHING, Event.PUBLISHED)
    }
    rows = [
        row
        for row in folded(tuple(entries))
        if row.run in announced and row.run != besides and row.facts.get("family", row.profile) == family
    ]
    # A withdrawn release was out: who has a copy still has it.
    out = [row for row in rows if row.went_out or row.state == "running"]
    return [Release(row.run, row.facts) for row in sorted(out, key=lambda row: announced[row.run])]


def read_earlier(
    home: Home, history: Sequence[Release], database: Database, roles: Roles, secret: Secret
) -> tuple[EarlierRelease, ...] | NotAssessed:
    """Every release as a table earlier_<n> of the database.

    A reason naming the run where one cannot be read any more.
    """
    found = []
    for number, release in enumerate(history, start=1):
        try:
            found += _earlier(home, release, f"earlier_{number}", database, roles, secret)
        except CannotRead as problem:
            return NotAssessed(str(problem))
    return tuple(found)


def _earlier(
    home: Home, release: Release, name: str, database: Database, roles: Roles, secret: Secret
) -> list[EarlierRelease]:
    """The table of a release, or one for each synthesis that left; persons are known of the first alone."""
    first, *more = read_each(home, release, roles)
    table = database.write(name, first)
    record = sealed_record(home, release)
    steps = _steps(home, release, record)
    budget, covers = (composed(steps), covered(steps)) if steps else _known_budget(release)
    places = _places(home, release, record, table, secret)
    found = [EarlierRelease(table, release.name, places, steps, budget, covers)]
    for number, further in enumerate(more, start=2):
        held = database.write(f"{name}_{number}", further)
        told = f"{release.name}, synthesis {number}"
        found.append(EarlierRelease(held, told, None, steps, budget, covers))
    return found


def _places(
    home: Home, release: Release, record: Mapping[str, Any] | None, table: Table, secret: Secret
) -> Table | None:
    """Where each person of the original is in the release: a table of places, -1 for those who are not in it.

    None where that is not known.

    The run keeps a list of persons, under the secret of the home. CannotRead where that list was altered, or
    the secret is another.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    chosen = chosen_of(release, record)
    if record is None or not chosen.get("persons") or not table.database.has(PERSONS):
        return None
    if record["source"].get("secret") != secret.fingerprint:
        raise CannotRead(
            release.run,
            f"its list of persons was kept under the secret {record['source'].get('secret')}, and this home"
            " has another",
        )
    place = home.directory(release.run).persons(chosen["name"])
    if not place.is_file() or digest.of_file(place) != chosen["persons"]:
        raise CannotRead(release.run, "its list of persons is gone or was altered")
    then = pq.read_table(place, memory_map=False)
    then = then.append_column("place", pa.array(range(then.num_rows), pa.int64()))
    if then.num_rows != table.rows:
        raise CannotRead(release.run, "its list of persons does not fit its records")
    query = f"""
        SELECT coalesce("then"."place", -1) AS "place"
        FROM {PERSONS} AS "now" LEFT JOIN "given" AS "then" USING ("person")
        ORDER BY "now".rowid
    """
    return table.database.write(f"{table.name}_places", table.arrow(query, {"given": then}))


def sealed_record(home: Home, release: Release) -> Mapping[str, Any] | None:
    """The sealed record of a run, if it is still here and the one the ledger knows."""
    place = home.directory(release.run).record
    if "record" not in release.facts or not place.is_file():
        return None
    data = place.read_bytes()
    held: Mapping[str, Any] = json.loads(data) if digest.of_bytes(data) == release.facts["record"] else {}
    return held or None


def _steps(home: Home, release: Release, record: Mapping[str, Any] | None) -> tuple[Step, ...]:
    """The steps on record; the groups of labels they made are in the run's own list of candidates."""
    chosen = chosen_of(release, record)
    if not chosen:
        return ()
    listed = _listed(home.directory(release.run), record or {}).get(chosen["name"], {})
    labels = (
        [step.get("labels", {}) for step in listed.get("steps", ())]
        if listed.get("sha256") == chosen["sha256"]
        else []
    )
    steps = chosen["steps"]
    grouped = labels if len(labels) == len(steps) else [{}] * len(steps)
    return tuple(
        Step.from_record({**step, "labels": held}) for step, held in zip(steps, grouped, strict=True)
    )


def chosen_of(release: Release, record: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """What a record has of the candidate that left, which people may have taken in place of the gate's.

    Nothing where there is none.
    """
    name = (release.facts.get("chosen") or record["chosen"]) if record else None
    return next(
        (candidate for candidate in (record or {}).get("candidates", ()) if candidate["name"] == name), {}
    )


def _listed(directory: RunDirectory, record: Mapping[str, Any]) -> dict[str, Any]:
    """What a run lists of its candidates, if the list is here and the one its record vouches for."""
    place = directory.candidate_list
    known = record.get("files", {}).get(directory.name_of(place))
    if not place.is_file() or digest.of_file(place) != known:
        return {}
    return {each["name"]: each for each in json.loads(place.read_text())}


def _known_budget(release: Release) -> tuple[Budget | None, frozenset[str]]:
    held = release.chosen.get("budget")
    return Budget.from_record(held), frozenset(held.get("covers", ()) if held else ())
