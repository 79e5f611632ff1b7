"""The commands that prepare a release: from a first profile to candidates side by side."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from sdc.cli.command_groups import CommandGroup

RANDOM_ORDER = "; its records are in random order (--in-source-order keeps that of the source)"
PREPARE = CommandGroup("Prepare a release", order=1)
PROFILE = click.argument("profile", type=click.Path(path_type=Path))


@PREPARE.command()
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Write the profile here instead of printing it.")
@click.option("--table", help="A table of a database.")
@click.option("--query", help="A query of a database, one SELECT.")
@click.option("--sheet", help="A sheet of a workbook.")
@click.option("--range", "cells", metavar="B3:F200", help="The cells of a sheet, names of columns first.")
@click.option("--layout", type=click.Path(path_type=Path), help="Columns of fixed-width text, a CSV file.")
@click.option(
    "--dictionary",
    type=click.Path(path_type=Path),
    help="What the variables are: DDI (.xml), a Frictionless schema (.json), CSV or SPSS syntax (.sps).",
)
@click.option(
    "--households",
    type=click.Path(path_type=Path),
    help="A second file or database, of the households of these persons.",
)
@click.option("--households-table", help="Their table, where they are in a database.")
@click.option("--key", help="The column of both files with the number of the household.")
def draft(data: Path, out: Path | None, **told: Any) -> None:
    """A first profile from a data file or a database, with the reason for every guess."""
    from sdc.draft import draft as draft_profile

    text = draft_profile(data, kept_in=out.absolute().parent if out else None, **told)
    if out is None:
        click.echo(text, nl=False)
        return
    if out.exists():
        raise click.BadParameter(f"{out} exists; name another file, or remove it", param_hint="--out")
    out.write_text(text, encoding="utf-8")
    click.echo(f"wrote {out}; read every guess, then run: sdc check {out}")


@PREPARE.command()
@click.argument("target", metavar="DATA-OR-PROFILE", required=False, type=click.Path(path_type=Path))
@click.option(
    "--folder",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Files below this folder may be chosen too; may be given several times.",
)
@click.option("--demo", is_flag=True, help="Open the demonstration data, with a guided tour.")
@click.option(
    "--port",
    default=8322,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="The port; 0 takes a free one.",
)
@click.option("--home", type=click.Path(path_type=Path), help="The home of the runs, else SDC_HOME or .sdc.")
@click.option("--quiet", is_flag=True, help="No line for each request.")
def studio(
    target: Path | None, folders: tuple[Path, ...], demo: bool, port: int, home: Path | None, quiet: bool
) -> None:
    """The workbench: from a data file or a profile to a release, in a browser on this machine."""
    from sdc.studio.held_profile import held_alone
    from sdc.studio.opening import demonstration_copy, open_workbench
    from sdc.web.serve import serve_studio

    if (target is None) != demo:
        raise click.UsageError("name a data file or a profile, or say --demo")
    if home is not None:
        os.environ["SDC_HOME"] = str(home.absolute())
    opened = demonstration_copy(Path("sdc-studio")) if target is None else target
    click.echo(f"reading {opened.name}", err=True)
    workbench = open_workbench(opened, folders, touring=demo)
    with held_alone(workbench.path, workbench.home.path / "studio"):
        serve_studio(workbench, port, quiet=quiet)


@PREPARE.command()
@PROFILE
@click.option("--json", "as_json", is_flag=True, help="Faults and notes as JSON.")
def check(profile: Path, as_json: bool) -> None:
    """All faults of a profile and its data, at once."""
    from sdc.check import check as check_profile
    from sdc.errors import Faulty

    try:
        notes = check_profile(profile)
    except Faulty as bad:
        if not as_json:
            raise
        click.echo(
            json.dumps(
                {"profile": str(profile), "faults": [vars(fault) for fault in bad.faults], "notes": []},
                indent=2,
            )
        )
        sys.exit(bad.exit_code)
    if as_json:
        click.echo(json.dumps({"profile": str(profile), "faults": [], "notes": notes}, indent=2))
        return
    for note in notes:
        click.echo(f"note: {note}")
    click.echo(f"{profile}: no faults")


@PREPARE.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="The whole catalogue as JSON.")
@click.option("--validity", is_flag=True, help="Which measure may be believed after which method.")
@click.option("--markdown", is_flag=True, help="The catalogue as a page.")
@click.option(
    "--pages",
    type=click.Path(path_type=Path),
    help="Write a page for every measure and method below a folder.",
)
def catalogue(name: str | None, as_json: bool, validity: bool, markdown: bool, pages: Path | None) -> None:
    """All measures and methods: options, needs, validity, references."""
    from sdc.cli.catalogue_pages import print_catalogue, print_entry, print_markdown, print_validity

    if pages is not None:
        from sdc.cli.unit_pages import write_pages

        click.echo(f"wrote {len(write_pages(pages))} pages below {pages}")
    elif markdown:
        print_markdown()
    elif validity:
        print_validity(as_json=as_json)
    elif name:
        print_entry(name, as_json=as_json)
    else:
        print_catalogue(as_json=as_json)


@PREPARE.command()
@PROFILE
@click.option("--candidate", required=True, help="Name of the candidate in the profile.")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="Where to write it (.csv or .parquet)."
)
@click.option(
    "--in-source-order",
    is_flag=True,
    help="Records in the order of the source; that order can tell what was suppressed.",
)
@click.option("--quiet", is_flag=True, help="No progress, only the outcome.")
def protect(profile: Path, candidate: str, out: Path, in_source_order: bool, quiet: bool) -> None:
    """Apply the steps of one candidate and write the table. Nothing is judged or published."""
    from sdc.cli.protect import protect_file
    from sdc.cli.summary import print_steps
    from sdc.run.progress_display import progress

    with progress(quiet=quiet) as told:
        made, places = protect_file(profile, candidate, out, told, in_source_order=in_source_order)
    print_steps(made.steps, places, "" if in_source_order else RANDOM_ORDER)


@PREPARE.command()
@PROFILE
@click.option(
    "--candidate",
    "candidate_file",
    type=click.Path(path_type=Path),
    required=True,
    help="A protected file (CSV or Parquet).",
)
@click.option(
    "--measure", "measures", multiple=True, help="Take only this measure; may be given several times."
)
@click.option(
    "--aligned/--not-aligned",
    default=None,
    help="Is row i of the file row i of the source? Default: when their values agree in place.",
)
@click.option("--json", "as_json", is_flag=True, help="Measurements as JSON.")
def assess(
    profile: Path, candidate_file: Path, measures: tuple[str, ...], aligned: bool | None, as_json: bool
) -> None:
    """Measure a candidate made elsewhere: in R, SAS or by hand."""
    from sdc.cli.assess import assess_file
    from sdc.cli.summary import print_assessments

    assessments = assess_file(profile, candidate_file, measures, aligned=aligned)
    if as_json:
        click.echo(json.dumps([assessment.as_json() for assessment in assessments], indent=2))
    else:
        print_assessments(assessments)


@PREPARE.command()
@PROFILE
@click.option("--json", "as_json", is_flag=True, help="Table and risk-utility map as JSON.")
@click.option("--quiet", is_flag=True, help="No progress, only the outcome.")
def compare(profile: Path, as_json: bool, quiet: bool) -> None:
    """All candidates side by side, on every source of the profile; nothing is published or kept."""
    from flows.orchestration.orchestrator import orchestrator
    from sdc.profile.load import load_sources
    from sdc.run.home import Home
    from sdc.run.progress_display import progress

    load_sources(profile)
    with progress(quiet=quiet) as told, orchestrator(Home.find().prefect) as ready:
        from flows.compare import compare_candidates
        from sdc.cli.summary import print_comparison

        compared = compare_candidates(profile.absolute(), ready, told)
    if as_json:
        told_of = [{"source": name, **each.as_json()} for name, each in compared.items()]
        single = next(iter(compared.values())).as_json()
        click.echo(json.dumps(single if len(compared) == 1 else {"sources": told_of}, indent=2))
        return
    for name, each in compared.items():
        if name:
            click.echo(f"\nsource: {name}")
        print_comparison(each)


@PREPARE.command()
@PROFILE
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    default=10,
    show_default=True,
    help="Begin nothing new after so long.",
)
@click.option(
    "--tries", type=click.IntRange(min=1), help="Try at most so many candidates: the same on any machine."
)
@click.option("--json", "as_json", is_flag=True, help="Everything that was tried, as JSON.")
@click.option("--quiet", is_flag=True, help="No progress, only the outcome.")
def plan(profile: Path, minutes: float, tries: int | None, as_json: bool, quiet: bool) -> None:
    """Search the profile's space for candidates that pass and recommend one; nothing is published or kept."""
    from flows.orchestration.orchestrator import orchestrator
    from sdc.profile.load import load_space
    from sdc.run.home import Home
    from sdc.run.progress_display import progress

    load_space(profile)
    with progress(quiet=quiet) as told, orchestrator(Home.find().prefect) as ready:
        from flows.plan import plan_release
        from sdc.cli.summary import print_plan

        planned = plan_release(profile.absolute(), ready, told, minutes=minutes, tries=tries)
    if as_json:
        click.echo(json.dumps(planned.as_json(), indent=2))
    else:
        print_plan(planned)
    sys.exit(0 if planned.recommended else 3)
