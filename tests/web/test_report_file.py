"""The report people decide by is the one the sealed record vouches for, on the pages and at the terminal."""

from __future__ import annotations

from collections.abc import Callable

import click
import pytest
from click.testing import CliRunner
from review_home import MADE, TestClient, finish, record

from sdc.cli.main import cli
from sdc.run.home import Home


@pytest.fixture(autouse=True)
def this_home(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDC_HOME", str(home.path))


def said(*words: str) -> str:
    return CliRunner().invoke(cli, list(words), catch_exceptions=False, standalone_mode=False).output


def test_an_altered_report_is_not_shown_to_who_decides(
    visitor: TestClient, finished: Callable[..., str], home: Home
) -> None:
    run = finished()
    assert visitor.get(f"/runs/{run}/report").status_code == 200
    (home.runs / run / "report.html").write_text("<p>the risk is low</p>")
    answer = visitor.get(f"/runs/{run}/report")
    assert answer.status_code == 404
    assert "was altered since the record of the run was sealed" in answer.text
    assert "the risk is low" not in answer.text
    assert "was altered since the record of the run was sealed" in visitor.get(f"/runs/{run}").text


def test_the_report_of_a_run_is_named_and_opened(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("click.launch", opened.append)
    run = finish(home)
    place = home.runs / run / "report.html"
    assert said("report", run).strip() == str(place)
    assert opened == []
    said("report", run, "--open")
    assert opened == [place.as_uri()]
    place.write_text(place.read_text() + "<p>all is well</p>")
    with pytest.raises(click.UsageError, match="was altered since the record of the run was sealed"):
        said("report", run, "--open")
    assert len(opened) == 1
    place.unlink()
    with pytest.raises(click.UsageError, match="There is no report of this run here"):
        said("report", run)


def test_a_report_no_record_vouches_for_is_not_named(home: Home) -> None:
    run = finish(home, held=record("published", MADE["published"]))
    with pytest.raises(click.UsageError, match="No sealed record vouches for the report"):
        said("report", run)
