"""Reads what was released before from the same source, as far as it can still be trusted.

    history = releases(Ledger(home.ledger).entries(), profile.family)      # oldest first
    read_earlier(home, history, database, roles, secret)   # their tables, verified, each person in its place

A table is taken from the run that stored it or from the bundle in the outbox, and only if its SHA-256 is the
one on record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.audit.ledger import Entry, Event, folded
from sdc.catalogue.measurement import NotAssessed
from sdc.catalogue.protection import Budget, Step, composed, covered
from sdc.data.release_pair import EarlierRelease
from sdc.data.roles import VariableType
from sdc.data.warehouse.candidates import PERSONS
from sdc.errors import SdcError
from sdc.profile.publish_plan import SYNTHESIS
from sdc.publish.manifest import MANIFEST
from sdc.publish.parts import synthesis_of
from sdc.run import digest

if TYPE_CHECKING:
    import pyarrow as pa

    from sdc.data.database import Database
    from sdc.data.roles import Roles
    from sdc.data.table import Table
    from sdc.run.directory import RunDirectory
    from sdc.run.home import Home
    from sdc.run.secret import Secret


class CannotRead(SdcError):
    """A table released before is not here any more, or not as it was."""

    def __init__(self, run: str, problem: str) -> None:
        super().__init__(f"the release of run {run} cannot be read any more: {problem}")


@dataclass(frozen=True)
class Release:
    """A published run: what the ledger says of it."""

    run: str
    facts: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.facts.get("bundle", self.run))

    @property
    def chosen(self) -> Mapping[str, Any]:
        """What the ledger says of the candidate that left; nothing where the run died before it said so."""
        held: Mapping[str, Any] = self.facts.get("candidates", {}).get(self.facts.get("chosen"), {})
        return held


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


def read(home: Home, release: Release, roles: Roles) -> pa.Table:
    """The released records, or those of the first synthesis that left."""
    return read_each(home, release, roles)[0]


def read_each(home: Home, release: Release, roles: Roles) -> list[pa.Table]:
    """The released records in the order in which they left, from bytes that are those on record.

    One table, or one for each synthesis that left.
    """
    import pyarrow.parquet as pq

    published = _files(release)
    sha256 = release.chosen.get("sha256") or next(iter(published.get("parquet", {}).values()), "")
    further = release.chosen.get("further", ()) if release.chosen.get("syntheses") != "first" else ()
    stored = home.directory(release.run).candidates
    known = {digest.of_file(file): file for file in sorted(stored.glob("*.parquet"), reverse=True)}
    if all(each in known for each in (sha256, *further)):
        return [pq.read_table(known[each], memory_map=False) for each in (sha256, *further)]
    if not published:
        raise CannotRead(
            release.run, "neither its stored candidate nor its bundle is where it was, unaltered"
        )
    for kind in ("parquet", "csv"):
        if kind in published:
            return _read_bundle(release, published[kind], roles)
    raise CannotRead(release.run, "its bundle has no data file")


def _read_bundle(release: Release, files: Mapping[Path, str], roles: Roles) -> list[pa.Table]:
    """The tables of a bundle, syntheses apart, persons joined with their households."""
    import pyarrow.compute as pc

    of_synthesis: dict[int, list[pa.Table]] = {}
    for place, sha256 in files.items():
        table = _read_published(release, place, sha256, roles=roles)
        if SYNTHESIS in table.column_names and SYNTHESIS not in roles:
            for number in sorted(pc.unique(table[SYNTHESIS]).to_pylist()):
                own = table.filter(pc.equal(table[SYNTHESIS], number)).drop_columns([SYNTHESIS])
                of_synthesis.setdefault(number, []).append(own)
        else:
            of_synthesis.setdefault(synthesis_of(place.name), []).append(table)
    several = [of_synthesis[number] for number in sorted(of_synthesis)]
    return [tables[0] if len(tables) == 1 else _joined(release, *tables) for tables in several]


def _joined(release: Release, persons: pa.Table, households: pa.Table) -> pa.Table:
    """Persons in their order, each with the variables of its household."""
    import pyarrow.compute as pc

    (key,) = {*persons.column_names} & {*households.column_names}
    places = pc.index_in(persons[key], value_set=households[key].combine_chunks())
    if places.null_count:
        raise CannotRead(release.run, "its persons and households do not fit")
    for name in households.column_names:
        if name != key:
            persons = persons.append_column(name, households[name].take(places))
    return persons


def _files(release: Release) -> dict[str, dict[Path, str]]:
    """Data files of the bundle with their SHA-256, by kind, as its manifest has them: persons come first.

    None where that is not the one on record.
    """
    if "bundle" not in release.facts or "outbox" not in release.facts:
        return {}
    folder = Path(release.facts["outbox"]) / release.facts["bundle"]
    try:
        data = (folder / MANIFEST).read_bytes()
    except OSError:
        return {}
    if digest.of_bytes(data) != release.facts.get("manifest"):
        return {}
    listed = {each["path"]: each["sha256"] for each in json.loads(data)["files"]}
    named = {
        kind: [path for path in listed if path.endswith(f".{kind}") and path != "dictionary.csv"]
        for kind in ("parquet", "csv")
    }
    return {
        kind: {folder / path: listed[path] for path in sorted(paths, reverse=True)}
        for kind, paths in named.items()
        if paths
    }


def _read_published(release: Release, place: Path, sha256: str, *, roles: Roles) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyarrow import csv

    if not place.is_file() or digest.of_file(place) != sha256:
        raise CannotRead(release.run, f"{place.name} in its bundle is gone or was altered")
    if place.suffix == ".parquet":
        return pq.read_table(place, memory_map=False)
    texts = {
        variable.name: pa.string()
        for variable in roles
        if variable.type not in (VariableType.NUMERIC, VariableType.DATE)
    }
    options = csv.ConvertOptions(
        column_types=texts, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
    )
    return csv.read_csv(place, convert_options=options)


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
