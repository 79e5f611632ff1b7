"""Reads the tables of a release from its run or its bundle, if they are those on record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc.data.roles import VariableType
from sdc.errors import SdcError
from sdc.profile.publish_plan import SYNTHESIS
from sdc.publish.manifest import MANIFEST
from sdc.publish.parts import synthesis_of
from sdc.run import digest

if TYPE_CHECKING:
    import pyarrow as pa

    from sdc.data.roles import Roles
    from sdc.run.home import Home


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
