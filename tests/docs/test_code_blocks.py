"""Code in the manual works: profiles are read, Python runs, commands and their options are there."""

from __future__ import annotations

import ast
import re
import shlex
import shutil
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import click
import pytest
from manual_text import INLINE, CodeBlock, code_blocks, pages, prose
from ruamel.yaml import YAML

from sdc.cli.main import cli
from sdc.profile.load import examine
from sdc.profile.plan import Profile

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "profiles" / "demo"
ELSEWHERE = {"adding.md": "tests/test_adding.py adds and runs its examples"}
NEEDS_A_RUN = {"gate.md": "files of a run", "report.md": "facts of a run"}
"""Their names are imported, not more."""
LANGUAGES = {"python", "yaml", "console", "bash", "text", "pycon", "ini", "r", ""}


def blocks(folder: Path, *languages: str) -> list[CodeBlock]:
    found = [block for page, text in pages(folder).items() for block in code_blocks(page, text)]
    return [block for block in found if block.language in languages]


def test_every_block_has_a_language_that_is_tested_or_not_ours(manual):
    assert [
        str(block)
        for page, text in pages(manual).items()
        for block in code_blocks(page, text)
        if block.language not in LANGUAGES
    ] == []


# Profiles.


def whole(part: dict) -> dict:
    """A part of a profile made whole with the demonstration's variables and a candidate."""
    held = YAML(typ="safe").load((DEMO / "published.yaml").read_text())
    whole = {
        "name": "example",
        "access": "open",
        "source": {"path": "households.csv"},
        "candidates": {"recoded": [{"method": "global_recode", "with": {"age": {"width": 10}}}]},
        "risk": [
            {
                "measure": "class_attribution",
                "with": {"target": "health"},
                "at_most": 0.6,
                "because": "a rule",
            }
        ],
        **part,
    }
    whole["variables"] = {**held["variables"], "household_id": "household", **part.get("variables", {})}
    names = [entry.get("as", entry["measure"]) for entry in (*whole["risk"], *whole.get("utility", ()))]
    if "prefer" in part and part["prefer"]["measure"] not in names:
        whole["utility"] = [*whole.get("utility", ()), dict(part["prefer"])]
    judged = [entry for entry in whole["risk"] if {"at_least", "at_most"} & {*entry} and "for" not in entry]
    if not judged or {entry["measure"] for entry in judged} == {"release_difference"}:
        whole["risk"] = [
            *whole["risk"],
            {
                "measure": "class_attribution",
                "as": "of_health",
                "with": {"target": "health"},
                "at_most": 0.6,
                "because": "a rule",
            },
        ]
    for candidate in {name for entry in whole["risk"] for name in entry.get("for", ())}:
        whole["candidates"].setdefault(candidate, whole["candidates"].get("recoded", []))
    return whole


def written(value: object) -> str:
    text = StringIO()
    YAML().dump(value, text)
    return text.getvalue()


@pytest.fixture
def beside(tmp_path):
    """A folder with the files that examples name."""
    for name in ("yearbook.csv", "isco.csv"):
        (tmp_path / name).write_text(
            "name,indicator,variable,value,tolerance,low,high,domain.age.at_least,source\n"
            'mean_income,mean,income,,,21400,22100,,"Yearbook 2024, table 2"\n'
        )
    shutil.copy(DEMO / "households.csv", tmp_path)
    return tmp_path


def test_every_profile_and_part_of_one_is_read_without_a_fault(manual, beside):
    found = [block for block in blocks(manual, "yaml") if not block.page.startswith("units/")]
    assert len(found) > 20
    faults = []
    for block in found:
        part = YAML(typ="safe").load(block.text)
        unknown = {*part} - {field.alias or name for name, field in Profile.model_fields.items()} - {"space"}
        complete = {"name", "source", "variables", "candidates"} <= {*part}
        place = beside / "profile.yaml"
        place.write_text(block.text if complete else written(whole(part)))
        try:
            examine(place)
        except Exception as error:  # noqa: BLE001
            faults.append(f"{block}: {error}")
        faults += [f"{block}: no key of a profile: {name}" for name in unknown]
    assert "\n".join(faults) == ""


def test_a_fault_in_a_part_would_be_noticed(beside):
    (beside / "profile.yaml").write_text(
        written(whole({"risk": [{"measure": "k_anonymitee", "at_least": 3}]}))
    )
    with pytest.raises(Exception, match="k_anonymitee"):
        examine(beside / "profile.yaml")


# Python.


def test_python_of_pages_about_runs_names_what_there_is(manual):
    for block in blocks(manual, "python"):
        if block.page in NEEDS_A_RUN:
            imports = [
                node for node in ast.parse(block.text).body if isinstance(node, (ast.Import, ast.ImportFrom))
            ]
            assert imports
            exec(compile(ast.Module(imports, []), str(block), "exec"), {})  # noqa: S102


