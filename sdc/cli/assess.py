"""Measures on a candidate made elsewhere: no orchestrator, no run, nothing kept."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from sdc.audit.earlier_releases import read_earlier, releases
from sdc.audit.ledger import Ledger
from sdc.catalogue.measurement import Assessment, NotAssessed
from sdc.catalogue.registry import find_measure
from sdc.data.database import Database
from sdc.data.release_pair import EarlierRelease, ReleasePair
from sdc.data.roles import Roles
from sdc.data.table import Table
from sdc.data.warehouse import KEY_VARIABLE, Warehouse
from sdc.errors import BadOption, UnknownName, redacted
from sdc.ingest import ingest, ingest_candidate
from sdc.measures.assess import assess
from sdc.profile import Criterion, Profile
from sdc.profile.load import load_profile
from sdc.run.home import Home
from sdc.run.randomness import Randomness
from sdc.run.scratch import scratch
from sdc.run.secret import NO_SECRET, Secret
from sdc.spelling import nearest
from sdc.statistics.counts.alignment import agrees_in_place

if TYPE_CHECKING:
    import pandas as pd

    from sdc.arrays import Array

NAME = "external"


def assess_file(
    profile_path: Path, candidate: Path, names: Sequence[str], *, aligned: bool | None = None
) -> list[Assessment]:
    """Take the profile's measures on a file, or the named ones.

    By alias where the profile has it, else with their defaults.

    A file with as many rows as the whole source was made from all of it: then there is no holdout.
    """
    profile = load_profile(profile_path, for_study=True)
    criteria = _criteria(profile, names)
    home = Home.existing()
    with (
        redacted("assessing a file"),
        scratch(home.scratch if home else Path(tempfile.gettempdir())) as directory,
    ):
        readable = [*(profile_path.parent / path for path in profile.files), candidate]
        with Warehouse.create(
            directory / "run", limits=profile.limits, key=os.environ.get(KEY_VARIABLE), readable=readable
        ) as warehouse:
            secret = Secret.of(home) if home else NO_SECRET
            pair, sha256 = _pair(
                profile, profile_path.parent, candidate, warehouse, secret, home, aligned=aligned
            )
            measuring = Randomness.of_release(secret, profile, sha256).below("measures")
            return [
                assess(
                    criterion.measure,
                    pair,
                    criterion.options,
                    alias=criterion.alias,
                    candidate=NAME,
                    randomness=measuring,
                ).without_records()
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


def _pair(
    profile: Profile,
    base: Path,
    candidate: Path,
    warehouse: Warehouse,
    secret: Secret,
    home: Home | None,
    *,
    aligned: bool | None,
) -> tuple[ReleasePair, str]:
    """The source and the file side by side, and the SHA-256 of the source."""
    from sdc.spelling import counted

    # Imported while the files are read: whether they are in one order is told by frames.
    threading.Thread(target=import_module, args=("pandas",), daemon=True).start()
    table = ingest_candidate(profile, candidate.absolute(), warehouse, NAME)
    whole = profile.model_copy(update={"source": profile.source.model_copy(update={"holdout_share": 0.0})})
    ingested = ingest(whole, base, warehouse, secret)
    if ingested.rows != table.rows:
        ingested = ingest(profile, base, warehouse, secret)
    database = warehouse.database
    original = database.table("original")
    if aligned and table.rows != original.rows:
        counts = f"{candidate.name} has {counted(table.rows, 'record')}, the source {original.rows:,}"
        raise BadOption("assess", "--aligned", f"row i of the file cannot be row i of the source: {counts}")
    roles = Roles.of(variable for variable in profile.roles if variable.name in table.columns)
    pair = ReleasePair(
        original,
        table,
        roles,
        holdout=database.table("holdout") if database.has("holdout") else None,
        population=database.table("population") if database.has("population") else None,
        aligned=_in_place(original, table, roles) if aligned is None else aligned,
        missing=profile.missing_keys,
        earlier=lambda: _earlier(home, profile, secret, database, roles),
    )
    return pair, ingested.sha256


def _in_place(original: Table, table: Table, roles: Roles) -> bool:
    """Is record i of the file record i of the source? Told by their values, and said.

    A published bundle is shuffled.
    """
    if table.rows != original.rows:
        return False
    names = list(roles.released)
    before, after = original.frame(names, roles), table.frame(names, roles)
    told = [
        told
        for name in names
        if (told := agrees_in_place(*_comparable(before[name], after[name]))) is not None
    ]
    aligned = bool(told) and 2 * sum(told) > len(told)
    assumed, other = ("", "--not-aligned") if aligned else ("not ", "--aligned")
    why = (
        f"in {sum(told)} of {len(told)} columns that can tell, values agree record by record far more than by"
        " chance"
    )
    sys.stderr.write(
        f"sdc: the file has as many records as the source and is {assumed}taken to be in its order: {why};"
        f" {other} says otherwise\n"
    )
    return aligned


def _comparable(before: pd.Series, after: pd.Series) -> tuple[Array, Array]:
    """Two numbers as they are, anything else as codes of one list of texts."""
    import pandas as pd

    if before.dtype.kind == after.dtype.kind == "f":
        return before.to_numpy(), after.to_numpy()
    both = pd.concat([column.astype(object) for column in (before, after)], ignore_index=True)
    codes = pd.factorize(both.where(both.isna(), both.astype(str)))[0]
    return codes[: len(before)], codes[len(before) :]


def _earlier(
    home: Home | None, profile: Profile, secret: Secret, database: Database, roles: Roles
) -> Sequence[EarlierRelease] | NotAssessed:
    """What the home's ledger knows to have been released."""
    if home is None:
        return NotAssessed(
            "there is no home whose ledger would know what was released earlier; SDC_HOME can name one"
        )
    return read_earlier(
        home, releases(Ledger(home.ledger).entries(), profile.family), database, roles, secret
    )
