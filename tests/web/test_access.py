"""Who is let in, by what name, from which page, and what every answer carries."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from review_home import PORT, TestClient, form_token

from sdc.audit.ledger import Event, Ledger
from sdc.run.home import Home
from sdc.web.access import NoSingleHost, NotLoopback, Sessions, check_host

ORIGIN = f"http://127.0.0.1:{PORT}"
DECISION = {"decision": "approve", "by": "anna", "role": "reviewer", "reason": "fine", "days": "30"}


@pytest.mark.parametrize(
    "path", ["/", "/runs/x", "/runs/x/report", "/compare", "/nowhere", "/?token=", "/?token=wrong"]
)
def test_without_the_token_nothing_is_shown(stranger: TestClient, finished: Callable[..., str], path: str):
    run = finished()
    answer = stranger.get(path.replace("/x", f"/{run}"))
    assert answer.status_code == 401
    assert "survey" not in answer.text
    assert "set-cookie" not in answer.headers


def test_the_token_is_exchanged_for_a_cookie_and_leaves_the_address(
    stranger: TestClient, access: Sessions, logged: list[str]
):
    answer = stranger.get(f"/?token={access.token}")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert access.token not in answer.headers["set-cookie"]
    assert stranger.get("/").status_code == 200
    assert not any(access.token in line for line in logged)
    assert any(line.startswith("GET / 303") for line in logged)


def test_a_made_up_session_is_none(stranger: TestClient, access: Sessions):
    stranger.cookies.set(access.cookie, "made-up")
    assert stranger.get("/").status_code == 401


def test_a_wrong_token_ends_the_request_even_with_a_session(visitor: TestClient):
    assert visitor.get("/?token=wrong").status_code == 401


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        "127.0.0.1:80",
        f"127.0.0.1.evil.example:{PORT}",
        "",
    ],
)
def test_another_name_for_this_machine_is_not_answered(
    visitor: TestClient, finished: Callable[..., str], host: str
):
    finished()
    answer = visitor.get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "survey" not in answer.text


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"[::1]:{PORT}", f"LOCALHOST:{PORT}"])
def test_names_of_the_loopback_are_one_machine(access: Sessions, host: str):
    assert host.lower() in access.names


@pytest.mark.parametrize("host", ["192.168.1.5", "release.agency.example", "8.8.8.8", "fe80::1"])
def test_an_address_others_reach_needs_leave_and_the_refusal_says_why(host: str):
    with pytest.raises(
        NotLoopback, match=r"token could read internal reports .* nothing on the way is encrypted"
    ):
        check_host(host, beyond=False)
    check_host(host, beyond=True)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_all_addresses_at_once_are_refused_with_and_without_leave(host: str):
    for beyond in (False, True):
        with pytest.raises(NoSingleHost):
            check_host(host, beyond=beyond)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_the_loopback_needs_no_leave(host: str):
    assert check_host(host, beyond=False) is None


@pytest.mark.parametrize(
    ("headers", "token"),
    [
        ({}, True),
        ({"origin": "http://evil.example"}, True),
        ({"origin": "null"}, True),
        ({"origin": "null", "sec-fetch-site": "cross-site"}, True),
        ({"origin": ORIGIN, "sec-fetch-site": "same-site"}, True),
        ({"origin": "https://127.0.0.1:8321"}, True),
        ({"origin": ORIGIN}, False),
        ({"origin": "null", "sec-fetch-site": "same-origin"}, False),
    ],
)
def test_a_form_from_elsewhere_or_without_its_token_decides_nothing(
    visitor: TestClient, finished: Callable[..., str], home: Home, headers: dict[str, str], token: bool
):
    run = finished("referred")
    before = home.ledger.read_bytes()
    csrf = form_token(visitor.get(f"/runs/{run}").text) if token else "0" * 64
    answer = visitor.post(f"/runs/{run}/decision", data={**DECISION, "csrf": csrf}, headers=headers)
    assert answer.status_code == 403
    assert home.ledger.read_bytes() == before
    assert visitor.get(f"/runs/{run}/decision").headers["location"] == f"/runs/{run}"


def test_a_form_token_of_another_session_is_refused(
    visitor: TestClient, finished: Callable[..., str], access: Sessions
):
    run = finished("referred")
    old = form_token(visitor.get(f"/runs/{run}").text)
    visitor.cookies.clear()
    visitor.get(f"/?token={access.token}")
    assert (
        visitor.post(
            f"/runs/{run}/decision", data={**DECISION, "csrf": old}, headers={"origin": ORIGIN}
        ).status_code
        == 403
    )


def test_a_form_that_is_none_or_too_long_is_refused(visitor: TestClient, finished: Callable[..., str]):
    run = finished("referred")
    csrf = form_token(visitor.get(f"/runs/{run}").text)
    place, own = f"/runs/{run}/decision", {"origin": ORIGIN}
    assert visitor.post(place, json={"csrf": csrf}, headers=own).status_code == 400
    assert visitor.post(place, data={"csrf": csrf, "reason": "x" * 70_000}, headers=own).status_code == 413
    assert visitor.post(place, data={"csrf": csrf, "decision": "perhaps"}, headers=own).status_code == 400


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/runs/RUN",
        "/runs/RUN/record",
        "/runs/RUN/decision",
        "/compare",
        "/nowhere",
        "/style.css",
        "/icon.svg",
    ],
)
def test_every_answer_carries_the_strict_headers(
    visitor: TestClient, finished: Callable[..., str], path: str
):
    headers = visitor.get(path.replace("RUN", finished("referred"))).headers
    assert headers["content-security-policy"].startswith("default-src 'none'; style-src 'self';")
    assert "script-src" not in headers["content-security-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert "server" not in headers


def test_refusals_carry_them_too(stranger: TestClient):
    for answer in (
        stranger.get("/"),
        stranger.get("/", headers={"host": "evil.example"}),
        stranger.post("/"),
        stranger.request("TRACE", "/"),
    ):
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["cache-control"] == "no-store"


def test_the_report_may_be_framed_by_us_alone_and_may_run_nothing(
    visitor: TestClient, finished: Callable[..., str]
):
    answer = visitor.get(f"/runs/{finished()}/report")
    assert "The report of this run" in answer.text
    policy = answer.headers["content-security-policy"]
    assert policy.endswith("frame-ancestors 'self'; sandbox")
    assert "script" not in policy
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/runs/../../etc/passwd",
        "/runs/..%2f..%2fetc%2fpasswd",
        "/runs/%2e%2e/report",
        "/runs/./report",
        "/runs/RUN/warehouse.duckdb",
        "/runs/RUN/report/../warehouse.duckdb",
        "/runs/RUN/..%2fwarehouse.duckdb",
        "/runs/RUN%2fwarehouse.duckdb",
        "/runs/RUN/lock",
        "/runs/RUN/profile.yaml",
        "/runs/RUN/record.json",
        "/runs/RUN/report.html",
        "/runs/RUN%00/report",
        "/keys/anna.key",
        "/ledger.jsonl",
        "//etc/passwd",
        "/style.css/../../../etc/passwd",
    ],
)
def test_no_address_leads_to_another_file(
    visitor: TestClient, finished: Callable[..., str], home: Home, path: str
):
    (home.keys / "anna.key").write_text("PRIVATE KEY")
    answer = visitor.get(path.replace("RUN", finished()))
    assert answer.status_code in (400, 404)
    for secret in ("root:", "CONFIDENTIAL", "PRIVATE", "secret_source"):
        assert secret not in answer.text


def test_a_link_in_place_of_a_report_or_a_run_is_not_followed(
    visitor: TestClient, finished: Callable[..., str], home: Home, tmp_path: Path
):
    run, other = finished(), finished()
    report = home.runs / run / "report.html"
    report.unlink()
    report.symlink_to(home.runs / run / "warehouse.duckdb")
    (home.runs / other).rename(tmp_path / "elsewhere")
    (home.runs / other).symlink_to(tmp_path / "elsewhere")
    for asked in (f"/runs/{run}/report", f"/runs/{other}/report"):
        answer = visitor.get(asked)
        assert answer.status_code == 404
        assert "CONFIDENTIAL" not in answer.text
    assert "There is no report of this run here" in visitor.get(f"/runs/{run}").text
    assert "no longer kept" in visitor.get(f"/runs/{other}").text


def test_a_pipe_in_place_of_a_report_keeps_nobody_waiting(
    visitor: TestClient, finished: Callable[..., str], home: Home
):
    run = finished()
    (home.runs / run / "report.html").unlink()
    os.mkfifo(home.runs / run / "report.html")
    assert visitor.get(f"/runs/{run}/report").status_code == 404


def test_the_log_cannot_be_written_by_an_address(visitor: TestClient, logged: list[str]):
    visitor.get("/runs/x%0aGET%20/%20200?words=secret")
    assert logged[-1].startswith("GET /runs/x%0AGET%20/%20200 404")
    assert "secret" not in logged[-1]


def test_what_breaks_inside_says_nothing_of_the_data(
    visitor: TestClient, finished: Callable[..., str], home: Home, logged: list[str]
):
    run = finished()
    held = json.dumps({"candidates": "CONFIDENTIAL"}).encode()
    (home.runs / run / "record.json").write_bytes(held)
    Ledger(home.ledger).append(run, "survey", Event.WITHHELD, {"record": hashlib.sha256(held).hexdigest()})
    answer = visitor.get(f"/runs/{run}")
    assert answer.status_code == 500
    assert "Something broke inside" in answer.text
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "CONFIDENTIAL" not in answer.text + "".join(logged)
    assert logged[-2].startswith("error ")


def test_the_pages_start_without_the_orchestrator():
    code = "import sys, sdc.web.app, sdc.web.serve; print([name for name in ('prefect', 'pandas', 'great_expectations') if name in sys.modules])"
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "[]"
    )
