"""Only the steps of one candidate: to see what they do, not to publish."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path

import click

from sdc.catalogue.protection import Step
from sdc.data import sql
from sdc.data.warehouse import KEY_VARIABLE, Warehouse
from sdc.errors import UnknownName, redacted
from sdc.ingest import ingest
from sdc.profile.load import load_profile
from sdc.publish.candidates import make
from sdc.run import durable
from sdc.run.home import Home
from sdc.run.pace import Pace
from sdc.run.progress import reporting_to
from sdc.run.progress_display import Progress, Silent
from sdc.run.randomness import Randomness
from sdc.run.scratch import scratch
from sdc.run.secret import Secret
from sdc.spelling import counted, nearest


def protect_file(
    profile_path: Path,
    candidate: str,
    out: Path,
    told: Progress | None = None,
    *,
    in_source_order: bool = False,
) -> tuple[Step, ...]:
    """Apply the steps and write the table, for its owner's eyes only.

    Its records leave in the order they would be published in. In the order of the source they can be compared
    with it row by row, and tell what was suppressed.
    """
    profile, told = load_profile(profile_path, for_study=True), told or Silent()
    if candidate not in profile.candidates:
        raise UnknownName("candidate", candidate, nearest(candidate, list(profile.candidates)))
    _check_place(out)
    readable = [profile_path.parent / path for path in profile.files]
    home = Home.find()
    key, secret = os.environ.get(KEY_VARIABLE), Secret.of(home)
    with (
        redacted("protecting", (click.BadParameter,)),
        scratch(home.scratch) as directory,
        Warehouse.create(directory / "run", limits=profile.limits, key=key, readable=readable) as warehouse,
    ):
        told.stage("protect", Pace(["source", candidate]))
        ingested = ingest(profile, profile_path.parent, warehouse, secret)
        told.done("source", ingested.in_words)
        with reporting_to(partial(told.under_way, candidate)):
            made = make(
                profile,
                profile_path.parent,
                warehouse,
                candidate,
                Randomness.of_release(secret, profile, ingested.sha256),
            )
        told.done(candidate, counted(made.rows, "record"))
        table = sql.name(made.tables[0]) if in_source_order else f"read_parquet({sql.text(made.path)})"
        written = directory / "run" / f"written{out.suffix}"
        file_format = "FORMAT parquet" if out.suffix == ".parquet" else "FORMAT csv, HEADER true"
        with warehouse.storing():
            warehouse.database.cursor().execute(
                f"COPY (SELECT * FROM {table}) TO {sql.text(str(written))} ({file_format})"
            )
        _hand_over(written, out)
    return made.steps


def _hand_over(written: Path, out: Path) -> None:
    """Copy a file to where it is wanted: closed to others from its first byte, never in place of another."""
    try:
        handle = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, durable.PRIVATE_FILE)
        with written.open("rb") as source, os.fdopen(handle, "wb") as target:
            shutil.copyfileobj(source, target)
    except FileExistsError:
        raise click.BadParameter(
            f"{out} exists; name another file, or remove it", param_hint="--out"
        ) from None
    except OSError as error:
        out.unlink(missing_ok=True)
        raise click.BadParameter(
            f"{out} cannot be written: {durable.reason(error)}", param_hint="--out"
        ) from None


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
