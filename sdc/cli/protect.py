"""Only the steps of one candidate: to see what they do, not to publish."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from sdc.catalogue.candidate import Candidate, copy_name
from sdc.data import sql
from sdc.data.warehouse import KEY_VARIABLE, Warehouse
from sdc.errors import UnknownName, redacted
from sdc.ingest import ingest
from sdc.profile.load import load_profile
from sdc.profile.publish_plan import SYNTHESIS
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
) -> tuple[Candidate, tuple[Path, ...]]:
    """Apply the steps and write the table, for its owner's eyes only; what was made, and where it lies.

    Further syntheses are written beside it, or all into one file where the profile stacks them.

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
        tables = _tables(made, warehouse, in_source_order=in_source_order)
        if len(tables) > 1 and profile.publish.syntheses == "stacked":
            tables = [_stacked(tables)]
        places = [out, *(_beside(out, number) for number in range(2, len(tables) + 1))]
        _check_places(places)
        for table, place in zip(tables, places, strict=True):
            _write(warehouse, table, directory / "run" / f"written{out.suffix}", place)
    return made, tuple(places)


def _tables(made: Candidate, warehouse: Warehouse, *, in_source_order: bool) -> list[str]:
    """The tables of all syntheses in SQL."""
    if in_source_order:
        return list(map(sql.name, made.tables))
    files = map(warehouse.directory.stored, made.copies)
    return [f"read_parquet({sql.text(str(file))})" for file in files]


def _stacked(tables: list[str]) -> str:
    numbered = (
        f"SELECT CAST({number} AS BIGINT) AS {sql.name(SYNTHESIS)}, * FROM {table}"
        for number, table in enumerate(tables, start=1)
    )
    return f"({' UNION ALL BY NAME '.join(numbered)})"


def _beside(out: Path, number: int) -> Path:
    """Where a further synthesis is written: survey.csv, survey_2.csv, ..."""
    return out.with_name(f"{copy_name(out.stem, number)}{out.suffix}")


def _write(warehouse: Warehouse, table: str, written: Path, out: Path) -> None:
    file_format = "FORMAT parquet" if out.suffix == ".parquet" else "FORMAT csv, HEADER true"
    with warehouse.storing():
        warehouse.database.cursor().execute(
            f"COPY (SELECT * FROM {table}) TO {sql.text(str(written))} ({file_format})"
        )
    _hand_over(written, out)
    written.unlink()


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
    if faults:
        raise click.BadParameter("; ".join(faults), param_hint="--out")
    _check_places([out])


def _check_places(places: Sequence[Path]) -> None:
    if there := [f"{place} exists; name another file, or remove it" for place in places if place.exists()]:
        raise click.BadParameter("; ".join(there), param_hint="--out")