@pytest.mark.slow
def test_python_of_every_other_page_runs(manual, tmp_path, monkeypatch, capsys):
    """The blocks of a page run one after another, in a folder of their own."""
    from sdc.audit.ledger import Event, Ledger

    monkeypatch.chdir(tmp_path)
    notebooks = {
        place.relative_to(ROOT / "docs").with_suffix(".md").as_posix()
        for place in (ROOT / "docs").rglob("*.ipynb")
    }
    run: dict[str, dict] = {}
    for block in blocks(manual, "python"):
        if block.page in {*ELSEWHERE, *NEEDS_A_RUN, *notebooks} or block.page.startswith("units/"):
            continue
        if block.page == "audit.md":
            for _ in range(2):
                Ledger(tmp_path / "ledger.jsonl").append("example", "example", Event.STARTED, {})
        exec(compile(block.text, str(block), "exec"), run.setdefault(block.page, {}))  # noqa: S102
    assert {"getting-started.md", "library.md", "audit.md", "how-to/business-data.md"} <= {*run}


@pytest.mark.slow
def test_examples_of_measures_and_methods_run(manual, tmp_path, monkeypatch, households):
    """On 300 records of the demonstration data; what needs packages that are not here is left out."""
    import sdc.study.demonstration
    from sdc.catalogue.registry import methods

    place = tmp_path / "households.csv"
    households.head(300).to_csv(place, index=False)
    monkeypatch.setattr(sdc.study.demonstration, "demo_data", lambda: place)
    begun: dict[str, sdc.Study] = {}

    study_of = sdc.Study

    def shared(original, **told):
        """Nothing changes a study: one serves all examples that say the same."""
        said = f"{original} {told}"
        if said not in begun:
            begun[said] = study_of(original, **told)
        return begun[said]

    monkeypatch.setattr(sdc, "Study", shared, raising=False)
    monkeypatch.chdir(tmp_path)
    run = []
    for block in blocks(manual, "python"):
        unit = methods().get(Path(block.page).stem)
        if not block.page.startswith("units/") or (unit and unit.extra and unit.extra.missing):
            continue
        exec(compile(block.text, str(block), "exec"), {})  # noqa: S102
        run.append(block.page)
    assert len(run) > 80


# Commands.


def parsed(words: list[str]) -> str:
    """What is wrong with a command line, without running it; empty where nothing is."""
    context, command = click.Context(cli, info_name="sdc"), cli
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        inner = command.get_command(context, words[0])
        if inner is None and command.name == "keys":
            inner, words = command.get_command(context, "make"), ["make", *words]
        if inner is None:
            return f"there is no command {words[0]!r} of {context.command_path}"
        command, words = inner, words[1:]
        context = click.Context(command, info_name=command.name, parent=context)
    try:
        command.make_parser(context).parse_args(args=list(words))
    except click.UsageError as error:
        return error.format_message()
    return ""


def commands(text: str) -> Iterator[str]:
    """Every call of sdc in a block of shell, without comments and what is set before it."""
    for line in text.replace("\\\n", " ").splitlines():
        for part in re.split(r"&&|\|", line.split(" #")[0]):
            found = re.match(r"\s*(?:export\s+)?(?:[A-Z_]+=\S+\s+)*(?:python -m )?sdc(\s.*)?$", part)
            if found and not part.strip().startswith("export"):
                yield (found[1] or "").strip()


def test_every_command_of_a_block_is_there_with_its_options(manual):
    found = [
        (block, line) for block in blocks(manual, "console", "bash", "") for line in commands(block.text)
    ]
    assert len(found) > 40
    assert [
        f"{block}: sdc {line}: {fault}" for block, line in found if (fault := parsed(shlex.split(line)))
    ] == []


def test_every_command_in_a_sentence_is_there_with_its_options(manual):
    found = [
        (page, said)
        for page, text in pages(manual).items()
        for said in INLINE.findall(prose(text))
        if re.match(r"sdc [a-z]", said) and "[" not in said
    ]
    assert len(found) > 100
    faults = []
    for page, said in found:
        words = [word for word in shlex.split(said)[1:] if word not in ("PROFILE", "COMMAND")]
        fault = parsed(words)
        if fault and "requires an argument" not in fault:
            faults.append(f"{page}: {said}: {fault}")
    assert faults == []


@pytest.mark.parametrize(
    "line", ["relase my.yaml", "release my.yaml --jason", "audit lst", "keys withdraw anna --why x"]
)
def test_a_wrong_command_would_be_noticed(line):
    assert parsed(shlex.split(line))
