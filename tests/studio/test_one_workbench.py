"""Two workbenches never hold one profile: each would keep its edits over those of the other."""

from __future__ import annotations

import multiprocessing

import pytest
from click.testing import CliRunner

from sdc.cli.main import cli
from sdc.studio.held_profile import OpenElsewhere, held_alone


def held_until_killed(path, scratch, held):
    with held_alone(path, scratch):
        held.set()
        multiprocessing.Event().wait()


def test_a_profile_that_is_open_is_not_opened_again(folder, home):
    with held_alone(folder / "households.yaml", home):
        answer = CliRunner().invoke(cli, ["studio", str(folder / "households.csv"), "--port", "0"])
    assert isinstance(answer.exception, OpenElsewhere)
    assert answer.exception.exit_code == 2
    assert "households.yaml is open in another workbench" in str(answer.exception)
    assert not list(folder.glob(".households.yaml*")), "nothing is left beside the profile"


def test_it_is_free_once_it_is_let_go_and_once_its_holder_is_killed(tmp_path):
    profile = tmp_path / "one.yaml"
    with held_alone(profile, tmp_path / "scratch"):
        with pytest.raises(OpenElsewhere), held_alone(profile, tmp_path / "scratch"):
            pass
        with held_alone(tmp_path / "two.yaml", tmp_path / "scratch"):
            pass
    context = multiprocessing.get_context("spawn")
    held = context.Event()
    other = context.Process(target=held_until_killed, args=(profile, tmp_path / "scratch", held))
    other.start()
    assert held.wait(60)
    with pytest.raises(OpenElsewhere), held_alone(profile, tmp_path / "scratch"):
        pass
    other.kill()
    other.join()
    with held_alone(profile, tmp_path / "scratch"):
        pass


def test_where_nothing_can_be_written_beside_it_it_is_held_in_the_home(tmp_path, monkeypatch):
    profile, scratch = tmp_path / "gone" / "one.yaml", tmp_path / "scratch"
    with held_alone(profile, scratch):
        assert len(list(scratch.iterdir())) == 1
        with pytest.raises(OpenElsewhere), held_alone(profile, scratch):
            pass
    assert not list(scratch.iterdir())
