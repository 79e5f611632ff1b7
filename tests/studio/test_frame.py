"""The frame of the workbench: rooms, the text beside them, undo, redo, save, and who may do that."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

import sdc.web
from sdc.web.studio.rooms import rooms


def test_every_room_opens_in_the_frame_with_the_text_beside_it(visitor):
    assert visitor.get("/studio/").headers["location"] == "/studio/data"
    for room in ("data", "variables", "run"):
        page = visitor.get(f"/studio/{room}")
        assert page.status_code == 200
        assert 'aria-current="step"' in page.text
        assert "name: households" in page.text
    assert "Back to the workbench" in visitor.get("/").text
    assert visitor.get("/studio/nothing").status_code == 404


def test_an_edit_is_swapped_in_parts_and_undone(visitor):
    text = visitor.workbench.profile_text
    answer = visitor.post("/studio/frame/text", text=text.text.replace("title: households", "title: Survey"))
    assert answer.status_code == 200
    assert 'id="room"' in answer.text
    assert "hx-swap-oob" in answer.text
    assert "<html" not in answer.text
    assert text.at(("title",)) == "Survey"
    visitor.post("/studio/frame/undo")
    assert text.at(("title",)) == "households"
    visitor.post("/studio/frame/redo")
    assert text.at(("title",)) == "Survey"
    assert not text.path.exists()
    visitor.post("/studio/frame/save")
    assert "title: Survey" in text.path.read_text()


def test_forms_work_without_script_too(visitor):
    answer = visitor.post("/studio/frame/save", partial=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/studio/data")
    assert "Saved as households.yaml." in visitor.get("/studio/data").text
    assert "Saved as" not in visitor.get("/studio/data").text


def test_a_second_tab_is_told_that_its_page_is_old(visitor):
    text = visitor.workbench.profile_text
    visitor.post("/studio/frame/text", text="name: one\n")
    answer = visitor.post("/studio/frame/text", text="name: two\n", revision="1")
    assert answer.status_code == 409
    assert "edited elsewhere" in answer.text
    assert text.at(("name",)) == "one"


def test_a_file_changed_on_disk_is_said_with_the_choice(visitor):
    visitor.post("/studio/frame/save")
    path = visitor.workbench.path
    path.write_text(path.read_text().replace("title: households", "title: Theirs"))
    assert "changed on the disk" in visitor.get("/studio/data").text
    visitor.post("/studio/frame/text", text="name: ours\n")
    assert visitor.post("/studio/frame/save").status_code == 409
    visitor.post("/studio/frame/theirs")
    assert visitor.workbench.profile_text.at(("title",)) == "Theirs"
    assert "changed on the disk" not in visitor.get("/studio/data").text


@pytest.mark.parametrize("changed", [{"csrf": "wrong"}, {"csrf": ""}])
def test_a_form_from_elsewhere_does_nothing(visitor, changed):
    answer = visitor.post("/studio/frame/text", text="name: taken\n", **changed)
    assert answer.status_code == 403
    assert visitor.workbench.profile_text.at(("name",)) == "households"


def test_another_site_cannot_send_forms(visitor):
    told = {"csrf": visitor.token(), "revision": "1", "text": "name: taken\n"}
    for headers in (
        {"origin": "http://elsewhere.example"},
        {"origin": "null", "sec-fetch-site": "cross-site"},
    ):
        assert visitor.client.post("/studio/frame/text", data=told, headers=headers).status_code == 403


def test_nobody_is_let_in_without_the_token_or_by_another_name(stranger):
    assert stranger.get("/studio/data").status_code == 401
    assert stranger.get("/studio/htmx.js").status_code == 401
    assert stranger.get("/studio/data", headers={"host": "elsewhere.example"}).status_code == 421


def test_no_script_but_ours_runs_and_none_is_written_into_the_page(visitor):
    page = visitor.get("/studio/variables")
    policy = page.headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert page.text.count("<script ") == page.text.count('integrity="sha384-') == 2
    assert "style=" not in page.text
    assert "onclick" not in page.text


def test_htmx_is_the_file_its_authors_published():
    place = Path(sdc.web.__file__).parent / "vendored"
    assert (
        hashlib.sha256((place / "htmx.min.js").read_bytes()).hexdigest()
        == "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"
    )
    assert "Zero-Clause BSD" in (place / "htmx.LICENSE").read_text()


def test_no_value_and_no_place_of_the_disk_is_logged(visitor, logged):
    visitor.post("/studio/frame/text", text="name: secret_name\n")
    assert "POST /studio/frame/text 200" in logged[-1]
    assert not any("secret_name" in line or str(visitor.workbench.path.parent) in line for line in logged)


WRONG = {
    "empty": "",
    "a list": "- a\n- b\n",
    "not YAML": "a: [unclosed\n",
    "endless": "x: &a [*a]\n",
    "a tag": "title: !!python/object:os.system x\n",
    "numbers for sections": "name: 3\nsource: 5\nvariables: 3\ncandidates: 4\nrisk: 5\npublish: 3\napproval: 7\n",
    "lists for sections": "source: [a]\nvariables: [a]\ncandidates: [a]\nrisk: {a: b}\nspace: [3]\n",
    "wrong inside": (
        "name: x\nsource: {path: nothing.csv, columns: 3, missing_codes: 4, record_key: x, separator: 5}\n"
        "variables: {a: 3, b: [1], c: {role: 4, order: 3, values: [1]}, 7: other}\n"
        "candidates: {a: 3, b: [4], c: [{method: 3}], d: [{method: nope}], e: {path: x.csv}}\n"
        "risk: [3, {measure: 4}, {measure: nope, at_least: x}]\npublish: {outbox: [1], formats: 3}\n"
    ),
    "two files": "name: x\nsource: {persons: {path: households.csv}, households: {path: h.csv}}\n",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_profile_that_is_wrong_opens_in_every_room(visitor, name):
    assert visitor.post("/studio/frame/text", text=WRONG[name]).status_code == 200
    for room in rooms():
        page = visitor.get(f"/studio/{room.name}")
        assert page.status_code == 200, room.name
        assert 'id="yaml"' in page.text
    assert visitor.get("/studio/data/part/found").status_code == 200
    assert visitor.get("/studio/variables/part/risk").status_code == 200
    assert "fault" in visitor.get("/studio/run/part/check").text


@pytest.mark.slow
def test_a_server_that_is_killed_loses_nothing(folder, tmp_path):
    """The real command, killed between two requests, and started again."""
    with started(folder, tmp_path) as (client, process):
        page = client.get("/studio/data").text
        token = re.search(r'name="csrf" value="(\w+)"', page)[1]
        told = {"csrf": token, "revision": "1", "text": "name: kept_though_killed\n"}
        headers = {"origin": str(client.base_url).rstrip("/"), "sec-fetch-site": "same-origin"}
        assert client.post("/studio/frame/text", data=told, headers=headers).status_code == 303
        process.kill()
        process.wait()
    with started(folder, tmp_path) as (client, _):
        page = client.get("/studio/data").text
        assert "edits of this profile that were not saved" in page
        token = re.search(r'name="csrf" value="(\w+)"', page)[1]
        headers = {"origin": str(client.base_url).rstrip("/"), "sec-fetch-site": "same-origin"}
        client.post("/studio/frame/take-offered", data={"csrf": token, "revision": "1"}, headers=headers)
        assert "name: kept_though_killed" in client.get("/studio/data").text
    assert not (folder / ".households.yaml.open").exists(), "one that is told to end tidies up"
    # What the killed one had read is gone with the next start, or never was there.
    assert not list((tmp_path / "home" / "scratch").glob("*"))


@contextmanager
def started(folder, tmp_path):
    """`sdc studio` on a free port, and a client that was let in."""
    command = [
        sys.executable,
        "-m",
        "sdc",
        "studio",
        str(folder / "households.csv"),
        "--port",
        "0",
        "--quiet",
    ]
    process = subprocess.Popen(
        [*command, "--home", str(tmp_path / "home")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        address = next(line for line in process.stdout if "token=" in line).strip()
        with httpx.Client(base_url=address.partition("/?")[0]) as client:
            assert client.get("/?" + address.partition("/?")[2]).status_code == 303
            yield client, process
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()
