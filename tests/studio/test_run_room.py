"""The room Check and run: faults by room, what is published, the run itself, an earlier profile."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import time

import pytest

from sdc.check import check
from sdc.studio import release_run
from sdc.studio.jobs import JobState
from sdc.studio.profile_differences import differences
from sdc.studio.release_run import RELEASING


def checked(visitor) -> str:
    for _ in range(60):
        text = visitor.get("/studio/run/part/check", headers={"hx-request": "true"}).text
        if "every 1s" not in text:
            return text
    raise AssertionError("the check never ended")


def test_notes_are_those_of_the_command(visitor):
    text = checked(visitor)
    assert "No faults." in text
    visitor.post("/studio/frame/save")
    said = check(visitor.workbench.path)
    assert len(said) == len(visitor.workbench.faults().notes)
    assert all(any(note.problem in line for line in said) for note in visitor.workbench.faults().notes)


def test_the_data_are_read_once_for_numbers_and_check(visitor):
    place = visitor.workbench.workplace()
    checked(visitor)
    assert visitor.workbench.workplace() is place


def test_the_outbox_can_be_made_from_the_page(visitor, folder):
    (folder / "outbox").rmdir()
    visitor.workbench.look_again()
    assert "the outbox outbox does not exist" in checked(visitor)
    visitor.post("/studio/run/outbox")
    assert (folder / "outbox").is_dir()
    assert "No faults." in checked(visitor)


def test_what_is_published_is_written(visitor):
    visitor.post(
        "/studio/run/publish", title="A survey", access="safeguarded", approval="never", format=["csv"]
    )
    text = visitor.workbench.profile_text
    assert text.at(("title",)) == "A survey"
    assert text.at(("approval",)) == {"required": "never", "roles": ["reviewer"]}
    assert text.at(("publish", "formats")) == ["csv"]
    assert (
        visitor.post("/studio/run/publish", access="all", approval="never", format=["csv"]).status_code == 422
    )


def test_a_profile_with_faults_is_not_run(visitor):
    text = visitor.workbench.profile_text
    text.set(("candidates", "recoded", 0, "method"), "nothing_known", expected=text.revision)
    answer = visitor.post("/studio/run/release")
    assert answer.status_code == 422
    assert "Nothing was run" in answer.text
    assert visitor.workbench.jobs.find(RELEASING) is None


def test_an_old_page_starts_no_run(visitor):
    visitor.post("/studio/run/publish", title="x", access="open", approval="never", format=["csv"])
    assert visitor.post("/studio/run/release", revision="1").status_code == 409


def waited(visitor) -> str:
    job = visitor.workbench.jobs.find(RELEASING)
    assert job is not None
    assert job.done.wait(300)
    return visitor.get("/studio/run/part/progress").text


@pytest.mark.slow
@pytest.mark.flow
def test_a_referred_run_is_in_the_inbox_of_the_same_application(visitor):
    answer = visitor.post("/studio/run/release")
    assert "its release is running" in answer.text
    assert visitor.post("/studio/run/release").status_code == 422
    text = waited(visitor)
    assert visitor.workbench.jobs.find(RELEASING).result.verdict == "referred"
    assert "Decide on it" in text
    run = visitor.workbench.jobs.find(RELEASING).result.run
    assert run in visitor.get("/").text
    assert visitor.get(f"/runs/{run}/report").status_code == 200


def stand_in(tmp_path, monkeypatch, body: str) -> None:
    """A command that does as told in the place of the release."""
    script = tmp_path / "python"
    script.write_text(f"#!{sys.executable}\nimport sys, time\n{body}\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(release_run.sys, "executable", str(script))


def test_a_run_tells_how_far_it_is_and_can_be_cancelled(visitor, tmp_path, monkeypatch):
    stand_in(
        tmp_path,
        monkeypatch,
        "print('    1.0 s  ingest 1/1  source', file=sys.stderr, flush=True)\ntime.sleep(600)",
    )
    visitor.post("/studio/run/release")
    job = visitor.workbench.jobs.find(RELEASING)
    for _ in range(200):
        if job.share:
            break
        time.sleep(0.05)
    assert "ingest 1/1 source" in visitor.get("/studio/run/part/progress").text
    assert job.share == pytest.approx(0.2)
    visitor.post("/studio/frame/cancel", job=RELEASING)
    assert job.state is JobState.CANCELLED
    assert "The run was cancelled" in visitor.get("/studio/run/part/progress").text


def test_a_run_that_fails_is_said_without_places_of_the_disk(visitor, tmp_path, monkeypatch):
    stand_in(
        tmp_path,
        monkeypatch,
        "print('error: cannot publish to /secret/place/outbox: full', file=sys.stderr)\nsys.exit(1)",
    )
    visitor.post("/studio/run/release")
    text = waited(visitor)
    assert "The run failed" in text
    assert "/secret" not in text


def test_a_withheld_run_says_why_and_can_be_run_again(visitor, tmp_path, monkeypatch):
    finding = {"criterion": "table.lone_values", "holds": False, "reason": "lone values stay in 1 column"}
    told = {"run": "r", "verdict": "withheld", "sentence": "s", "because": None, "findings": [finding]}
    stand_in(tmp_path, monkeypatch, f"print({json.dumps(told)!r})\nsys.exit(3)")
    visitor.post("/studio/run/release")
    text = waited(visitor)
    assert "Not met: table.lone_values." in text
    assert "Lone values stay in 1 column" in text
    assert text.count("Save and run the release") == 1


def test_an_earlier_profile_is_compared_in_words(visitor, folder):
    earlier = visitor.workbench.profile_text.text.replace("k: 3", "k: 5").replace(
        "sex: quasi_identifier", "sex: other"
    )
    (folder / "earlier.yaml").write_text(earlier)
    page = visitor.get("/studio/run?with=0/earlier.yaml").text
    assert "sex › role was other and is quasi_identifier" in page
    assert "recoded › local_suppression › with › k was 5 and is 3" in page
    assert "none of the folders" in visitor.get("/studio/run?with=0/../x.yaml").text


def test_differences_name_what_is_new_and_gone():
    before = {"name": "a", "risk": [{"measure": "k_anonymity", "at_least": 3}]}
    after = {"name": "a", "risk": [{"measure": "t_closeness"}], "seed": 4}
    assert [each.sentence for each in differences(before, after)] == [
        "t_closeness is new: {measure: t_closeness}",
        "k_anonymity is gone; it was {measure: k_anonymity, at_least: 3}",
        "seed is new: 4",
    ]
    assert differences(before, before) == []


def test_the_scratch_is_private_and_gone_at_the_end(workbench):
    place = workbench.workplace()
    assert stat.S_IMODE(place.directory.stat().st_mode) == 0o700
    assert place.directory.is_relative_to(workbench.home.path)
    workbench.close()
    assert not place.directory.exists()


def test_with_a_key_nothing_of_the_records_is_readable_on_the_disk(workbench, monkeypatch):
    from sdc.data.warehouse import KEY_VARIABLE

    monkeypatch.setenv(KEY_VARIABLE, "a long enough key for a test of it")
    place = workbench.workplace()
    held = b"".join(path.read_bytes() for path in place.directory.rglob("*") if path.is_file())
    assert b"equivalised_income" not in held


@pytest.mark.slow
def test_the_command_says_what_it_needs(tmp_path):
    for arguments in ([], ["x.csv", "--demo"], ["missing.csv"]):
        ended = subprocess.run(
            [sys.executable, "-m", "sdc", "studio", *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert ended.returncode == 2
