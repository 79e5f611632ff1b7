"""Only the steps of one candidate: to see what they do, not to publish."""

from __future__ import annotations

import os
import tempfile
from functools import partial
from pathlib import Path

import click

from flows.progress import Progress, Silent
from sdc import sql
from sdc.errors import UnknownName, redacted
from sdc.ingest import ingest
from sdc.making import make
from sdc.profile.load import load_profile
from sdc.progress import heard_by
from sdc.protection import Step
from sdc.randomness import Randomness
from sdc.run import Home
from sdc.secret import Secret
from sdc.spelling import counted, nearest
from sdc.warehouse import KEY_VARIABLE, Warehouse


def protect_file(profile_path: Path, candidate: str, out: Path, told: Progress | None = None) -> tuple[Step, ...]:
    """Apply the steps and write the table in the order of the source, so that it can be compared with it row by row."""
    profile, told = load_profile(profile_path), told or Silent()
    if candidate not in profile.candidates:
        raise UnknownName("candidate", candidate, nearest(candidate, list(profile.candidates)))
    _check_place(out)
    readable = [*(profile_path.parent / path for path in profile.files), out.absolute()]
    key, secret = os.environ.get(KEY_VARIABLE), Secret.of(Home.find())
    with (
        tempfile.TemporaryDirectory(prefix="sdc-protect-") as directory,
        redacted("protecting"),
        Warehouse.create(Path(directory) / "run", limits=profile.limits, key=key, readable=readable) as warehouse,
    ):
        told.stage("protect", 2)
        ingested = ingest(profile, profile_path.parent, warehouse, secret)
        told.done("source", ingested.in_words)
        with heard_by(partial(told.under_way, candidate)):
            made = make(profile, profile_path.parent, warehouse, candidate, Randomness.of_release(secret, profile, ingested.sha256))
        told.done(candidate, counted(made.stored.rows, "record"))
        written = "FORMAT parquet" if out.suffix == ".parquet" else "FORMAT csv, HEADER true"
        warehouse.database.cursor().execute(f"COPY {sql.name(made.stored.table.name)} TO {sql.text(str(out.absolute()))} ({written})")
    return made.protected.steps


def _check_place(out: Path) -> None:
    """A place to write to is a matter of the command line, not of the profile."""
    faults = []
    if out.suffix not in (".csv", ".parquet"):
        faults.append(f"the ending of {out} says no format that can be written; write .csv or .parquet")
    if not out.absolute().parent.is_dir():
        faults.append(f"the directory of {out} does not exist")
    if out.exists():
        faults.append(f"{out} exists; name another file, or remove it")
    if faults:
        raise click.BadParameter("; ".join(faults), param_hint="--out")
