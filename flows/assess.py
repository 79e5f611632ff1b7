"""Measures on a candidate made elsewhere: no orchestrator, no run, nothing kept."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from sdc.assess import Assessment, assess
from sdc.catalogue import find_measure, nearest
from sdc.errors import UnknownName, redacted
from sdc.ingest import ingest, ingest_candidate
from sdc.profile import Criterion, Profile
from sdc.profile.load import load_profile
from sdc.release_pair import ReleasePair
from sdc.roles import Roles
from sdc.warehouse import Warehouse

NAME = "external"


def assess_file(profile_path: Path, candidate: Path, names: Sequence[str], *, aligned: bool | None = None) -> list[Assessment]:
    """Take the profile's measures on a file, or the named ones: by alias where the profile has it, else with their defaults.

    A file with as many rows as the whole source was made from all of it: then there is no holdout.
    """
    profile = load_profile(profile_path)
    criteria = _criteria(profile, names)
    with tempfile.TemporaryDirectory(prefix="sdc-assess-") as directory, redacted("assessing a file"):
        readable = [*(profile_path.parent / path for path in profile.files), candidate]
        with Warehouse.create(Path(directory) / "run", limits=profile.limits, readable=readable) as warehouse:
            pair = _pair(profile, profile_path.parent, candidate, warehouse, aligned=aligned)
            return [
                assess(criterion.measure, pair, criterion.options, alias=criterion.alias, candidate=NAME, seed=profile.seed).without_records()
                for criterion in criteria
            ]


def _criteria(profile: Profile, names: Sequence[str]) -> list[Criterion]:
    planned: dict[str, Criterion] = {}
    for criterion in profile.criteria:
        planned.setdefault(criterion.alias, criterion)
    if not names:
        return list(planned.values())
    return [planned.get(name) or _with_defaults(name, list(planned)) for name in names]


def _with_defaults(name: str, aliases: list[str]) -> Criterion:
    try:
        return Criterion(measure=find_measure(name).name)
    except UnknownName as unknown:
        raise UnknownName("measure", name, unknown.nearest or nearest(name, aliases)) from None


def _pair(profile: Profile, base: Path, candidate: Path, warehouse: Warehouse, *, aligned: bool | None) -> ReleasePair:
    table = ingest_candidate(profile, candidate.absolute(), warehouse, NAME)
    whole = profile.model_copy(update={"source": profile.source.model_copy(update={"holdout_share": 0.0})})
    made_from_all = ingest(whole, base, warehouse).rows == table.rows
    if not made_from_all:
        ingest(profile, base, warehouse)
    database = warehouse.database
    original = database.table("original")
    return ReleasePair(
        original,
        table,
        Roles.of(variable for variable in profile.roles if variable.name in table.columns),
        holdout=database.table("holdout") if database.has("holdout") else None,
        population=database.table("population") if database.has("population") else None,
        aligned=table.rows == original.rows if aligned is None else aligned,
        missing=profile.missing_keys,
    )
