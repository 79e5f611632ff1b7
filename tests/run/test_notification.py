import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from flows.orchestration.run_release import _recorded_run
from sdc.audit.ledger import Event, Ledger
from sdc.errors import BadData, Fault, SdcError, StepFailed
from sdc.profile.load import load
from sdc.profile.plan import Notify
from sdc.publish.manifest import MANIFEST
from sdc.run import digest
from sdc.run.home import Home, Run
from sdc.run.notification import Notice, notify
from tests.flows.listeners import mail_server
from tests.flows.small_release import PROFILE

NOTICE = Notice("run-1", "households", "withheld", "Households: withheld", ("k_anonymity",))


@pytest.fixture
def listener() -> Iterator[tuple[str, list[dict[str, object]]]]:
    heard: list[dict[str, object]] = []

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_words: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", heard
    server.shutdown()


def test_a_webhook_hears_of_a_withheld_run(listener: tuple[str, list[dict[str, object]]]) -> None:
    address, heard = listener
    assert notify(Notify(webhook=address), NOTICE) == []
    assert heard == [
        {
            "run": "run-1",
            "profile": "households",
            "state": "withheld",
            "sentence": "Households: withheld",
            "does_not_hold": ["k_anonymity"],
        }
    ]


def test_a_state_that_is_not_asked_for_is_not_told(listener: tuple[str, list[dict[str, object]]]) -> None:
    address, heard = listener
    assert notify(Notify(webhook=address, states=("failed",)), NOTICE) == []
    assert heard == []


def test_what_cannot_be_delivered_is_said_and_raises_nothing(tmp_path: Path) -> None:
    plan = Notify(webhook="http://127.0.0.1:9/", mail_to=("a@example.org",), mail_server="127.0.0.1:9")
    said = notify(plan, NOTICE)
    assert len(said) == 2
    assert "webhook" in said[0]
    assert "mail" in said[1]


def test_mail_says_the_sentence_and_what_does_not_hold() -> None:
    with mail_server() as heard:
        plan = Notify(mail_to=("anna@example.org", "ben@example.org"), mail_server=f"127.0.0.1:{heard.port}")
        assert notify(plan, NOTICE) == []
    (mail,) = heard.mails
    assert "To: anna@example.org, ben@example.org" in mail
    assert "Subject: households: withheld" in mail
    assert "Households: withheld" in mail
    assert "- k_anonymity" in mail


@pytest.mark.parametrize(("asked", "told"), [("failed", True), ("withheld", False)])
def test_who_asks_for_failures_hears_of_crashes(
    listener: tuple[str, list[dict[str, object]]], asked: Any, told: bool
) -> None:
    address, heard = listener
    assert (
        notify(
            Notify(webhook=address, states=(asked,)), Notice("run-1", "households", "crashed", "run-1 died")
        )
        == []
    )
    assert [notice["state"] for notice in heard] == (["crashed"] if told else [])


def failed(tmp_path: Path, address: str, error: Callable[[Home, Run], SdcError]) -> str:
    """A run of a profile with a webhook that meets an error; what became of it."""
    (tmp_path / "outbox").mkdir()
    path, home = tmp_path / "profile.yaml", Home.at(tmp_path / "home")
    path.write_text(f"{PROFILE}notify: {{webhook: '{address}'}}\n")
    with (
        pytest.raises(SdcError),
        _recorded_run(home, load(path), None) as (run, _),
    ):
        raise error(home, run)
    return Ledger(home.ledger).runs()[0].state


def test_of_faults_in_the_data_it_is_told_where_they_are_not_how_many_values(
    listener: tuple[str, list[dict[str, object]]], tmp_path: Path
) -> None:
    address, heard = listener
    fault = Fault(f"{tmp_path}/people.csv, column 'income'", "37 values are below 0")
    assert failed(tmp_path, address, lambda _home, _run: BadData([fault])) == "failed"
    assert [notice["sentence"] for notice in heard] == ["faults in the data: people.csv, column 'income'"]


def test_a_failure_after_the_bundle_was_out_is_not_told_as_if_nothing_had_left(
    listener: tuple[str, list[dict[str, object]]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address, heard = listener

    def after_the_move(home: Home, run: Run) -> SdcError:
        bundle = tmp_path / "outbox" / "small-1"
        bundle.mkdir()
        (bundle / MANIFEST).write_text("{}")
        announced = {
            "outbox": str(tmp_path / "outbox"),
            "bundle": "small-1",
            "manifest": digest.of_file(bundle / MANIFEST),
        }
        Ledger(home.ledger).append(run.id, "small", Event.PUBLISHING, announced)
        return StepFailed("the record of the run", "OSError")

    assert failed(tmp_path, address, after_the_move) == "published"
    assert [notice["sentence"] for notice in heard] == [
        "the record of the run failed: OSError; the run is published all the same"
    ]
    assert "is published all the same" in capsys.readouterr().err
