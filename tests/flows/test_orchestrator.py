"""The lock that keeps two fresh servers of one home apart."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from flows.orchestration import orchestrator
from flows.orchestration.orchestrator import EmbeddedServer, HomeBusy


def test_a_command_that_waits_for_another_says_so_and_gives_up_with_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(orchestrator._lock, "__defaults__", (0.5,))
    with (tmp_path / "server.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(HomeBusy, match=r"fuser .*server\.lock names its process"):
            EmbeddedServer(tmp_path).start()
    assert capsys.readouterr().err == "sdc: waiting for another sdc command on this home\n"
