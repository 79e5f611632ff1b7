"""What do the commands around a run say to the person who typed them?"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner
from rich.console import Console
from signing_keys import PASSPHRASE

from sdc.audit.ledger import Event, Ledger
from sdc.catalogue.finding import Finding
from sdc.cli.command_groups import command_groups
from sdc.cli.main import cli
from sdc.cli.summary import print_outcome
from sdc.errors import SdcError
from sdc.gate.decision import Verdict
from sdc.profile.load import load_profile
from sdc.run.home import Home
from sdc.spelling import limit_in_signs
from tasks.outcome import Outcome

DEMO = Path(__file__).parents[2] / "profiles" / "demo" / "published.yaml"
RUN = "20261116T101112-survey-3f9a2c"
ANNA = {
    "by": "anna",
    "role": "reviewer",
    "decision": "approve",
    "reason": "small loss",
    "when": "2026-11-16T10:20:00+00:00",
    "expires": "2026-12-16",
}
BEN = {
    "by": "ben",
    "role": "approver",
    "decision": "reject",
    "reason": "too coarse",
    "when": "2026-11-16T10:30:00+00:00",
    "expires": None,
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("SDC_HOME", str(tmp_path / "home"))
    return Home.find()


@pytest.fixture
def decided(home: Home) -> Ledger:
    ledger = Ledger(home.ledger)
    bodies: dict[Event, dict[str, Any]] = {
        Event.STARTED: {},
        Event.REFERRED: {},
        Event.APPROVED: ANNA,
        Event.REJECTED: BEN,
    }
    for event, body in bodies.items():
        ledger.append(RUN, "survey", event, body)
    return ledger


def said(*words: str) -> str:
    return CliRunner().invoke(cli, list(words), catch_exceptions=False, standalone_mode=False).output


@pytest.mark.usefixtures("decided")
def test_every_decision_on_a_run_is_shown() -> None:
    shown = json.loads(said("audit", "show", RUN, "--json"))
    assert shown["decisions"] == [ANNA, BEN]
    told = said("audit", "show", RUN)
    assert all(str(word) in told for word in [*ANNA.values(), *BEN.values()] if word)


@pytest.mark.usefixtures("decided")
def test_a_list_has_whole_ids_and_times_to_the_second(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdc.cli.audit.console", lambda: Console(width=80))
    told = said("audit", "list")
    assert RUN in told.splitlines()
    assert re.search(r" \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b(?!\.)", told)


@pytest.mark.usefixtures("decided")
def test_a_state_no_run_can_have_is_refused_with_the_known_ones() -> None:
    with pytest.raises(
        click.BadParameter,
        match="running, published, withdrawn, referred, rejected, returned, withheld, failed, cancelled, crashed",
    ):
        said("audit", "list", "--state", "publishd")
    assert RUN in said("audit", "list", "--state", "rejected")


@pytest.mark.usefixtures("home")
def test_a_date_that_is_none_is_a_fault_of_the_option() -> None:
    with pytest.raises(click.BadParameter, match="2026-01-31"):
        said("audit", "list", "--since", "yesterday")


def test_a_draft_does_not_overwrite_and_names_the_option(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,sex\n30,f\n40,m\n")
    (tmp_path / "profile.yaml").write_text("mine")
    with pytest.raises(click.BadParameter, match="exists"):
        said("draft", str(tmp_path / "people.csv"), "--out", str(tmp_path / "profile.yaml"))
    assert (tmp_path / "profile.yaml").read_text() == "mine"


@pytest.mark.parametrize(
    ("out", "problem"),
    [
        ("made.xlsx", r"write \.csv or \.parquet"),
        ("no/made.csv", "the directory of .* does not exist"),
        ("demo.csv", "exists"),
    ],
)
def test_a_place_protect_cannot_write_to_is_a_fault_of_the_option(
    tmp_path: Path, out: str, problem: str
) -> None:
    (tmp_path / "demo.csv").touch()
    with pytest.raises(click.BadParameter, match=problem) as refused:
        said(
            "protect",
            str(DEMO),
            "--candidate",
            next(iter(load_profile(DEMO).candidates)),
            "--out",
            str(tmp_path / out),
        )
    assert refused.value.param_hint == "--out"


@pytest.mark.parametrize(
    ("holding", "noted", "sentence"),
    [
        (62, 1, "62 checks of the candidate table hold, 1 is noted in the report"),
        (1, 2, "1 check of the candidate table holds, 2 are noted in the report"),
        (3, 0, "3 checks of the candidate table hold"),
    ],
)
def test_checks_are_counted_in_words_that_agree(
    holding: int, noted: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = [
        Finding(f"c{place}", "table", "plain", holds=place < holding, otherwise="note")
        for place in range(holding + noted)
    ]
    outcome: Any = SimpleNamespace(
        run_id=RUN,
        findings=findings,
        sentence="published",
        places=(),
        roles=(),
        choice="",
        readings={},
        tried={},
    )
    print_outcome(outcome)
    assert sentence in capsys.readouterr().out.splitlines()


def test_one_entry_of_the_ledger_is_one(home: Home) -> None:
    Ledger(home.ledger).append(RUN, "survey", Event.STARTED, {})
    assert "the ledger holds: 1 entry, none altered" in said("audit", "verify")


def test_a_referred_outcome_ends_with_the_commands_that_decide(capsys: pytest.CaptureFixture[str]) -> None:
    outcome: Any = SimpleNamespace(
        run_id=RUN,
        findings=(),
        sentence="referred",
        places=(),
        roles=("reviewer", "approver"),
        choice="",
        readings={},
        tried={"k_anonymity": "Tried: this."},
    )
    print_outcome(outcome)
    told = capsys.readouterr().out
    assert "  k_anonymity: Tried: this." in told.splitlines()
    for role in outcome.roles:
        assert f'to decide: sdc approve {RUN} --as {role} --by NAME --reason "…"' in told


def test_a_demand_with_one_value_says_so() -> None:
    assert limit_in_signs(0, 0) == "exactly 0"
    assert limit_in_signs(0, 1) == "≥ 0 and ≤ 1"
    assert limit_in_signs(None, 0) == "≤ 0"


@pytest.mark.usefixtures("home")
def test_keys_are_listed_with_their_roles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdc.cli.decisions.passphrase", lambda _name, _file, new: PASSPHRASE if new else "")
    assert "no keys" in said("keys", "--list")
    said("keys", "ben", "--role", "reviwer")
    said("keys", "anna", "--role", "reviewer", "--role", "approver")
    assert said("keys", "--list").splitlines() == ["anna: reviewer, approver", "ben: reviwer"]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "words", [["ben"], ["--role", "reviewer"], ["ben", "--list"], ["--list", "ben"], ["make"]]
)
def test_a_key_needs_a_name_and_a_role(words: list[str]) -> None:
    with pytest.raises(click.UsageError, match="a name and at least one --role, or --list alone"):
        said("keys", *words)


def test_every_documented_server_sends_nothing_home() -> None:
    page = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
    blocks = page.split("```")[1::2]
    starts = [line for block in blocks for line in block.splitlines() if "prefect server start" in line]
    assert len(starts) == 3
    assert all(
        "DO_NOT_TRACK=1 PREFECT_SERVER_ANALYTICS_ENABLED=false " in line.partition("prefect server start")[0]
        for line in starts
    )


def test_a_new_passphrase_is_asked_for_twice_and_an_old_one_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from sdc.cli.passphrase import passphrase

    asked: list[str] = []
    answers = iter([PASSPHRASE, PASSPHRASE, PASSPHRASE, "another", PASSPHRASE])
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("getpass.getpass", lambda prompt: asked.append(prompt) or next(answers))
    assert passphrase("anna", None, new=True) == PASSPHRASE
    with pytest.raises(SdcError, match="not the same"):
        passphrase("anna", None, new=True)
    assert passphrase("anna", None) == PASSPHRASE
    assert asked == [
        *["passphrase for the key of anna: ", "once more: "] * 2,
        "passphrase for the key of anna: ",
    ]


def test_every_command_is_in_one_group_of_the_help() -> None:
    groups = command_groups()
    named = [command.name for group in groups for command in group.commands]
    assert sorted(named) == sorted(cli.commands)
    told = said("--help")
    places = [told.index(f"{group.heading}:") for group in groups]
    assert places == sorted(places)
    assert [group.heading for group in groups] == ["Prepare a release", "Release", "Decide", "Look back"]


HEAVY = ("numpy", "pandas", "duckdb", "pydantic", "prefect", "great_expectations", "cryptography", "rich")


@pytest.mark.parametrize("asked", ["sdc.cli.main", "sdc.__main__"])
def test_the_help_imports_nothing_heavy(asked: str) -> None:
    program = (
        # What a command registers last of all ends the process: it must be there first.
        "import atexit, runpy, sys, flows.orchestration.stopping\n"
        f"atexit.register(lambda: print('heavy:', [name for name in {HEAVY!r} if name in sys.modules]))\n"
        "sys.argv = ['sdc', '--help']\n"
        f"runpy.run_module({asked!r}, run_name='__main__')\n"
        "import sdc.cli.main\n"
        "sdc.cli.main.main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "Prepare a release:" in done.stdout
    assert "heavy: []" in done.stdout


def test_the_catalogue_names_what_speaks_of_a_word() -> None:
    with pytest.raises(
        SdcError,
        match=r"no measure, method or model is called 'suppress'.*these speak of it: .*local_suppression",
    ):
        said("catalogue", "suppress")


def test_a_pipe_is_as_wide_as_columns_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, said("catalogue").splitlines())) <= 80
    monkeypatch.delenv("COLUMNS")
    assert max(map(len, said("catalogue").splitlines())) > 80


def test_faults_and_notes_of_a_profile_are_json(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,region\n1,x\n2,y\n")
    broken = tmp_path / "broken.yaml"
    broken.write_text(
        "name: small\nsource: {path: a.csv}\nvariables: {age: quasi_identifier}\ncandidates: {plain: [{method: nothing_like_it}]}\n"
    )
    answer = CliRunner().invoke(cli, ["check", str(broken), "--json"])
    assert answer.exit_code == 2
    told = json.loads(answer.output)
    assert [fault for fault in told["faults"] if "nothing_like_it" in fault["problem"]]
    assert {*told["faults"][0]} == {"place", "problem", "remedy"}


def test_an_outcome_is_json_with_the_number_that_was_judged(capsys: pytest.CaptureFixture[str]) -> None:
    from sdc.catalogue.finding import Finding
    from sdc.gate.decision import Verdict
    from tasks.outcome import Outcome

    found = Finding(
        "singling_out",
        "risk",
        "plain",
        holds=False,
        otherwise="refer",
        value=0.7639,
        at_most=0.5,
        margin=-0.2639,
    )
    reading = "0.32 (95 % 0.09 to 0.76), judged at 0.76"
    outcome = Outcome(
        RUN,
        Verdict.REFERRED,
        "a sentence",
        (found,),
        (("report (internal)", "r.html"),),
        ("reviewer",),
        "plain",
        "“plain” is offered.",
        {("plain", "singling_out"): reading},
    )
    told = outcome.as_json()
    assert (told["verdict"], told["chosen"], told["exit_code"]) == ("referred", "plain", 4)
    assert (told["findings"][0]["judged"], told["findings"][0]["reading"]) == (0.7639, reading)
    print_outcome(outcome)
    shown = " ".join(capsys.readouterr().out.split())
    assert "judged at 0.76" in shown
    assert "“plain” is offered." in shown


@pytest.mark.usefixtures("decided")
def test_verification_is_json_whether_or_not_it_holds(home: Home) -> None:
    told = json.loads(said("audit", "verify", "--json"))
    assert (told["holds"], told["faults"], told["entries"], told["anchors"]) == (True, [], 4, 0)
    lines = home.ledger.read_text().splitlines(keepends=True)
    home.ledger.write_text("".join([lines[0], *lines[2:]]))
    answer = CliRunner().invoke(cli, ["audit", "verify", "--json"], standalone_mode=False)
    assert isinstance(answer.exception, SdcError)
    broken = json.loads(answer.output)
    assert broken["holds"] is False
    assert broken["faults"][0].startswith("ledger entry 2: ")


def test_the_shell_completes_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMP_WORDS", "sdc re")
    monkeypatch.setenv("COMP_CWORD", "1")
    answer = CliRunner().invoke(
        cli, [], prog_name="sdc", complete_var="_SDC_COMPLETE", env={"_SDC_COMPLETE": "bash_complete"}
    )
    assert {line.removeprefix("plain,") for line in answer.output.split()} == {
        "release",
        "report",
        "return",
        "replay",
        "reject",
    }


def test_at_80_columns_findings_stand_below_each_other_and_no_word_is_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    why = "region is missing for some members of 9 households and known for others; by_household of local_suppression blanks it for all members"
    found = (
        Finding(
            "k_anonymity",
            "risk",
            "swapped",
            True,
            "withhold",
            3.0,
            at_least=3,
            margin=0.0,
            because="[rule] 4.2",
        ),
        Finding(
            "table.household_gaps.region",
            "table",
            "swapped",
            False,
            "refer",
            9.0,
            at_least=0,
            at_most=0,
            margin=-9.0,
            reason=why,
        ),
    )
    outcome = Outcome(
        RUN,
        Verdict.REFERRED,
        "Survey: referred",
        found,
        (("report (internal)", "/srv/report.html"),),
        ("reviewer",),
    )
    for columns in ("80", "160"):
        monkeypatch.setenv("COLUMNS", columns)
        print_outcome(outcome)
        told = capsys.readouterr().out
        assert all(
            word in told
            for word in (
                "✓",
                "k_anonymity",
                "[rule] 4.2",
                "table.household_gaps.region",
                "local_suppression",
                "by_household",
                RUN,
            )
        )
        table = told[: told.index("Survey: referred")]
        assert max(map(len, table.splitlines())) <= int(columns)
    monkeypatch.setenv("COLUMNS", "80")
    print_outcome(outcome)
    assert "! table.household_gaps.region\n  candidate      swapped" in capsys.readouterr().out
