"""A profile on a schedule: a real Prefect server, a real deployment, runs as processes of their own."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from flows.orchestration.orchestrator import SAFE
from sdc.audit.ledger import Event, Ledger
from sdc.audit.record import show, verify
from sdc.run.home import Home
from tests.flows.listeners import Heard, mail_server, webhook
from tests.flows.small_release import PROFILE, small_people
from tests.flows.standing import Served, StandingServer, until

pytestmark = pytest.mark.slow
"""All share one server and one scheduler."""

SLOW = (
    "  - {measure: records_changed}\n",
    "".join(
        f"  - {{measure: propensity_mse, as: slow_{turn}, with: {{model: cart, permutations: 10000}}}}\n"
        for turn in range(4)
    ),
)
"""Measures that take a while on any machine."""
A_WHILE = (
    SLOW[0],
    "  - {measure: propensity_mse, as: slow, with: {model: cart, permutations: 1000}}\n",
)
"""One that takes as long as it takes a worker to look for the next run, many times over."""
WITHHELD = ("    - {method: local_suppression, with: {k: 3}}\n", "")
BROKEN = ("  health: sensitive\n", "  health: sensitive\n  shoe_size: {role: sensitive, type: numeric}\n")


class Agency:
    """One profile served on a schedule, rewritten between runs; what is told of it; what came of it."""

    def __init__(self, place: Path, server: StandingServer, heard: Heard, mailed: Heard) -> None:
        self.place, self.server, self.heard, self.mailed = place, server, heard, mailed
        self.outbox = place / "outbox"
        self.outbox.mkdir()
        small_people().to_csv(place / "people.csv", index=False)
        self.profile = self.write()
        self.home = Home.at(place / "home")
        self.served = Served(
            server,
            self.profile,
            self.home.path,
            "--cron",
            "* * * * * */20",
            "--retries",
            "1",
            "--retry-seconds",
            "4",
        )

    def write(self, *replacements: tuple[str, str]) -> Path:
        told = f"notify: {{webhook: 'http://127.0.0.1:{self.heard.port}/', mail_to: [anna@example.org], mail_server: '127.0.0.1:{self.mailed.port}'}}"
        text = f"{PROFILE}{told}\n"
        for old, new in replacements:
            assert old in text, old
            text = text.replace(old, new)
        path = self.place / "profile.yaml"
        path.write_text(text)
        self.heard.notices.clear()
        self.mailed.mails.clear()
        return path

    def released(self) -> dict[str, object]:
        """A run of the deployment, triggered and waited for."""
        return self.server.ended(self.served.trigger("small"))

    def runs_in(self, deployment: dict[str, Any], *states: str) -> list[dict[str, Any]]:
        about = {
            "deployments": {"id": {"any_": [deployment["id"]]}},
            "flow_runs": {"state": {"type": {"any_": list(states)}}},
        }
        found: list[dict[str, Any]] = self.server.ask("flow_runs/filter", **about)
        return found

    def set_active(self, active: bool) -> None:
        deployment = self.served.deployment("small")
        place = f"deployments/{deployment['id']}/schedules/{deployment['schedules'][0]['id']}"
        until(lambda: self.server.said("PATCH", place, {"active": active}), "the schedule to be changed")

    def rest(self) -> None:
        """Nothing is due any more.

        What the server planned just before its schedule was paused may still appear: it is looked for twice.
        """
        self.set_active(False)
        deployment = self.served.deployment("small")

        def nothing_due() -> bool:
            for planned in self.runs_in(deployment, "SCHEDULED"):
                self.server.said("DELETE", f"flow_runs/{planned['id']}")
            return not self.runs_in(deployment, "SCHEDULED", "PENDING", "RUNNING")

        for _ in range(2):
            until(nothing_due, "all that was due to end")
            time.sleep(8)
        until(nothing_due, "all that was due to end")

    @property
    def bundles(self) -> list[str]:
        return sorted(path.name for path in self.outbox.iterdir())

    @property
    def states(self) -> list[str]:
        return [row.state for row in Ledger(self.home.ledger).runs()]

    def measuring(self) -> str:
        """The run under way, once it has a measurement that takes long."""

        def found() -> str | None:
            rows = [row for row in Ledger(self.home.ledger).runs() if row.state == "running"]
            return next(
                (
                    row.run
                    for row in rows
                    if (self.home.runs / row.run / "candidates" / "masked.parquet").exists()
                ),
                None,
            )

        return str(until(found, "a run that measures"))

    def holds(self) -> None:
        """Nothing lost, nothing published twice, nothing half-done.

        Every bundle is of one run, every published run has its bundle.
        """
        verify(self.home)
        rows = Ledger(self.home.ledger).runs()
        assert sorted(row.facts["bundle"] for row in rows if row.state == "published") == self.bundles


@pytest.fixture(scope="module")
def agency(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agency]:
    place = tmp_path_factory.mktemp("agency")
    (place / "prefect").mkdir()
    server = StandingServer(place / "prefect")
    with webhook() as heard, mail_server() as mailed:
        server.start()
        made = Agency(place, server, heard, mailed)
        try:
            made.rest()
            yield made
        finally:
            made.served.stop()
            server.kill()


def test_a_deployment_fires_by_its_cron_and_its_release_is_named_by_the_slot(agency: Agency) -> None:
    deployment = agency.served.deployment("small")
    (schedule,) = deployment["schedules"]
    assert schedule["schedule"]["cron"] == "* * * * * */20"
    agency.set_active(True)
    fired = until(lambda: agency.runs_in(deployment, "PENDING", "RUNNING"), "a run that the schedule fired")[
        0
    ]
    agency.rest()
    first = agency.server.ended(fired["id"])
    assert (first["state_name"], first["auto_scheduled"]) == ("Published", True)
    slot = re.sub(r"[-:]|\.\d+", "", first["expected_start_time"]).replace("+0000", "Z")
    assert f"small-{slot}" in agency.bundles
    said = agency.served.log.read_text()
    assert 'small is served at "* * * * * */20" (UTC), next due 20' in said
    assert re.search(rf"^{slot}: published: .*published, candidate masked$", said, re.MULTILINE)
    agency.holds()


def test_the_scorecard_and_the_way_to_the_report_are_artifacts_without_a_cell(agency: Agency) -> None:
    agency.write()
    assert agency.released()["state_name"] == "Published"
    held = agency.server.ask("artifacts/filter")
    table = next(json.loads(artifact["data"]) for artifact in held if artifact["type"] == "table")
    assert {(row["criterion"], row["holds"]) for row in table} >= {
        ("k_anonymity", True),
        ("ks_distance", True),
    }
    assert {key for row in table for key in row} == {"criterion", "candidate", "holds", "judged", "limits"}
    link = next(artifact for artifact in held if artifact["type"] == "markdown")
    place = re.search(r"\(file://([^)]+)\)", link["data"])
    assert place is not None
    assert Path(place[1]).is_file()
    people = small_people()
    cells = {*people["person"], *people["name"], *(str(value) for value in people["income"])}
    assert not [cell for cell in cells if cell in json.dumps(held)]


def test_a_withheld_run_is_told_by_webhook_and_by_mail_without_a_cell(agency: Agency) -> None:
    agency.write(WITHHELD)
    before = agency.bundles
    run = agency.released()
    assert (run["state_type"], run["state_name"]) == ("COMPLETED", "Withheld")
    assert agency.bundles == before
    (notice,) = agency.heard.notices
    (mail,) = agency.mailed.mails
    assert (notice["profile"], notice["state"], notice["does_not_hold"]) == (
        "small",
        "withheld",
        ["k_anonymity"],
    )
    assert "Subject: small: withheld" in mail
    assert "- k_anonymity" in mail
    people = small_people()
    cells = {
        *people["person"],
        *people["name"],
        *(str(value) for value in people["income"]),
        *people["region"],
        *people["health"],
    }
    assert not [cell for cell in cells if cell in json.dumps(notice) or cell in mail]


def test_bad_data_fail_at_once_are_told_and_not_tried_again(agency: Agency) -> None:
    agency.write(BROKEN)
    run = agency.released()
    assert (run["state_type"], run["run_count"]) == ("FAILED", 1)
    (notice,) = agency.heard.notices
    assert notice["state"] == "failed"
    assert "shoe_size" in notice["sentence"]
    assert len(agency.mailed.mails) == 1
    assert show(agency.home, notice["run"]).record["outcome"] == "failed"
    agency.holds()


def test_what_may_go_away_is_tried_again_and_a_listener_that_is_down_changes_nothing(agency: Agency) -> None:
    agency.write((f"http://127.0.0.1:{agency.heard.port}/", "http://127.0.0.1:9/"))
    before = agency.bundles
    aside = agency.outbox.rename(agency.place / "aside")
    run = agency.served.trigger("small")
    until(lambda: agency.mailed.mails, "the mail that the outbox is not there")
    aside.rename(agency.outbox)
    ended = agency.server.ended(run)
    assert (ended["state_name"], ended["run_count"]) == ("Published", 2)
    assert len(agency.bundles) == len(before) + 1
    assert "the webhook was not reached" in agency.served.log.read_text()
    agency.holds()


def test_a_run_cancelled_on_the_server_leaves_nothing_half_done_and_is_on_record(agency: Agency) -> None:
    agency.write(SLOW)
    before = agency.bundles
    run = agency.served.trigger("small")
    measuring = agency.measuring()
    agency.server.ask(f"flow_runs/{run}/set_state", state={"type": "CANCELLING", "name": "Cancelling"})
    assert agency.server.ended(run)["state_type"] == "CANCELLED"
    # The server may say so a moment before the run has sealed its record.
    view = until(
        lambda: (seen := show(agency.home, measuring)).row.state != "running" and seen,
        "the end of the cancelled run",
    )
    assert (view.row.state, view.record_holds) == ("cancelled", True)
    assert agency.bundles == before
    agency.holds()


def test_a_killed_run_is_crashed_on_the_server_and_the_next_run_names_it(agency: Agency) -> None:
    agency.write(SLOW)
    run = agency.served.trigger("small")
    killed = agency.measuring()
    for process in agency.served.running():
        process.send_signal(signal.SIGKILL)
    assert agency.server.ended(run)["state_type"] == "CRASHED"
    agency.write()
    assert agency.released()["state_name"] == "Published"
    view = show(agency.home, killed)
    assert (view.row.state, view.record["outcome"]) == ("crashed", "crashed")
    assert (view.record_holds, view.record["source"]["rows"]) == (True, 240)
    assert [(notice["run"], notice["state"]) for notice in agency.heard.notices] == [(killed, "crashed")]
    assert "Subject: small: crashed" in agency.mailed.mails[0]
    agency.holds()


def test_a_killed_scheduler_names_its_dead_run_when_it_starts_again_and_goes_on(agency: Agency) -> None:
    agency.write(SLOW)
    agency.served.trigger("small")
    killed = agency.measuring()
    agency.served.kill()
    agency.write()
    agency.served.start()
    until(lambda: show(agency.home, killed).row.state == "crashed", "the dead run to be named")
    until(lambda: f"run {killed} died" in agency.served.log.read_text(), "its name in the log")
    assert agency.released()["state_name"] == "Published"
    agency.holds()


def test_two_deployments_with_one_outbox_run_one_after_the_other(agency: Agency) -> None:
    agency.write()
    other = agency.place / "other.yaml"
    other.write_text(agency.profile.read_text().replace("name: small", "name: other"))
    second = Served(agency.server, other, agency.home.path, "--cron", "0 6 1 1 *")
    try:
        runs = [agency.served.trigger("small"), second.trigger("other")]
        ended = {agency.server.ended(run)["state_name"] for run in runs}
    finally:
        second.stop()
    # A server that is too busy to hear how a run ended has it tried again, which says that the slot is done.
    assert "Published" in ended <= {"Published", "AlreadyDone"}
    last = [entry for entry in Ledger(agency.home.ledger).entries() if entry.run][-6:]
    assert [entry.event for entry in last] == [Event.STARTED, Event.PUBLISHING, Event.PUBLISHED] * 2
    assert [len({entry.run for entry in part}) for part in (last[:3], last[3:])] == [1, 1]
    agency.holds()


def test_a_stopped_scheduler_leaves_its_schedule_paused(agency: Agency) -> None:
    agency.served.stop()
    assert agency.served.process.returncode == 0
    assert agency.served.deployment("small")["paused"] is True
    assert "Traceback" not in agency.served.log.read_text()


EXAMPLE = Path(__file__).parent.parent.parent / "docs" / "prefect.yaml"


def ask_prefect(agency: Agency, *words: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "prefect", *words],
        env=agency.server.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_example_for_work_pools_deploys_and_has_every_safe_setting(agency: Agency) -> None:
    environment = YAML(typ="safe").load(EXAMPLE)["definitions"]["work_pool"]["job_variables"]["env"]
    assert SAFE.items() <= environment.items()
    ask_prefect(agency, "work-pool", "create", "releases", "--type", "process")
    ask_prefect(agency, "--no-prompt", "deploy", "--prefect-file", str(EXAMPLE), "--all")
    made = agency.served.deployment("households")
    assert [schedule["schedule"]["cron"] for schedule in made["schedules"]] == ["0 6 * * 1"]
    assert (made["entrypoint"], made["work_pool_name"]) == ("flows.schedule.scheduled_release", "releases")


def write_two_deployments(place: Path) -> Path:
    """The example with two profiles that meet in the middle of their runs, and no schedule."""
    held = YAML(typ="safe").load(EXAMPLE)
    example = held["deployments"][0]
    environment = held["definitions"]["work_pool"]["job_variables"]["env"] | {"SDC_HOME": str(place / "home")}
    pool = {"name": "pair", "job_variables": {"env": environment}}
    deployments = []
    for name in ("first", "second"):
        (place / name / "outbox").mkdir(parents=True)
        small_people().to_csv(place / name / "people.csv", index=False)
        text = PROFILE.replace("name: small", f"name: {name}").replace(*A_WHILE)
        (place / name / f"{name}.yaml").write_text(text)
        told = {"profile": str(place / name / f"{name}.yaml")}
        deployments.append({**example, "name": name, "parameters": told, "schedules": [], "work_pool": pool})
    pull = [{"prefect.deployments.steps.set_working_directory": {"directory": str(place)}}]
    path = place / "prefect.yaml"
    with path.open("w") as file:
        YAML(typ="safe").dump({"name": held["name"], "pull": pull, "deployments": deployments}, file)
    return path


def test_two_workers_of_a_pool_release_two_profiles_at_once(agency: Agency, tmp_path: Path) -> None:
    """Each worker takes one run at a time, so that two runs that overlap were taken by two."""
    ask_prefect(agency, "work-pool", "create", "pair", "--type", "process")
    ask_prefect(
        agency, "--no-prompt", "deploy", "--prefect-file", str(write_two_deployments(tmp_path)), "--all"
    )
    command = [
        sys.executable,
        "-m",
        "prefect",
        "worker",
        "start",
        "--pool",
        "pair",
        "--type",
        "process",
        "--limit",
        "1",
    ]
    environment = {**agency.server.environment, "PREFECT_WORKER_QUERY_SECONDS": "1"}
    with (tmp_path / "workers.log").open("wb") as log:
        workers = [
            subprocess.Popen([*command, "--name", name], env=environment, stdout=log, stderr=log)
            for name in ("one", "two")
        ]
        try:
            # One that came late could find that the other has taken both.
            until(lambda: len(agency.server.ask("work_pools/pair/workers/filter")) == 2, "both workers")
            asked = [agency.served.trigger(name) for name in ("first", "second")]
            ended = [agency.server.ended(identity) for identity in asked]
        finally:
            for worker in workers:
                worker.send_signal(signal.SIGINT)
            for worker in workers:
                worker.wait(timeout=60)
    assert [run["state_name"] for run in ended] == ["Published", "Published"], (
        tmp_path / "workers.log"
    ).read_text()
    begun, done = max(run["start_time"] for run in ended), min(run["end_time"] for run in ended)
    assert begun < done, "they ran at once"
    assert all(len(list((tmp_path / name / "outbox").iterdir())) == 1 for name in ("first", "second"))
    assert [row.state for row in Ledger(Home.at(tmp_path / "home").ledger).runs()] == ["published"] * 2
    verify(Home.at(tmp_path / "home"))


def test_a_schedule_needs_a_server_that_stays(
    release_files: Callable[..., Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import click
    from click.testing import CliRunner

    from sdc.cli.main import cli

    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    with pytest.raises(click.UsageError, match="needs a server that stays"):
        CliRunner().invoke(
            cli,
            ["schedule", str(release_files()), "--cron", "0 6 * * 1"],
            catch_exceptions=False,
            standalone_mode=False,
        )


@pytest.mark.parametrize("cron", ["61 * * * *", "soon", "", "r 6 * * *"])
def test_what_is_no_schedule_is_refused_in_a_sentence(cron: str) -> None:
    import click

    from flows.schedule import next_due

    with pytest.raises(click.BadParameter, match="is no schedule; five fields"):
        next_due(cron, datetime(2026, 11, 16, tzinfo=UTC))


def test_a_schedule_knows_when_it_is_due_next() -> None:
    from flows.schedule import next_due

    assert next_due("0 6 * * 1", datetime(2026, 11, 16, 6, 0, tzinfo=UTC)) == datetime(
        2026, 11, 23, 6, 0, tzinfo=UTC
    )
